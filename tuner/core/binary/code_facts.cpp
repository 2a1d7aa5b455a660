#include "tuner/core/binary/code_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tuner {

std::optional<int> idle_registers(const cache::ResourceFacts& facts, const Geometry& launch, const DeviceInfo& device) {
  if (!facts.registers || !facts.occupancy || *facts.occupancy <= 0) return std::nullopt;
  constexpr int kMost = 255;  // that an instruction can name
  const auto product = [](const std::array<std::uint32_t, 3>& size) {
    return std::int64_t{size[0]} * size[1] * size[2];
  };
  const std::int64_t allowed = std::llround(*facts.occupancy * device.max_threads_per_sm);
  const std::int64_t sms = std::max(1, device.sm_count);
  const std::int64_t launched = (product(launch.grid) + sms - 1) / sms * product(launch.block);
  const std::int64_t threads = std::min(allowed, launched);
  if (threads <= 0 || device.registers_per_sm <= 0) return std::nullopt;
  const auto share = static_cast<int>(std::min<std::int64_t>(kMost, device.registers_per_sm / threads));
  return std::max(0, share - *facts.registers);
}

}  // namespace tuner
