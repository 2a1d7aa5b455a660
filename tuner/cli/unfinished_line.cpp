#include "tuner/cli/unfinished_line.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/terminal/arguments.hpp"

namespace tuner::cli {

namespace {

const Option* find_option(const Command* command, std::string_view word) {
  const auto in = [&](std::span<const Option> options) -> const Option* {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const Option& option) { return spelled(option.name) == word; });
    return found == options.end() ? nullptr : &*found;
  };
  const Option* const own = command == nullptr ? nullptr : in(command->options);
  return own == nullptr ? in(global_options()) : own;
}

/// An option with its value in one word: `--mode=cold`, `-Idir`. Nothing else has an option.
struct Joined {
  const Option* option = nullptr;
  std::size_t value_at = 0;
};

Joined split_joined(const Command* command, const std::string& word) {
  Joined joined{.option = nullptr, .value_at = word.starts_with("--") ? word.find('=') : 2};
  if (joined.value_at == std::string::npos || joined.value_at >= word.size() + 1) return {};
  if (!word.starts_with("--") && word.size() < 3) return {};
  joined.option = find_option(command, word.substr(0, joined.value_at));
  if (word.starts_with("--")) ++joined.value_at;
  if (joined.option != nullptr && joined.option->kind == Option::Kind::flag) joined.option = nullptr;
  return joined;
}

void name_command(UnfinishedLine& line, const std::string& name) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command& command) { return command.name == name; });
  if (found != commands().end()) line.command = &*found;
  line.is_lost = line.command == nullptr;
}

/// A word that is complete.
void take(UnfinishedLine& line, const std::string& word) {
  if (line.option != nullptr) {
    line.given[line.option->name].push_back(word);
    line.option = nullptr;
  } else if (line.only_operands || word.size() < 2 || word.front() != '-') {
    line.command == nullptr ? name_command(line, word) : line.operands.push_back(word);
  } else if (word == "--") {
    line.only_operands = true;
  } else if (const Joined joined = split_joined(line.command, word); joined.option != nullptr) {
    line.given[joined.option->name].push_back(word.substr(joined.value_at));
  } else if (const Option* const option = find_option(line.command, word); option != nullptr) {
    line.given[option->name];
    if (option->kind != Option::Kind::flag) line.option = option;
  }
}

}  // namespace

UnfinishedLine read_unfinished(const std::vector<std::string>& words) {
  UnfinishedLine line;
  if (words.empty()) return line;
  for (std::size_t i = 0; i + 1 < words.size() && !line.is_lost; ++i) take(line, words[i]);
  line.word = words.back();
  if (line.option != nullptr || line.only_operands) return line;
  if (const Joined joined = split_joined(line.command, line.word); joined.option != nullptr) {
    line.option = joined.option;
    line.before = line.word.substr(0, joined.value_at);
    line.word.erase(0, joined.value_at);
  }
  return line;
}

}  // namespace tuner::cli
