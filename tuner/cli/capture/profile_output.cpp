#include "tuner/cli/capture/profile_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/report/record_json.hpp"

namespace tuner::cli {
namespace {

using capture::KernelProfile;
using capture::LaunchShape;
using capture::LaunchSums;
using capture::Profile;
using capture::ShapeProfile;

constexpr std::size_t kShownKernels = 20, kShownShapes = 4;

double share_of(const LaunchSums& part, const LaunchSums& whole) {
  return whole.total > 0 ? part.total / whole.total : 0;
}
double mean_of(const LaunchSums& sums) {
  return sums.total / static_cast<double>(sums.launches);
}

void add_sums(nlohmann::ordered_json& object, const LaunchSums& sums) {
  constexpr double kMicrosecond = 1000;
  object["launches"] = sums.launches;
  object["total_us"] = sums.total / kMicrosecond;
  object["mean_us"] = mean_of(sums) / kMicrosecond;
  object["spread"] = capture::relative_spread(sums);
  object["shortest_us"] = sums.shortest / kMicrosecond;
  object["longest_us"] = sums.longest / kMicrosecond;
}

nlohmann::ordered_json shape_json(const ShapeProfile& profile, const LaunchSums& kernel) {
  const LaunchShape& shape = profile.shape;
  nlohmann::ordered_json object{{"grid", shape.grid},
                                {"block", shape.block},
                                {"cluster", shape.cluster},
                                {"dynamic_shared_bytes", shape.dynamic_shared},
                                {"static_shared_bytes", shape.static_shared},
                                {"registers", shape.registers},
                                {"local_bytes", shape.local_bytes},
                                {"in_graph", shape.in_graph != 0},
                                {"share", share_of(profile.sums, kernel)}};
  add_sums(object, profile.sums);
  return object;
}

nlohmann::ordered_json kernel_json(const KernelProfile& kernel, const LaunchSums& all) {
  const std::string why_not = kernel.why_not_captured();
  nlohmann::ordered_json object{{"kernel", capture::short_name(kernel.readable)},
                                {"readable", kernel.readable},
                                {"mangled", kernel.name},
                                {"library", text_or_null(kernel.library)},
                                {"capture", why_not.empty()},
                                {"why_not", text_or_null(why_not)},
                                {"share", share_of(kernel.sums, all)}};
  add_sums(object, kernel.sums);
  object["launches_in_graphs"] = kernel.in_graphs;
  object["shapes"] =
      json_list(kernel.shapes, [&](const ShapeProfile& shape) { return shape_json(shape, kernel.sums); });
  object["launches_of_other_shapes"] = kernel.other_launches;
  return object;
}

/// "64", "64x8x2".
std::string extents_text(std::span<const std::uint32_t, 3> extents) {
  if (extents[2] != 1) return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
  return extents[1] != 1 ? fmt::format("{}x{}", extents[0], extents[1]) : fmt::format("{}", extents[0]);
}

/// With one decimal, so that columns of them can be read.
std::string percent_cell(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::vector<std::string> with_sums(const LaunchSums& sums, const LaunchSums& all, std::vector<std::string> more) {
  std::vector<std::string> cells{percent_cell(share_of(sums, all)), grouped(sums.launches), time_text(mean_of(sums)),
                                 sums.launches > 1 ? percent_cell(capture::relative_spread(sums)) : ""};
  cells.insert(cells.end(), more.begin(), more.end());
  return cells;
}

std::string name_cell(const KernelProfile& kernel) {
  constexpr std::size_t kLongestName = 120;
  return one_line(capture::short_name(kernel.readable), kLongestName);
}

std::string kernel_table(std::span<const KernelProfile> kernels, const LaunchSums& all) {
  using Align = Table::Align;
  Table table({{"share", Align::right},
               {"launches", Align::right},
               {"mean", Align::right},
               {"spread", Align::right},
               {"registers", Align::right},
               {"shared", Align::right},
               {"library"},
               {"capture"},
               {"kernel"}});
  for (const KernelProfile& kernel : kernels) {
    const LaunchShape& shape = kernel.shapes.front().shape;
    const std::string why_not = kernel.why_not_captured();
    table.add(with_sums(kernel.sums, all,
                        {std::to_string(shape.registers), std::to_string(shape.static_shared), kernel.library,
                         why_not.empty() ? "yes" : why_not, name_cell(kernel)}));
  }
  return table.text(output_width());
}

std::string shape_table(std::span<const KernelProfile> kernels, const LaunchSums& all) {
  using Align = Table::Align;
  Table table({{"share", Align::right},
               {"launches", Align::right},
               {"mean", Align::right},
               {"spread", Align::right},
               {"grid"},
               {"block"},
               {"dynamic", Align::right},
               {"kernel"}});
  for (const KernelProfile& kernel : kernels) {
    for (const ShapeProfile& each : std::span(kernel.shapes).first(std::min(kernel.shapes.size(), kShownShapes))) {
      table.add(with_sums(each.sums, all,
                          {extents_text(each.shape.grid), extents_text(each.shape.block),
                           std::to_string(each.shape.dynamic_shared), name_cell(kernel)}));
    }
  }
  return table.text(output_width());
}

}  // namespace

std::string launches_text(std::uint64_t count) {
  return fmt::format("{} launch{}", grouped(count), count == 1 ? "" : "es");
}

nlohmann::ordered_json profile_json(const Profile& profile, const std::vector<std::string>& command) {
  return {{"format", 1},
          {"command", command},
          {"exit_code", or_null(profile.status.code)},
          {"signal", or_null(profile.status.signal)},
          {"stopped", profile.ended_by_us},
          {"wall_s", std::chrono::duration<double>(profile.wall_time).count()},
          {"gpu_s", profile.sums.total / 1e9},
          {"launches", profile.sums.launches},
          {"processes", profile.processes},
          {"complete", profile.complete},
          {"kernels",
           json_list(profile.kernels, [&](const KernelProfile& kernel) { return kernel_json(kernel, profile.sums); })},
          {"troubles", profile.troubles}};
}

std::string profile_text(const Profile& profile) {
  const std::string wall = duration_text(std::chrono::duration<double>(profile.wall_time).count());
  if (profile.processes == 0)
    return fmt::format(
        "No use of CUDA was seen in {}. A process is not seen if it closes the descriptors, or changes the "
        "environment, that it inherits.\n",
        wall);
  if (profile.kernels.empty()) return fmt::format("No launches were seen in {}.\n", wall);
  const auto shown = std::span(profile.kernels).first(std::min(profile.kernels.size(), kShownKernels));
  const std::size_t left = profile.kernels.size() - shown.size();
  return fmt::format("{}, {}: {} of GPU time in {}.\n\nKernels{}\n{}\nLaunch shapes\n{}",
                     counted(profile.kernels.size(), "kernel"), launches_text(profile.sums.launches),
                     time_text(profile.sums.total), wall, left == 0 ? "" : fmt::format(", {} more with `--json`", left),
                     kernel_table(shown, profile.sums), shape_table(shown, profile.sums));
}

void warn_of_troubles(const Profile& profile) {
  for (const std::string& sentence : profile.troubles) warn(one_line(sentence));
  if (!profile.complete && !profile.ended_by_us)
    warn("The program ended without its exit handlers, so what it launched last may be missing.");
}

}  // namespace tuner::cli
