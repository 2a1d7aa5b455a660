#include "tuner/cli/stored/header_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <set>
#include <tuple>

#include "search/expression/value.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/stored/header_macro.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/sizes/header_column.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

namespace tuner::cli {

namespace {

using Values = std::map<std::string, search::Value>;

/// Of a parameter, and of a value in a sentence.
constexpr std::size_t kLongestName = 200;
/// Of a configuration or a problem.
constexpr std::size_t kLongestText = 65536;

Values values_of(const std::string& text) {
  Values values;
  for (const std::string& part : split_assignments(text)) {
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos) values[part.substr(0, equals)] = search::Value::parse(part.substr(equals + 1));
  }
  return values;
}

/// Letters, digits and `_` of a text.
std::string word(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word) result += c;
    if (!is_word && !result.empty() && result.back() != '_') result += '_';
  }
  while (result.ends_with('_')) result.pop_back();
  return result.empty() || std::isdigit(static_cast<unsigned char>(result.front())) != 0 ? "_" + result : result;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// 90 from "NVIDIA H200|cc=9.0|...".
int compute_capability(const std::string& identity) {
  int major = 0, minor = 0;
  const std::size_t at = identity.find("|cc=");
  if (at != std::string::npos) std::sscanf(identity.c_str() + at, "|cc=%d.%d", &major, &minor);
  return major * 10 + minor;
}

struct Launch {
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
};

/// Zeros for a decision that does not say it.
Launch launch_of(const std::string& text) {
  Launch launch;
  std::array<unsigned, 3>&g = launch.grid, &b = launch.block;
  std::sscanf(text.c_str(), "grid=%ux%ux%u block=%ux%ux%u shared=%u", &g[0], &g[1], &g[2], &b[0], &b[1], &b[2],
              &launch.shared_bytes);
  return launch;
}

std::string extents(const std::array<unsigned, 3>& numbers) {
  return fmt::format("{{{}, {}, {}}}", numbers[0], numbers[1], numbers[2]);
}

/// One sentence on how good a winner is and where that comes from.
std::string account(const cache::Decision& decision) {
  std::string text = fmt::format("{}, {}", time_text(decision.time_ns), date_text(decision.created_unix_ms));
  if (decision.baseline == decision.configuration) {
    text = "the baseline itself, " + text;
  } else if (decision.speedup) {
    text = fmt::format("{} the baseline, {}", speedup_cell(decision), text);
  }
  if (!decision.conditions.toolkit.empty()) text += ", toolkit " + decision.conditions.toolkit;
  if (!decision.conditions.driver.empty()) text += ", driver " + decision.conditions.driver;
  if (!decision.conditions.tuner_version.empty()) text += ", tuner " + decision.conditions.tuner_version;
  text += decision.key.mode == "cold" ? "" : ", " + decision.key.mode;
  if (decision.origin == cache::Origin::replay) text += ", replayed from a recording and not measured";
  return decision.verified ? text : text + ", not verified";
}

/// The decisions of one kernel, as rows of a table.
class KernelSection {
 public:
  KernelSection(std::vector<cache::Decision> decisions, const HeaderRequest& request)
      : decisions_(std::move(decisions)), request_(request) {
    std::map<std::string, std::vector<search::Value>> configuration_values, problem_values;
    for (const cache::Decision& decision : decisions_) {
      require_bounded(decision);
      rows_.push_back({values_of(decision.configuration), values_of(decision.key.problem)});
      for (const auto& [name, value] : rows_.back().configuration) configuration_values[name].push_back(value);
      for (const auto& [name, value] : rows_.back().problem) problem_values[name].push_back(value);
    }
    baseline_ =
        values_of(decisions_.front().baseline.empty() ? decisions_.front().configuration : decisions_.front().baseline);
    for (const auto& [name, value] : baseline_) configuration_values[name].push_back(value);
    for (const auto& [name, values] : configuration_values) {
      require_identifier(name);
      const auto declared = request.named_values.find(name);
      columns_[name] = column_of(values, declared == request.named_values.end() ? nullptr : &declared->second);
    }
    for (const auto& [name, values] : problem_values) {
      require_identifier(name);
      problem_columns_[name] = column_of(values, nullptr);
      if (problem_columns_[name].kind == Column::Kind::named) problem_columns_[name].kind = Column::Kind::text;
      if (problem_columns_[name].kind == Column::Kind::integer) problem_columns_[name].kind = Column::Kind::wide;
    }
  }

  const std::string& kernel() const { return decisions_.front().key.kernel_name; }

