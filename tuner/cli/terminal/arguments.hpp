#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cli/terminal/command.hpp"

namespace tuner::cli {

/// The words of a command line after the command's name, sorted out.
class Arguments {
 public:
  /// Throws Error{bad_usage}: unknown option (with the nearest one), missing value, option given twice, too many words.
  Arguments(const Command& command, const std::vector<std::string>& words);

  bool has(std::string_view option) const;
  /// The value of an option, or nothing.
  std::optional<std::string> value(std::string_view option) const;
  /// Every value of a repeatable option, in order.
  std::vector<std::string> values(std::string_view option) const;
  /// The words that are no options.
  const std::vector<std::string>& operands() const { return operands_; }

  /// A whole number in [lowest, highest]. Throws Error{bad_usage} naming the option and the range.
  std::optional<std::uint64_t> number(std::string_view option, std::uint64_t lowest = 0,
                                      std::uint64_t highest = std::numeric_limits<std::uint64_t>::max()) const;
  /// One of `choices`. Throws Error{bad_usage} listing them.
  std::optional<std::string> choice(std::string_view option, const std::vector<std::string>& choices) const;
  /// Every name in the values of a repeatable option, between commas or not: each once.
  std::vector<std::string> listed(std::string_view option) const;
  /// "250ms", "2s", "5min". Throws Error{bad_usage}.
  std::optional<std::chrono::milliseconds> duration(std::string_view option) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> options_;
  std::vector<std::string> operands_;
};

/// The command's name and the words for it: options that every command takes may stand before the name. No name if
/// there are only such options. Throws Error{bad_usage} for another option before the name; `commands` are all that
/// there are, so that it can say whose option that is.
struct SplitWords {
  std::optional<std::string> command;
  std::vector<std::string> words;
};
SplitWords split_command(const std::vector<std::string>& words, std::span<const Command> commands);

/// "--db", "-I".
std::string spelled(std::string_view option);

}  // namespace tuner::cli
