#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/space/once.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/description.hpp"

namespace tuner {

/// What a public Description holds: a text that was read with its headers, and is parsed when that is needed. May be
/// used from several threads.
struct Description::Content {
  /// Throws Error{bad_description} where an include is ambiguous.
  Content(std::string text, std::filesystem::path file, std::string_view kernel, const std::vector<Header>& given,
          const std::vector<std::filesystem::path>& include_folders);

  /// The description of the kernel that was chosen, or of the only one, with the text of its headers. Parses the text
  /// when it is first called; throws Error{bad_description} for its mistakes, at every call.
  const KernelDescription& parsed() const;
  /// See Served::source. Parses the text.
  const std::string& source() const;

  const std::string text;
  const std::filesystem::path file;
  const std::string kernel;  ///< as chosen; empty: the only one
  const std::vector<Header> headers;
  /// Of these, `source` is one, if the text has no mistakes.
  std::vector<std::string> possible_sources;

 private:
  mutable search::Once once_;
  mutable std::optional<KernelDescription> parsed_;
  mutable std::size_t source_ = 0;
};

}  // namespace tuner
