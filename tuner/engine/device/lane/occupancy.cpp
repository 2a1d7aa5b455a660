#include "tuner/engine/device/lane/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace tuner::engine {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t threads_of(const Geometry& geometry) {
  return std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
}

/// How many blocks each resource of an SM has room for.
struct Room {
  std::int64_t warps_per_block = 1;
  std::int64_t by_warps = 0, by_registers = 0, by_shared = 0, by_blocks = 0;
  std::int64_t fewest() const { return std::min({by_warps, by_registers, by_shared, by_blocks}); }
};

Room room_on(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry) {
  constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  Room room;
  const std::int64_t warp = std::max(device.warp_size, 1);
  room.warps_per_block =
      std::max<std::int64_t>(round_up(static_cast<std::int64_t>(threads_of(geometry)), warp) / warp, 1);

  room.by_warps = device.max_threads_per_sm / warp / room.warps_per_block;
  // Registers are handed out to warps, 256 at a time, from the four quarters of an SM.
  room.by_registers = kUnlimited;
  if (function.registers > 0) {
    const std::int64_t per_warp = round_up(function.registers * warp, 256);
    room.by_registers = device.registers_per_sm / 4 / per_warp * 4 / room.warps_per_block;
  }
  const std::int64_t shared_unit = device.compute_major >= 8 ? 128 : 256;
  const std::int64_t shared = round_up(
      std::int64_t{function.static_shared} + geometry.shared_bytes + device.reserved_shared_per_block, shared_unit);
  room.by_shared = shared > 0 ? device.max_shared_per_sm / shared : kUnlimited;
  room.by_blocks = device.max_blocks_per_sm;
  return room;
}

}  // namespace

std::string_view occupancy_limiter(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry) {
  const Room room = room_on(device, function, geometry);
  if (room.by_warps == room.fewest()) return "warps";
  if (room.by_registers == room.fewest()) return "registers";
  if (room.by_shared == room.fewest()) return "shared";
  return "blocks";
}

std::optional<double> possible_occupancy(const DeviceInfo& device, const FunctionFacts& function,
                                         const Geometry& geometry) {
  const std::int64_t warp = std::max(device.warp_size, 1);
  if (device.max_threads_per_sm < warp) return std::nullopt;
  const Room room = room_on(device, function, geometry);
  return static_cast<double>(room.fewest() * room.warps_per_block * warp) / device.max_threads_per_sm;
}

std::string why_refused(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry) {
  constexpr std::array<const char*, 3> kAxis{"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (geometry.grid[axis] == 0) return fmt::format("its grid has no blocks along {}", kAxis[axis]);
    if (geometry.block[axis] == 0) return fmt::format("its blocks have no threads along {}", kAxis[axis]);
    const std::uint32_t limit = axis == 0 ? 2147483647u : 65535u;
    if (geometry.grid[axis] > limit) {
      return fmt::format("its grid has {} blocks along {}, but the limit is {}", geometry.grid[axis], kAxis[axis],
                         limit);
    }
  }
  const std::uint64_t threads = threads_of(geometry);
  if (device.max_threads_per_block > 0 && threads > static_cast<std::uint64_t>(device.max_threads_per_block)) {
    return fmt::format("its block has {} threads, but the limit is {}", threads, device.max_threads_per_block);
  }
  if (geometry.block[2] > 64)
    return fmt::format("its block has {} threads along z, but the limit is 64", geometry.block[2]);
  const std::uint64_t warps = (threads + 31) / 32;
  const std::uint64_t per_warp = static_cast<std::uint64_t>(round_up(std::int64_t{function.registers} * 32, 256));
  if (device.registers_per_block > 0 && warps * per_warp > static_cast<std::uint64_t>(device.registers_per_block)) {
    return fmt::format("its block of {} threads needs {} registers each, {} in all, but a block may have {}", threads,
                       function.registers, warps * per_warp, device.registers_per_block);
  }
  if (function.max_threads_per_block > 0 && threads > static_cast<std::uint64_t>(function.max_threads_per_block)) {
    return fmt::format("its block has {} threads, but it was compiled for at most {} (__launch_bounds__)", threads,
                       function.max_threads_per_block);
  }
  const std::uint64_t shared = static_cast<std::uint64_t>(function.static_shared) + geometry.shared_bytes;
  if (device.max_shared_per_block > 0 && shared > static_cast<std::uint64_t>(device.max_shared_per_block)) {
    return fmt::format("its block needs {} bytes of shared memory ({} static, {} dynamic), but the limit is {}", shared,
                       function.static_shared, geometry.shared_bytes, device.max_shared_per_block);
  }
  return {};
}

}  // namespace tuner::engine
