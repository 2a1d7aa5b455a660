#include "tuner/core/occupancy/occupancy.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tuner {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
// Registers are handed out to warps, 256 at a time, from the four quarters of a multiprocessor; a thread's come in
// eights.
constexpr std::int64_t kRegistersPerUnit = 256, kQuarters = 4, kRegisterStep = 8;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t shared_unit(const DeviceInfo& device) {
  return device.compute_major >= 8 ? 128 : 256;
}

/// How many blocks each resource has room for, in the order of Resource.
std::array<std::int64_t, 4> room_for_blocks(const DeviceInfo& device, const BlockNeeds& needs) {
  const std::int64_t warp = std::max(device.warp_size, 1);
  const std::int64_t warps_per_block = std::max<std::int64_t>(round_up(needs.threads, warp) / warp, 1);
  std::int64_t by_registers = kUnlimited;
  if (needs.registers > 0) {
    const std::int64_t per_warp = round_up(needs.registers * warp, kRegistersPerUnit);
    by_registers = device.registers_per_sm / kQuarters / per_warp * kQuarters / warps_per_block;
  }
  const std::int64_t shared = round_up(needs.shared_bytes + device.reserved_shared_per_block, shared_unit(device));
  const std::int64_t by_shared = shared > 0 ? device.max_shared_per_sm / shared : kUnlimited;
  return {device.max_threads_per_sm / warp / warps_per_block, by_registers, by_shared, device.max_blocks_per_sm};
}

/// The largest number below `from` with which more blocks fit, `step` apart; fit(value) falls as the value grows.
template <typename Fit>
std::optional<std::int64_t> largest_that_fits(std::int64_t from, std::int64_t step, Fit fit) {
  for (std::int64_t value = (from - 1) / step * step; value > 0; value -= step) {
    if (fit(value)) return value;
  }
  if (from > 0 && fit(0)) return 0;
  return std::nullopt;
}

}  // namespace

BlockNeeds block_needs(int registers, int static_shared_bytes, const Geometry& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  return {.registers = registers,
          .threads = static_cast<int>(std::min(threads, kMost)),
          .shared_bytes = std::int64_t{static_shared_bytes} + launch.shared_bytes};
}

std::string_view resource_name(Resource resource) {
  constexpr std::array<std::string_view, 4> kNames{"warps", "registers", "shared", "blocks"};
  return kNames[static_cast<std::size_t>(resource)];
}

std::optional<Residency> residency(const DeviceInfo& device, const BlockNeeds& needs) {
  const std::int64_t warp = std::max(device.warp_size, 1);
  if (device.max_threads_per_sm < warp) return std::nullopt;
  const std::array<std::int64_t, 4> room = room_for_blocks(device, needs);
  const auto fewest = std::min_element(room.begin(), room.end());
  const std::int64_t warps_per_block = std::max<std::int64_t>(round_up(needs.threads, warp) / warp, 1);
  Residency result;
  result.blocks = *fewest;
  result.threads = *fewest * needs.threads;
  result.occupancy = static_cast<double>(*fewest * warps_per_block * warp) / device.max_threads_per_sm;
  result.limiter = static_cast<Resource>(fewest - room.begin());
  return result;
}

std::vector<NextStep> next_steps(const DeviceInfo& device, const BlockNeeds& needs) {
  const std::optional<Residency> now = residency(device, needs);
  if (!now) return {};
  std::vector<NextStep> steps;
  const auto more = [&](const BlockNeeds& changed) {
    const std::optional<Residency> then = residency(device, changed);
    return then && then->threads > now->threads ? then : std::nullopt;
  };
  const auto add = [&](Resource resource, std::int64_t from, std::optional<std::int64_t> to, BlockNeeds changed) {
    if (to) steps.push_back({resource, from, *to, *more(changed)});
  };
  if (now->limiter == Resource::registers) {
    const auto with = [&](std::int64_t registers) {
      BlockNeeds changed = needs;
      changed.registers = static_cast<int>(registers);
      return changed;
    };
    const auto fits = [&](std::int64_t registers) { return registers > 0 && more(with(registers)); };
    const auto to = largest_that_fits(needs.registers, kRegisterStep, fits);
    add(Resource::registers, needs.registers, to, with(to.value_or(0)));
  }
  if (now->limiter == Resource::shared) {
    const auto with = [&](std::int64_t bytes) {
      BlockNeeds changed = needs;
      changed.shared_bytes = bytes;
      return changed;
    };
    // Units are counted with what the device reserves; a reservation is a multiple of them.
    const auto to =
        largest_that_fits(needs.shared_bytes, shared_unit(device), [&](auto bytes) { return more(with(bytes)); });
    add(Resource::shared, needs.shared_bytes, to, with(to.value_or(0)));
  }
  if (now->limiter == Resource::blocks) {
    const std::int64_t warp = std::max(device.warp_size, 1);
    BlockNeeds larger = needs;
    larger.threads = static_cast<int>(round_up(needs.threads + 1, warp));
    if (more(larger)) steps.push_back({Resource::blocks, needs.threads, larger.threads, *more(larger)});
  }
  return steps;
}

}  // namespace tuner
