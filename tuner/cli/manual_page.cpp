#include "tuner/cli/manual_page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <system_error>

#include "tuner/cli/commands.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/version.hpp"

namespace tuner::cli {

namespace {

constexpr std::array<Variable, 20> kVariables{{
    {"TUNER_DB", "as --db"},
    {"TUNER_SYSTEM_DB", "databases that programs with the library read besides, between colons"},
    {"TUNER_MODE", "what programs with the library do: `off`, `cache`, `background` or `tune`"},
    {"TUNER_WANTED", "1: programs with the library list what they miss, for `tuner tune --wanted`; 0: they do not"},
    {"TUNER_QUEUE", "as --queue of `tuner fleet` and `tuner pull`"},
    {"TUNER_LIBEXEC", "folder of `tuner-worker`, `tuner-engine` and `libtuner-inject.so`"},
    {"TUNER_NVRTC", "the NVRTC library, or its folder"},
    {"TUNER_CUDA_INCLUDE_DIR", "folder of the CUDA toolkit's headers"},
    {"CUDA_HOME", "where the CUDA toolkit is"},
    {"CUDA_PATH", "the same"},
    {"TUNER_CUPTI", "the CUPTI library, or its folder: for hardware counters and `capture`"},
    {"TUNER_DRIVER", "file to load instead of `libcuda.so.1`"},
    {"TUNER_NVML", "file to load instead of `libnvidia-ml.so.1`"},
    {"CXX", "the C++ compiler of `tuner check --host`"},
    {"CUDA_VISIBLE_DEVICES", "which GPUs there are, as for every CUDA program"},
    {"XDG_DATA_HOME", "folder of the databases, in `tuner`; default: ~/.local/share"},
    {"XDG_CACHE_HOME", "folder of what can be made again, in `tuner`; default: ~/.cache"},
    {"TMPDIR", "folder of temporary files; default: /tmp"},
    {"NO_COLOR", "the progress line has no colour"},
    {"TERM", "`dumb`: there is no progress line"},
}};

/// Text as roff shows it as it is. What stands between backquotes is bold.
std::string roff(std::string_view text) {
  std::string escaped;
  bool is_bold = false;
  for (const char c : text) {
    switch (c) {
      case '`':
        is_bold = !is_bold;
        escaped += is_bold ? "\\fB" : "\\fR";
        break;
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '/':
        escaped += "/\\:";  // long paths are broken there
        break;
      case '~':
        escaped += "\\(ti";
        break;
      default:
        escaped += c == '\n' ? ' ' : c;
    }
  }
  return escaped;
}

/// Escaped text in lines as short as roff likes them. Blanks at the beginning of a line would break it.
std::string paragraph(std::string_view escaped) {
  constexpr std::size_t kLongestLine = 78;
  std::string text;
  std::size_t column = 0;
  for (std::size_t at = 0; at < escaped.size();) {
    const std::size_t end = std::min(escaped.find(' ', at), escaped.size());
    const std::string_view word = escaped.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > kLongestLine) {
      text += '\n';
      column = 0;
    }
    if (column > 0) {
      text += ' ';
    } else if (word.front() == '.') {
      text += "\\&";  // no request
    }
    column += word.size() + (column > 0 ? 1 : 0);
    text += word;
  }
  return text + "\n";
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string section(std::string_view title) {
  return fmt::format(".SH {}\n", title);
}

/// A term with its explanation indented below it or behind it.
std::string entry(const std::string& escaped_term, std::string_view explanation) {
  return ".TP\n" + paragraph(escaped_term) + paragraph(roff(explanation));
}

/// Whoever builds packages fixes the date, so that equal sources give equal pages.
std::string date_of_page() {
  constexpr std::time_t kLast = 253'402'300'799;  // of the year 9999
  std::time_t seconds = std::time(nullptr);
  if (const char* const text = std::getenv("SOURCE_DATE_EPOCH")) {
    std::time_t given = 0;
    const char* const end = text + std::strlen(text);
    const auto [last, error] = std::from_chars(text, end, given);
    if (error == std::errc() && last == end && given >= 0 && given <= kLast) seconds = given;
  }
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(seconds));
}

std::string beginning(const std::string& name, std::string_view summary) {
  std::string title = name;
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  // Words of commands are not broken, and lines have ragged ends, so that nothing is stretched.
  return fmt::format(".TH {} 1 \"{}\" \"tuner {}\" \"User Commands\"\n.nh\n.ad l\n", roff(title), date_of_page(),
                     kVersion) +
         section("NAME") + paragraph(roff(name) + " \\- " + roff(summary));
}

std::string option_entries(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string term = bold(spelled(option.name));
    if (option.name == "help") term = bold("-h") + ", " + term;
    if (!option.value_name.empty()) term += " \\fI" + roff(option.value_name) + "\\fR";
    text += entry(term, option.help);
  }
  return text;
}

