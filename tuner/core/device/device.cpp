#include "tuner/core/device/device.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tuner {
namespace {

std::uint64_t rounded(std::uint64_t bytes, double unit) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) / unit));
}

}  // namespace

double peak_bytes_per_s(const DeviceInfo& device) {
  constexpr double kWordsACycle = 2;
  return kWordsACycle * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8;
}

std::string DeviceInfo::architecture() const {
  return fmt::format("sm_{}{}", compute_major, compute_minor);
}

std::string DeviceInfo::identity() const {
  return fmt::format("{}|cc={}.{}|sms={}|memory={}GiB|l2={}MiB|mig={}", name, compute_major, compute_minor, sm_count,
                     rounded(memory_bytes, 1024.0 * 1024 * 1024), rounded(l2_bytes, 1024.0 * 1024), mig_profile);
}

void DeviceInfo::define_names(search::Scope& scope) const {
  scope.set("sm_count", sm_count);
  scope.set("warp_size", warp_size);
  scope.set("max_threads_per_block", max_threads_per_block);
  scope.set("max_threads_per_sm", max_threads_per_sm);
  scope.set("max_blocks_per_sm", max_blocks_per_sm);
  scope.set("registers_per_sm", registers_per_sm);
  scope.set("registers_per_block", registers_per_block);
  scope.set("max_shared_per_block", max_shared_per_block);
  scope.set("max_shared_per_sm", max_shared_per_sm);
  scope.set("l2_bytes", static_cast<std::int64_t>(l2_bytes));
  scope.set("memory_bytes", static_cast<std::int64_t>(memory_bytes));
  scope.set("compute_capability", compute_major * 10 + compute_minor);
}

std::string device_name(std::string_view identity) {
  return std::string(identity.substr(0, identity.find('|')));
}

std::string_view compute_capability(std::string_view identity) {
  constexpr std::string_view tag = "|cc=";
  const std::size_t begin = identity.find(tag);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = identity.substr(begin + tag.size());
  return rest.substr(0, rest.find('|'));
}

}  // namespace tuner