  std::string constants() const {
    std::string text = fmt::format("namespace {}::{} {{\n\n", request_.name_space, word(kernel()));
    text += enumerators() + structures();
    text += fmt::format(
        "/// For problems that were not tuned: all parameters at their defaults.\n"
        "inline constexpr Configuration baseline{{{}, {{}}}};\n"
        "\n",
        fields(baseline_, columns_));
    text += "inline constexpr Winner winners[] = {\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Launch launch = launch_of(decisions_[i].launch);
      text += comment_line("    ", account(decisions_[i]));
      text += fmt::format("    {{{}, {}, {}, {{{}}},\n     {{{}, {{{}, {}, {}}}}}}},\n",
                          string_literal(device_name(decisions_[i].key.device)),
                          compute_capability(decisions_[i].key.device), decisions_[i].awkward_sizes > 0,
                          fields(rows_[i].problem, problem_columns_), fields(rows_[i].configuration, columns_),
                          extents(launch.grid), extents(launch.block), launch.shared_bytes);
    }
    return text + "};\n\n" + finder() + fmt::format("}}  // namespace {}::{}\n", request_.name_space, word(kernel()));
  }

  std::string macros() const {
    const std::string prefix = upper(word(request_.name_space)) + "_" + upper(word(kernel()));
    std::string text =
        fmt::format("// Choose one with -D{}=..., the baseline with 0; without that the first is taken.\n", prefix);
    const std::vector<std::string> names = labels();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += fmt::format("#define {}_{} {}\n", prefix, names[i], i + 1);
    }
    text += fmt::format("#ifndef {}\n#define {} 1\n#endif\n\n", prefix, prefix);
    for (const auto& [name, column] : columns_) {
      for (std::size_t i = 0; i < column.words.size(); ++i) {
        if (!request_.declared && is_standard_macro(name + "_" + column.words[i])) {
          refuse_macro(name, search::Value(column.words[i]), "is a macro of the C library: name the kernel file");
        }
        text += fmt::format("#define {}_{} {}\n", name, column.words[i], column.first_number + static_cast<int>(i));
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += fmt::format("{} {} == {}\n", i == 0 ? "\n#if" : "#elif", prefix, i + 1);
      text += comment_line("", fmt::format("{}, {}: {}", device_name(decisions_[i].key.device),
                                           decisions_[i].key.problem, account(decisions_[i])));
      text += defines(rows_[i].configuration);
      const Launch launch = launch_of(decisions_[i].launch);
      for (std::size_t d = 0; d < 3 && launch.block[0] > 0; ++d) {
        text += fmt::format("#define {}_GRID_{} {}\n", prefix, "XYZ"[d], launch.grid[d]);
        text += fmt::format("#define {}_BLOCK_{} {}\n", prefix, "XYZ"[d], launch.block[d]);
      }
      if (launch.block[0] > 0) text += fmt::format("#define {}_SHARED_BYTES {}\n", prefix, launch.shared_bytes);
    }
    return text + fmt::format(
                      "#elif {} == 0\n// the baseline\n{}#else\n#error \"{} names no winner of this header\"\n#endif\n",
                      prefix, defines(baseline_), prefix);
  }

 private:
  struct Row {
    Values configuration, problem;
  };

  void require_bounded(const cache::Decision& decision) const {
    const std::size_t longest = std::max(
        {kernel().size(), decision.configuration.size(), decision.baseline.size(), decision.key.problem.size()});
    if (longest <= kLongestText) return;
    throw Error(Errc::bad_usage, fmt::format("A winner of the kernel `{}` contains a text of {} bytes, too long for a "
                                             "header. Export other kernels with --kernel.",
                                             one_line(kernel(), kLongestName), longest));
  }

  void require_identifier(const std::string& name) const {
    if (is_declarable(name) && name.size() <= kLongestName) return;
    throw Error(Errc::bad_usage, fmt::format("The kernel `{}` was tuned with `{}`, which cannot be a name in a header. "
                                             "Export other kernels with --kernel.",
                                             one_line(kernel(), kLongestName), one_line(name, kLongestName)));
  }

  [[noreturn]] void refuse_macro(const std::string& name, const search::Value& value, std::string_view why) const {
    throw Error(Errc::bad_usage,
                fmt::format("The kernel `{}` was tuned with {} = `{}`, which {}, or export constants with --style "
                            "constexpr.",
                            one_line(kernel(), kLongestName), name, one_line(value.text(), kLongestName), why));
  }

  /// A macro changes whatever has its name, and what it stands for is code: the kernel file may say both, a database
  /// may say neither.
  void require_macro(const std::string& name, const search::Value& value, Column::Kind kind) const {
    if (!request_.declared) {
      if (!may_be_macro(name)) refuse_macro(name, value, "may be a name used by other code: name the kernel file");
      if (kind == Column::Kind::text) refuse_macro(name, value, "may be code: name the kernel file that has it");
      return;
    }
    const auto declared = request_.declared->find(kernel());
    if (declared == request_.declared->end()) {
      refuse_macro(name, value,
                   "is not in the kernel file, which does not have this kernel: name the file that has both");
    }
    const auto values = declared->second.find(name);
    if (values == declared->second.end()) {
      refuse_macro(name, value, "is not a parameter of it in the kernel file: tune again");
    }
    if (std::find(values->second.begin(), values->second.end(), value) == values->second.end()) {
      refuse_macro(name, value, "is not one of the parameter's values in the kernel file: tune again");
    }
  }

  /// A name for each row; what would be one taken already gets the row's number.
  std::vector<std::string> labels() const {
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const cache::Decision& decision : decisions_) {
      std::string name = upper(word(device_name(decision.key.device)));
      if (!decision.key.problem.empty()) name += "_" + word(decision.key.problem);
      while (!taken.insert(name).second) name += fmt::format("_{}", names.size() + 1);
      names.push_back(std::move(name));
    }
    return names;
  }

  static std::string fields(const Values& values, const std::map<std::string, Column>& columns) {
    std::string text;
    for (const auto& [name, column] : columns) {
      const auto found = values.find(name);
      // A parameter that this decision does not know had no say in it.
      const std::string field = found != values.end()                ? literal(found->second, name, column)
                                : column.kind == Column::Kind::text  ? "\"\""
                                : column.kind == Column::Kind::named ? name + "_" + column.words.front()
                                                                     : "{}";
      text += (text.empty() ? "" : ", ") + field;
    }
    return text;
  }

  std::string enumerators() const {
    std::string text;
    for (const auto& [name, column] : columns_) {
      if (column.words.empty()) continue;
      std::string list;
      for (std::size_t i = 0; i < column.words.size(); ++i) {
        list += fmt::format("{}{}_{} = {}", list.empty() ? "" : ", ", name, column.words[i],
                            column.first_number + static_cast<int>(i));
      }
      text += fmt::format("enum : int {{ {} }};\n", list);
    }
    return text.empty() ? "" : text + "\n";
  }

  std::string structures() const {
    std::string text =
        "struct Launch {\n  unsigned grid[3];  ///< blocks; zeros where the launch is not known\n"
        "  unsigned block[3];  ///< threads of a block\n  unsigned shared_bytes;  ///< dynamic\n};\n\n"
        "struct Configuration {\n";
    for (const auto& [name, column] : columns_) text += fmt::format("  {} {};\n", column.type(), name);
    text += fmt::format("  Launch {};\n}};\n\nstruct Problem {{\n", columns_.contains("launch") ? "launch_" : "launch");
    for (const auto& [name, column] : problem_columns_) text += fmt::format("  {} {};\n", column.type(), name);
    return text +
           "};\n\nstruct Winner {\n  const char* device;  ///< as cudaDeviceProp::name\n"
           "  int compute_capability;  ///< 90 for 9.0\n  bool any_size;  ///< verified at other sizes, too: may serve "
           "a problem that is near\n"
           "  Problem problem;\n  Configuration configuration;\n};\n\n";
  }

  std::string finder() const {
    std::string distance, same, equal;
    for (const auto& [name, column] : problem_columns_) {
      if (column.kind == Column::Kind::wide || column.kind == Column::Kind::real) {
        distance += fmt::format("{}detail::ratio(a.{}, b.{})", distance.empty() ? "" : " + ", name, name);
        equal += fmt::format("{}a.{} == b.{}", equal.empty() ? "" : " && ", name, name);
      } else {
        same += same.empty() ? "" : " && ";
        same += column.kind == Column::Kind::text ? fmt::format("detail::same_text(a.{}, b.{})", name, name)
                                                  : fmt::format("a.{} == b.{}", name, name);
      }
    }
    const std::string rank =
        "detail::same_text(winner.device, device) ? 2 : winner.compute_capability == compute_capability ? 1 : 0";
    return fmt::format(
        "/// Whether two problems are of the same kind, whether they have the same sizes, and how far apart those "
        "are.\n"
        "constexpr bool same_kind([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {{ return {}; "
        "}}\n"
        "constexpr bool same_sizes([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {{ return {}; "
        "}}\n"
        "constexpr double distance([[maybe_unused]] const Problem& a, [[maybe_unused]] const Problem& b) {{ return {}; "
        "}}\n\n"
        "/// The winner for this problem, or the nearest, on this device, or else on one of its compute capability (90 "
        "for\n"
        "/// 9.0); the baseline where there is none.\n"
        "constexpr const Configuration& find(const char* device, int compute_capability, const Problem& problem) {{\n"
        "  const Configuration* best = &baseline;\n"
        "  int best_rank = 0;\n"
        "  double least = 0;\n"
        "  for (const Winner& winner : winners) {{\n"
        "    const int rank = {};\n"
        "    if (rank == 0 || rank < best_rank || !same_kind(winner.problem, problem)) continue;\n"
        "    if (!winner.any_size && !same_sizes(winner.problem, problem)) continue;\n"
        "    const double here = distance(winner.problem, problem);\n"
        "    if (rank == best_rank && here >= least) continue;\n"
        "    best = &winner.configuration;\n"
        "    best_rank = rank;\n"
        "    least = here;\n"
        "  }}\n"
        "  return *best;\n"
        "}}\n\n",
        same.empty() ? "true" : same, equal.empty() ? "true" : equal, distance.empty() ? "0" : distance, rank);
  }

  std::string defines(const Values& values) const {
    std::string text;
    for (const auto& [name, value] : values) {
      const Column& column = columns_.at(name);
      std::string content = literal(value, name, column);
      if (column.kind == Column::Kind::boolean) content = value.as_boolean() ? "1" : "0";
      if (column.kind == Column::Kind::text) content = value.is_name() ? value.as_name() : value.text();
      if (content.starts_with('-') && column.kind != Column::Kind::text) content = "(" + content + ")";
      // Options of the compiler are no macros.
      const bool is_option = column.kind == Column::Kind::text && (content.empty() || content.starts_with('-'));
      if (is_option) {
        text += comment_line("", fmt::format("{} was compiled with the option {}", name, string_literal(content)));
        continue;
      }
      require_macro(name, value, column.kind);
      text += fmt::format("#define {} {}\n", name, content);
    }
    return text;
  }

  std::vector<cache::Decision> decisions_;
  const HeaderRequest& request_;
  std::vector<Row> rows_;
  Values baseline_;
  std::map<std::string, Column> columns_, problem_columns_;
};

