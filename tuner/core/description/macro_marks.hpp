#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"

namespace tuner {

/// What begins the launch of a kernel.
inline constexpr std::string_view kLaunch = "<<<";

/// Whether a word says of a function that the device has it.
bool is_device_mark(std::string_view word);

/// What the macros of a source say of the functions that name them, be it by way of other macros. The texts that the
/// macros refer to outlive it.
class MacroMarks {
 public:
  explicit MacroMarks(const std::vector<CodeText::Macro>& macros);

  bool defines(std::string_view word) const { return meanings_.contains(word); }
  bool marks(std::string_view word) const { return get(word).marks; }
  /// Whether it marks what follows it, rather than being all of a function.
  bool marks_next(std::string_view word) const { return get(word).marks && !get(word).has_body; }
  bool launch_in(std::string_view body) const;

 private:
  struct Meaning {
    bool marks = false, launches = false, has_body = false;
  };

  Meaning get(std::string_view word) const;

  std::map<std::string_view, Meaning> meanings_;
  bool any_launches_ = false;
};

}  // namespace tuner
