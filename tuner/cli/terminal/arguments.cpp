#include "tuner/cli/terminal/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <ranges>

#include "search/expression/expression.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace po = boost::program_options;

namespace tuner::cli {

namespace {

constexpr const char* kOperands = "operands";

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> options = command.options;
  options.insert(options.end(), global_options().begin(), global_options().end());
  return options;
}

[[noreturn]] void bad(const std::string& sentence) {
  throw Error(Errc::bad_usage, sentence);
}

/// Where the options are listed. Without a command on the line it is `help` that reads the words.
std::string help_of(const Command& command) {
  return command.name == "help" ? "`tuner --help`" : fmt::format("`tuner help {}`", command.name);
}

std::string bare(const std::string& option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

[[noreturn]] void unknown_option(const Command& command, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const Option& option : all_options(command)) names.push_back(option.name);
  const std::string nearest = search::nearest_name(bare(given), names);
  bad(fmt::format("`tuner {}` has no option {}.{} {} lists its options.", command.name, given,
                  nearest.empty() ? "" : fmt::format(" Did you mean {}?", spelled(nearest)), help_of(command)));
}

po::options_description declare(const Command& command) {
  po::options_description declared;
  for (const Option& option : all_options(command)) {
    // "help,h" declares a short form as well; "I" alone only has one.
    const std::string names = option.name.size() == 1 ? "," + option.name
                              : option.name == "help" ? "help,h"
                                                      : option.name;
    if (option.kind == Option::Kind::flag) {
      declared.add_options()(names.c_str(), po::bool_switch());
    } else {
      auto* value = po::value<std::vector<std::string>>();
      if (option.kind == Option::Kind::repeatable) value->composing();
      declared.add_options()(names.c_str(), value);
    }
  }
  declared.add_options()(kOperands, po::value<std::vector<std::string>>());
  return declared;
}

}  // namespace

std::string spelled(std::string_view option) {
  return fmt::format("{}{}", option.size() == 1 ? "-" : "--", option);
}

Arguments::Arguments(const Command& command, const std::vector<std::string>& words) {
  const po::options_description declared = declare(command);
  po::positional_options_description positions;
  positions.add(kOperands, -1);
  try {
    // Abbreviated options would change their meaning as soon as another option is added.
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    const po::parsed_options parsed =
        po::command_line_parser(words).options(declared).positional(positions).style(style).allow_unregistered().run();
    for (const po::option& option : parsed.options) {
      if (option.unregistered) unknown_option(command, option.original_tokens.front());
      if (option.string_key == kOperands) {
        operands_.insert(operands_.end(), option.value.begin(), option.value.end());
        continue;
      }
      std::string name = option.string_key;
      name.erase(0, name.find_first_not_of('-'));
      auto& values = options_[name];
      const std::vector<Option> options = all_options(command);
      const auto known = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
      if (!values.empty() && known->kind == Option::Kind::value) {
        // The address of a queue may have a password in it, which is shown to nobody.
        if (name == "queue") bad("--queue is given twice. Remove one.");
        bad(fmt::format("{} is given twice: `{}` and `{}`. Remove one.", spelled(name), values.front(),
                        fmt::join(option.value, " ")));
      }
      for (const std::string& value : option.value) {
        // An unset variable in a script is the usual reason. `--problem ''` says that there is nothing to say.
        if (value.empty() && name != "problem") bad(fmt::format("{} needs a value, but it is empty.", spelled(name)));
      }
      values.insert(values.end(), option.value.begin(), option.value.end());
      if (known->kind == Option::Kind::flag) values.emplace_back();
    }
  } catch (const po::invalid_command_line_syntax& error) {
    if (error.kind() == po::invalid_syntax::extra_parameter)
      bad(fmt::format("{} takes no value.", spelled(bare(error.get_option_name()))));
    bad(fmt::format("{} needs a value. See {}.", spelled(bare(error.get_option_name())), help_of(command)));
  } catch (const po::error& error) {
    bad(fmt::format("The command line cannot be read: {}. {} lists the options.", error.what(), help_of(command)));
  }
  if (operands_.size() > command.most_operands) {
    bad(fmt::format("`tuner {}` does not accept `{}`. Usage: {}", command.name, operands_[command.most_operands],
                    command.synopsis));
  }
}

bool Arguments::has(std::string_view option) const {
  return options_.find(option) != options_.end();
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const auto found = options_.find(option);
  if (found == options_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::uint64_t> Arguments::number(std::string_view option, std::uint64_t lowest,
                                               std::uint64_t highest) const {
  const std::optional<std::string> text = value(option);
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [last, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || last != end || number < lowest || number > highest) {
    const bool open = highest == std::numeric_limits<std::uint64_t>::max() && error != std::errc::result_out_of_range;
    const std::string range =
        open ? fmt::format("of {} or more", lowest) : fmt::format("from {} to {}", lowest, highest);
    bad(fmt::format("{} needs a whole number {}, not `{}`.", spelled(option), range, *text));
  }
  return number;
}

std::optional<std::string> Arguments::choice(std::string_view option, const std::vector<std::string>& choices) const {
  const std::optional<std::string> text = value(option);
  if (!text || std::ranges::find(choices, *text) != choices.end()) return text;
  const std::string nearest = search::nearest_name(*text, choices);
  bad(fmt::format("{} does not accept `{}`.{} Valid values: {}.", spelled(option), *text,
                  nearest.empty() ? "" : fmt::format(" Did you mean {}?", nearest), fmt::join(choices, ", ")));
}

std::vector<std::string> Arguments::listed(std::string_view option) const {
  std::vector<std::string> chosen;
  for (const std::string& value : values(option)) {
    for (const auto part : std::views::split(value, ',')) {
      std::string name(part.begin(), part.end());
      if (std::ranges::find(chosen, name) == chosen.end()) chosen.push_back(std::move(name));
    }
  }
  return chosen;
}

std::optional<std::chrono::milliseconds> Arguments::duration(std::string_view option) const {
  const std::optional<std::string> text = value(option);
  if (!text) return std::nullopt;
  const std::optional<std::chrono::milliseconds> duration = duration_from_text(*text);
  if (!duration) {
    bad(fmt::format("{} needs a duration such as 250ms, 2s or 5min, not `{}`.", spelled(option), *text));
  }
  return duration;
}

SplitWords split_command(const std::vector<std::string>& words, std::span<const Command> commands) {
  SplitWords split;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty() || word.front() != '-') {
      split.command = word;
      split.words.insert(split.words.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      return split;
    }
    const std::string given = word.substr(0, word.find('='));
    const auto known = std::find_if(global_options().begin(), global_options().end(), [&](const Option& option) {
      return spelled(option.name) == given || (option.name == "help" && given == "-h");
    });
    if (known == global_options().end()) {
      for (const Command& command : commands) {
        for (const Option& option : command.options) {
          if (spelled(option.name) == given) {
            bad(fmt::format("{} is an option of `tuner {}` and must follow the command's name.", given, command.name));
          }
        }
      }
      bad(fmt::format("There is no option {}. `tuner --help` lists the commands and options.", given));
    }
    split.words.push_back(word);
    if (known->kind != Option::Kind::flag && word.find('=') == std::string::npos && i + 1 < words.size()) {
      split.words.push_back(words[++i]);
    }
  }
  return split;
}

}  // namespace tuner::cli
