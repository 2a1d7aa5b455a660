#include "tuner/cli/completion.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "search/strategy/strategy.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/unfinished_line.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner::cli {

namespace {

constexpr std::string_view kSmallLetters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The beginning of a help text: menus of shells show half a line.
std::string first_clause(const std::string& help) {
  return help.substr(0, help.find(';'));
}

/// Finds the candidates for one word of one line.
class Completer {
 public:
  explicit Completer(const std::vector<std::string>& words) : line_(read_unfinished(words)), known_(line_) {}

  Completions run() {
    if (line_.is_lost) return {};
    if (line_.option != nullptr) {
      add_values(line_.option->name, line_.option->value_name);
    } else if (line_.word.starts_with('-') && !line_.only_operands) {
      add_options();
    } else if (line_.command == nullptr) {
      add_commands();
    } else {
      add_operands(*line_.command);
    }
    std::set<std::string> seen;
    std::erase_if(found_.candidates, [&](const Completion& candidate) {
      return !candidate.word.starts_with(line_.word) || one_line(candidate.word) != candidate.word ||
             !seen.insert(candidate.word).second;
    });
    for (Completion& candidate : found_.candidates) candidate.word.insert(0, line_.before);
    return std::move(found_);
  }

 private:
  using Manner = Completions::Manner;

  void add(std::string word, std::string meaning = {}) {
    found_.candidates.push_back({std::move(word), std::move(meaning)});
  }

  void add(const std::vector<Completion>& candidates) {
    found_.candidates.insert(found_.candidates.end(), candidates.begin(), candidates.end());
  }

  void add_commands() {
    for (const Command& command : commands()) add(command.name, command.summary);
  }

  void add_options() {
    const auto has_meaning = [&](const Option& option) {
      const bool is_known = line_.command != nullptr && line_.command->takes != nullptr && !line_.operands.empty();
      return !is_known || line_.command->takes(line_.operands.front(), option.name);
    };
    const auto add_those = [&](std::span<const Option> options) {
      for (const Option& option : options) {
        if (!has_meaning(option)) continue;
        const bool is_spent = option.kind != Option::Kind::repeatable && line_.given.contains(option.name);
        if (!is_spent) add(spelled(option.name), first_clause(option.help));
      }
    };
    if (line_.command != nullptr) add_those(line_.command->options);
    add_those(global_options());
  }

  void add_operands(const Command& command) {
    const std::size_t position = line_.operands.size();
    if (position < command.most_operands && !command.operands.empty()) {
      add_values("", command.operands[std::min(position, command.operands.size() - 1)]);
    } else if (line_.word.empty() && !line_.only_operands) {
      add_options();  // nothing else can follow
    }
  }

  /// `value_name` as in Option, of the option called `option`, or of an operand where that is empty.
  void add_values(const std::string& option, const std::string& value_name) {
    for (const std::string& part : parts_of(value_name, '|')) {
      if (!part.empty() && part.find_first_not_of(kSmallLetters) == std::string::npos) {
        add(part);
      } else if (part == "FILE@CONFIG") {
        add_side();
      } else if (part.starts_with("FILE") || part == "PATH") {
        found_.manner = Manner::files;
      } else if (part == "DIR" || part == "FOLDER") {
        found_.manner = Manner::folders;
      } else if (part == "COMMAND") {
        add_commands();
      } else if (part == "NUMBER") {
        add(known_.numbers());
      } else if (part == "KERNEL") {
        add(known_.stored_kernels());
      } else {
        add_by_option(option, part);
      }
    }
  }

  /// Options of one name take the same in every command, but for --device.
  void add_by_option(const std::string& option, const std::string& part) {
    if (option == "kernel") {
      add(known_.kernels());
    } else if (option == "problem") {
      add_assignments(known_.properties(), 0);
    } else if (option == "config") {
      add_assignments(known_.parameters(), 0);
    } else if (option == "against") {
      add_configuration(0);
    } else if (option == "pad") {
      add_assignments(known_.buffers(), 0);
    } else if (option == "where") {
      add_names_of_expression();
    } else if (option == "strategy") {
      add_listed(search::strategy_names());
    } else if (option == "device" && part == "TEXT") {
      add(known_.gpus());
    } else if (option == "device-name") {
      add_listed(known_device_names());
    }
  }

  /// The last of the names between commas.
  void add_listed(const std::vector<std::string>& names) {
    const std::string before = line_.word.substr(0, line_.word.rfind(',') + 1);
    for (const std::string& name : names) add(before + name);
  }

  /// A file, or a configuration of it behind an @. Shells find files, and the part before an @ may be missing only
  /// where another side stands before.
  void add_side() {
    const std::size_t at = line_.word.rfind('@');
    if (at == std::string::npos) {
      found_.manner = Manner::files;
    } else {
      add_configuration(at + 1);
    }
  }

  /// From that position of the word on.
  void add_configuration(std::size_t begin) {
    const std::string before = line_.word.substr(0, begin);
    add(before + "baseline", "the defaults of the parameters");
    add(before + "winner", "what is stored for the problem");
    add_assignments(known_.parameters(), begin);
  }

  /// `A=1,B=2` from that position of the word on: the last name, or the last value. A name is given once.
  void add_assignments(const std::vector<Assignable>& assignable, std::size_t begin) {
    found_.manner = Manner::open;
    const std::size_t comma = line_.word.rfind(',');
    if (comma != std::string::npos && comma >= begin) begin = comma + 1;
    const std::string before = line_.word.substr(0, begin);
    const std::string part = line_.word.substr(begin);
    const std::size_t equals = part.find('=');
    for (const Assignable& one : assignable) {
      const std::string assigned = one.name + "=";
      if (equals != std::string::npos) {
        if (!part.starts_with(assigned)) continue;
        for (const std::string& value : one.values) add(before + assigned + value, one.meaning);
      } else if (("," + before).find("," + assigned) == std::string::npos &&
                 ("@" + before).find("@" + assigned) == std::string::npos) {
        add(before + assigned, one.meaning);
      }
    }
  }

  /// The name that an expression ends with, or that its end is followed by.
  void add_names_of_expression() {
    found_.manner = Manner::open;
    const std::size_t end = line_.word.find_last_not_of(kNameLetters);
    const std::string before = line_.word.substr(0, end == std::string::npos ? 0 : end + 1);
    for (const Assignable& parameter : known_.parameters()) add(before + parameter.name, parameter.meaning);
    for (const Assignable& property : known_.properties()) add(before + property.name, property.meaning);
  }

  const UnfinishedLine line_;
  KnownNames known_;
  Completions found_;
};

}  // namespace

Completions complete(const std::vector<std::string>& words) {
  return Completer(words.empty() ? std::vector<std::string>{""} : words).run();
}

std::string completion_text(const Completions& completions) {
  constexpr std::array<std::string_view, 4> kManners{"words", "open", "files", "folders"};
  constexpr std::size_t kLongestMeaning = 200;
  std::string text(kManners[static_cast<std::size_t>(completions.manner)]);
  text += '\n';
  for (const Completion& candidate : completions.candidates) {
    text += candidate.word;
    if (!candidate.meaning.empty()) text += '\t' + one_line(candidate.meaning, kLongestMeaning);
    text += '\n';
  }
  return text;
}

}  // namespace tuner::cli
