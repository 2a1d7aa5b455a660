#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tuner/cli/terminal/command.hpp"

namespace tuner::cli {

/// A variable that the programs or the library look at.
struct Variable {
  std::string_view name;
  std::string_view meaning;
};
/// All of them, as tuner(1) lists them.
std::span<const Variable> environment_variables();

/// tuner(1) in the language of man(7), for `man -l`, from what `tuner --help` is made of. The date in it is that of
/// $SOURCE_DATE_EPOCH, else today's.
std::string manual_page();
/// tuner-NAME(1), from what `tuner help NAME` is made of.
std::string manual_page(const Command& command);

}  // namespace tuner::cli
