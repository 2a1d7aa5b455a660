#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/header/header_column.hpp"
#include "tuner/core/header/winner_styles.hpp"

namespace tuner {
namespace {

std::string structures(const WinnerTable& table) {
  std::string text =
      "struct Launch {\n  unsigned grid[3];  ///< blocks; zeros where the launch is not known\n"
      "  unsigned block[3];  ///< threads of a block\n  unsigned shared_bytes;  ///< dynamic\n};\n\n"
      "struct Configuration {\n";
  for (const auto& [name, column] : table.columns()) text += fmt::format("  {} {};\n", column.type(), name);
  text += fmt::format("  Launch {};\n}};\n\nstruct Problem {{\n",
                      table.columns().contains("launch") ? "launch_" : "launch");
  for (const auto& [name, column] : table.problem_columns()) text += fmt::format("  {} {};\n", column.type(), name);
  return text +
         "};\n\nstruct Winner {\n  const char* device;  ///< as cudaDeviceProp::name\n"
         "  int compute_capability;  ///< 90 for 9.0\n  bool any_size;  ///< verified at other sizes, too: may serve "
         "a problem that is near\n"
         "  Problem problem;\n  Configuration configuration;\n};\n\n";
}

std::string finder(const WinnerTable& table) {
  std::string distance, same, equal;
  for (const auto& [name, column] : table.problem_columns()) {
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

std::string extents(const std::array<std::uint32_t, 3>& numbers) {
  return fmt::format("{{{}, {}, {}}}", numbers[0], numbers[1], numbers[2]);
}

/// Zeros for a launch that is not known.
std::string launch_fields(const std::optional<Geometry>& launch) {
  const Geometry shown = launch.value_or(Geometry{.grid = {}, .block = {}, .shared_bytes = 0});
  return fmt::format("{}, {}, {}", extents(shown.grid), extents(shown.block), shown.shared_bytes);
}

/// A kernel may have no parameters: then the launch is all that there is.
std::string configuration_fields(const ColumnValues& values, const HeaderColumns& columns, const std::string& launch) {
  const std::string parameters = initialisers(values, columns);
  return fmt::format("{}{}{{{}}}", parameters, parameters.empty() ? "" : ", ", launch);
}

}  // namespace

std::string winner_constants(const WinnerTable& table, const std::string& name_space) {
  const std::string own = fmt::format("{}::{}", name_space, identifier_of(table.kernel()));
  std::string text = fmt::format("namespace {} {{\n\n", own);
  const std::string words = enumerators(table.columns());
  if (!words.empty()) text += words + "\n";
  text += structures(table);
  text += fmt::format(
      "/// For problems that were not tuned: all parameters at their defaults.\n"
      "inline constexpr Configuration baseline{{{}}};\n"
      "\n",
      configuration_fields(table.baseline(), table.columns(), ""));
  text += "inline constexpr Winner winners[] = {\n";
  for (const WinnerTable::Row& row : table.rows()) {
    text += comment_line("    ", row.account);
    text += fmt::format("    {{{}, {}, {}, {{{}}},\n     {{{}}}}},\n", string_literal(row.device),
                        row.compute_capability, row.any_size, initialisers(row.problem, table.problem_columns()),
                        configuration_fields(row.configuration, table.columns(), launch_fields(row.launch)));
  }
  return text + "};\n\n" + finder(table) + fmt::format("}}  // namespace {}\n", own);
}

std::string winner_constants_helpers(const std::string& name_space) {
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
      identifier_of(name_space), identifier_of(name_space), name_space, name_space);
}

}  // namespace tuner