std::string helpers(const std::string& name_space) {
  return fmt::format(
      "#ifndef TUNER_TUNED_DETAIL_{}\n"
      "#define TUNER_TUNED_DETAIL_{}\n"
      "namespace {}::detail {{\n"
      "constexpr bool same_text(const char* a, const char* b) {{\n"
      "  while (*a != 0 && *a == *b) {{\n"
      "    ++a;\n"
      "    ++b;\n"
      "  }}\n"
      "  return *a == *b;\n"
      "}}\n"
      "/// 1 for equal numbers, more the further they are apart.\n"
      "constexpr double ratio(double a, double b) {{ return a > b ? (a + 1) / (b + 1) : (b + 1) / (a + 1); }}\n"
      "}}  // namespace {}::detail\n"
      "#endif\n\n",
      word(name_space), word(name_space), name_space, name_space);
}

}  // namespace

bool is_namespace(std::string_view text) {
  while (true) {
    const std::size_t end = text.find("::");
    if (!is_declarable(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

std::string header_text(std::vector<cache::Decision> decisions, const HeaderRequest& request) {
  std::stable_sort(decisions.begin(), decisions.end(), [](const cache::Decision& a, const cache::Decision& b) {
    const cache::DecisionKey &x = a.key, &y = b.key;
    return std::tie(x.kernel_name, x.device, x.problem, x.mode) < std::tie(y.kernel_name, y.device, y.problem, y.mode);
  });
  std::vector<KernelSection> sections;
  for (std::size_t i = 0; i < decisions.size();) {
    std::vector<cache::Decision> own;
    const std::string kernel = decisions[i].key.kernel_name;
    for (; i < decisions.size() && decisions[i].key.kernel_name == kernel; ++i) own.push_back(decisions[i]);
    sections.emplace_back(std::move(own), request);
  }
  if (request.style == HeaderStyle::macros && sections.size() > 1) {
    throw Error(
        Errc::bad_usage,
        fmt::format("Macros of several kernels ({} and {}) would collide: choose one with --kernel.",
                    one_line(sections[0].kernel(), kLongestName), one_line(sections[1].kernel(), kLongestName)));
  }
  std::string text = fmt::format(
      "// What `tuner tune` found fastest, for programs that are compiled without the tuner. Written by\n"
      "// `tuner export --header` of tuner {}; do not edit.\n#pragma once\n\n",
      kVersion);
  if (request.style == HeaderStyle::constants) text += helpers(request.name_space);
  for (const KernelSection& section : sections) {
    if (&section != &sections.front()) text += "\n";
    text += request.style == HeaderStyle::constants ? section.constants() : section.macros();
  }
  return text;
}

}  // namespace tuner::cli
