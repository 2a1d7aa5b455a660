#include "tuner/sources/from_capture/from_capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/core/base/geometry.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/skeleton/known_kernel.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/from_capture/captured_arguments.hpp"
#include "tuner/sources/from_capture/captured_launch.hpp"
#include "tuner/sources/from_capture/captured_variables.hpp"

namespace tuner::sources {
namespace {

using engine::ReplayVerdict;

/// Launches that no description makes, and outputs that none can expect.
void require_describable(const CapturedKernel& kernel) {
  const auto& launch = kernel.launch.launch;
  if (kernel.replayed.verdict == ReplayVerdict::not_repeatable || kernel.replayed.verdict == ReplayVerdict::not_run)
    refuse_captured(kernel,
                    fmt::format("its replay is {}. {}", to_string(kernel.replayed.verdict), kernel.replayed.reason));
  if (launch.cooperative != 0) refuse_captured(kernel, "it was launched cooperatively, which no description does");
  constexpr int kRequiredClusterWidth = 11;  // CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH
  const bool is_own_cluster = std::ranges::any_of(kernel.launch.attributes, [](const capture::NumberedFact& fact) {
    return fact.number == kRequiredClusterWidth && fact.value > 0;
  });
  if (std::uint64_t{launch.cluster[0]} * launch.cluster[1] * launch.cluster[2] > 1 && !is_own_cluster) {
    refuse_captured(kernel,
                    "it was launched in clusters that its source does not ask for with __cluster_dims__, which no "
                    "description does");
  }
}

Geometry geometry_of(const capture::FactsOfLaunch& launch) {
  Geometry geometry;
  std::copy_n(launch.grid, 3, geometry.grid.begin());
  std::copy_n(launch.block, 3, geometry.block.begin());
  geometry.shared_bytes = launch.dynamic_shared;
  return geometry;
}

/// Whether the baseline is launched as the kernel was.
bool gives(const Geometry& wanted, const std::string& text, const std::filesystem::path& file) {
  try {
    for (KernelDescription& description : parse_descriptions(text, file)) {
      const Task task(std::move(description), ProblemValues(), known_device(kPlanDevice));
      return task.baseline() && task.geometry(*task.baseline()) == wanted;
    }
  } catch (const Error&) {
    // An expression that is no good gives nothing.
  }
  return false;
}

std::string size_line(const std::map<std::string, std::int64_t>& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format("{}{}: size = {}", text.empty() ? "" : ", ", name, value);
  return fmt::format("problem({})", text);
}

}  // namespace

void refuse_captured(const CapturedKernel& kernel, const std::string& reason) {
  const std::string name = one_line(capture::short_name(capture::readable_name(kernel.launch.kernel)), 100);
  throw Error(Errc::bad_description, fmt::format("`{}` cannot be described from this launch: {}{}", name,
                                                 one_line(reason), reason.ends_with('.') ? "" : "."));
}

CapturedDescription describe_captured(const CapturedSource& source, const CapturedKernel& kernel,
                                      const std::string& folder, const std::string& origin) {
  require_describable(kernel);
  const CapturedName name = captured_name(kernel);
  const KnownKernel known{name.name, kernel.launch.parameters.size(), source.is_proved, source.macros, source.fixed};
  std::optional<CapturedArguments> arguments;
  std::optional<CapturedVariables> variables;
  std::vector<std::string> constants;
  std::string text;
  for (const LaunchText from_source : {LaunchText::all, LaunchText::grid_and_block, LaunchText::nothing}) {
    const auto write = [&](const KernelSkeleton& skeleton) {
      if (!arguments) arguments = captured_arguments(kernel, skeleton, folder);
      if (!variables) variables = captured_variables(kernel, skeleton, folder);
      const CapturedLaunch launch = captured_launch(kernel, name, skeleton, from_source);
      constants.clear();
      std::ranges::copy_if(skeleton.guarded, std::back_inserter(constants),
                           [&](const std::string& each) { return skeleton.source.constant(each) != nullptr; });
      std::vector<std::string> lines{
          fmt::format("// Written by `tuner new --capture` from {}: what the kernel was given, and what it left.",
                      one_line(origin)),
          "// `tuner describe` shows how these lines are read, `tuner help directives` what else there is."};
      lines.push_back(launch.kernel);
      if (!arguments->sizes.empty()) lines.push_back(size_line(arguments->sizes));
      for (const std::vector<std::string>* const more :
           {&launch.lines, &std::as_const(arguments->lines), &std::as_const(variables->lines)})
        lines.insert(lines.end(), more->begin(), more->end());
      lines.push_back(launch.launch);
      if (std::ranges::none_of(launch.lines, [](const std::string& line) { return line.starts_with("param("); }))
        lines.emplace_back("// Nothing varies yet. What may vary becomes a macro within #ifndef, and a param here.");
      return lines;
    };
    text =
        described_kernel(source.text, source.file, source.elsewhere, known, from_source != LaunchText::nothing, write);
    if (gives(geometry_of(kernel.launch.launch), text, source.file)) break;
  }
  CapturedDescription result{std::move(text), std::move(arguments->data), std::move(constants)};
  result.data.insert(result.data.end(), variables->data.begin(), variables->data.end());
  return result;
}

}  // namespace tuner::sources
