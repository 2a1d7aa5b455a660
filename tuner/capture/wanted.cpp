#include "tuner/capture/wanted.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"

namespace tuner::capture {
namespace {

bool is_called(const KernelProfile& kernel, const std::string& name) {
  const std::string own = short_name(kernel.readable);
  return name == kernel.name || name == kernel.readable || name == own || name == own.substr(0, own.find('<'));
}

std::string listed(std::span<const KernelProfile* const> kernels) {
  constexpr std::size_t kShown = 10, kLongestName = 120;
  std::vector<std::string> names;
  for (const KernelProfile* const kernel : kernels.first(std::min(kernels.size(), kShown)))
    names.push_back(one_line(short_name(kernel->readable), kLongestName));
  return fmt::format("{}{}", fmt::join(names, ", "), kernels.size() > kShown ? ", and others" : "");
}

}  // namespace

std::string wanted_text(const WantedKernel& kernel) {
  std::string text = fmt::format("{}\n{} {}\n", kernel.name, kernel.limit, kernel.longest.count());
  for (const WantedLaunch& launch : kernel.launches) {
    text += std::to_string(launch.ordinal);
    if (const std::optional<LaunchShape>& shape = launch.shape)
      text +=
          fmt::format(" {} {} {}", fmt::join(shape->grid, " "), fmt::join(shape->block, " "), shape->dynamic_shared);
    text += '\n';
  }
  return text;
}

std::vector<WantedLaunch> most_costly_launches(const KernelProfile& kernel, std::size_t most) {
  std::vector<WantedLaunch> launches;
  for (const ShapeProfile& each : kernel.shapes) {
    if (each.shape.in_graph == 0 && launches.size() < most)
      launches.push_back({.ordinal = (each.sums.launches + 1) / 2, .shape = each.shape});
  }
  return launches;
}

const KernelProfile& find_kernel(std::span<const KernelProfile> kernels, const std::string& name) {
  std::vector<const KernelProfile*> all, called;
  for (const KernelProfile& kernel : kernels) {
    all.push_back(&kernel);
    if (is_called(kernel, name)) called.push_back(&kernel);
  }
  if (called.size() == 1) return *called.front();
  if (called.empty()) {
    throw Error(Errc::bad_usage, fmt::format("The program launched no kernel `{}`; it launched {}.", name,
                                             all.empty() ? "none" : listed(all)));
  }
  throw Error(Errc::bad_usage, fmt::format("The program launched several kernels `{}`; give one of these names, or the "
                                           "mangled one: {}.",
                                           name, listed(called)));
}

}  // namespace tuner::capture