std::string exit_entries(std::span<const ExitCode> codes) {
  std::string text = section("EXIT STATUS");
  for (const ExitCodeText& known : exit_code_texts()) {
    if (std::find(codes.begin(), codes.end(), known.code) == codes.end()) continue;
    text += entry(bold(std::to_string(static_cast<int>(known.code))), known.text);
  }
  return text;
}

/// A form of the command on each line; a line that begins with a blank goes on.
std::string synopsis_lines(std::string_view synopsis) {
  std::string text = section("SYNOPSIS");
  std::string form;
  const auto end_form = [&] {
    if (!form.empty()) text += paragraph(form);
    form.clear();
  };
  constexpr std::string_view kProgram = "tuner ";
  for (std::size_t at = 0; at < synopsis.size();) {
    const std::size_t end = std::min(synopsis.find('\n', at), synopsis.size());
    std::string_view line = synopsis.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    at = end + 1;
    if (line.starts_with(kProgram)) {
      if (!form.empty()) {
        end_form();
        text += ".br\n";
      }
      const std::size_t name_end = std::min(line.find(' ', kProgram.size()), line.size());
      form = bold(line.substr(0, name_end));
      line.remove_prefix(name_end);
    }
    form += " " + roff(line);
  }
  end_form();
  return text;
}

std::string references(std::span<const std::string> names) {
  std::string text = section("SEE ALSO");
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format(".BR {} (1){}\n", roff(names[i]), i + 1 < names.size() ? "," : "");
  }
  return text;
}

}  // namespace

std::span<const Variable> environment_variables() {
  return kVariables;
}

std::string manual_page() {
  std::string text = beginning("tuner", "tune CUDA kernels and keep the winners");
  text += section("SYNOPSIS") + paragraph(bold("tuner") + " COMMAND [options]");
  text += section("DESCRIPTION") + paragraph(roff(purpose_of_program()));
  text += section("COMMANDS");
  std::vector<std::string> pages;
  for (const Command& command : commands()) {
    text += entry(bold(command.name), command.summary);
    pages.push_back("tuner-" + command.name);
  }
  text += section("OPTIONS") + option_entries(global_options());
  std::vector<ExitCode> codes;
  for (const ExitCodeText& known : exit_code_texts()) codes.push_back(known.code);
  text += exit_entries(codes);
  text += section("ENVIRONMENT");
  for (const Variable& variable : environment_variables()) text += entry(bold(variable.name), variable.meaning);
  text += section("FILES") +
          entry("\\fIshare/tuner/kernel_sources\\fR",
                "the kernels of examples, called kernel_sources in these pages, in the folder that the program was "
                "installed to");
  return text + references(pages);
}

std::string manual_page(const Command& command) {
  std::string text = beginning("tuner-" + command.name, command.summary);
  text += synopsis_lines(command.synopsis);
  text += section("DESCRIPTION") + paragraph(roff(command.purpose));
  if (!command.options.empty()) text += section("OPTIONS") + option_entries(command.options);
  text += section("\"OPTIONS COMMON TO ALL COMMANDS\"") + option_entries(global_options());
  text += section("EXAMPLES");
  for (const Example& example : command.examples) text += entry(bold(example.command), example.what_it_does);
  text += exit_entries(exit_codes_of(command));
  const std::array<std::string, 1> pages{"tuner"};
  return text + references(pages);
}

}  // namespace tuner::cli
