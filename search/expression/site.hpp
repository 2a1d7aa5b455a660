#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tuner/error.hpp"

namespace tuner::search {

/// A mistake in an expression's text, or in evaluating it. `offset` counts bytes from the start of the expression, so
/// that whoever knows the file can print line and column.
class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& sentence, std::size_t offset)
      : Error(Errc::bad_description, sentence), offset_(offset) {}
  std::size_t offset() const noexcept { return offset_; }

 private:
  std::size_t offset_;
};

/// Where in which expression something goes wrong.
struct ExpressionSite {
  std::string_view text;
  std::size_t offset;

  /// Throws ExpressionError "In `<text>`: <complaint>." A long text is cut to the neighbourhood of the offset.
  [[noreturn]] void fail(std::string_view complaint) const;
};

}  // namespace tuner::search
