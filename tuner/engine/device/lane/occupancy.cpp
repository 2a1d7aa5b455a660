#include "tuner/engine/device/lane/occupancy.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "tuner/core/occupancy/occupancy.hpp"

namespace tuner::engine {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t threads_of(const Geometry& geometry) {
  return std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
}

}  // namespace

std::string_view occupancy_limiter(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry) {
  const auto resident = residency(device, block_needs(function.registers, function.static_shared, geometry));
  return resident ? resource_name(resident->limiter) : std::string_view{};
}

std::optional<double> possible_occupancy(const DeviceInfo& device, const FunctionFacts& function,
                                         const Geometry& geometry) {
  const auto resident = residency(device, block_needs(function.registers, function.static_shared, geometry));
  return resident ? std::optional(resident->occupancy) : std::nullopt;
}

std::string why_refused(const DeviceInfo& device, const FunctionFacts& function, const Geometry& geometry) {
  constexpr std::array<const char*, 3> kAxis{"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (geometry.grid[axis] == 0) return fmt::format("its grid has no blocks along {}", kAxis[axis]);
    if (geometry.block[axis] == 0) return fmt::format("its blocks have no threads along {}", kAxis[axis]);
    if (geometry.grid[axis] > kMostBlocks[axis]) {
      return fmt::format("its grid has {} blocks along {}, but the limit is {}", geometry.grid[axis], kAxis[axis],
                         kMostBlocks[axis]);
    }
  }
  const std::uint64_t threads = threads_of(geometry);
  if (device.max_threads_per_block > 0 && threads > static_cast<std::uint64_t>(device.max_threads_per_block)) {
    return fmt::format("its block has {} threads, but the limit is {}", threads, device.max_threads_per_block);
  }
  if (geometry.block[2] > kMostThreadsAlongZ) {
    return fmt::format("its block has {} threads along z, but the limit is {}", geometry.block[2], kMostThreadsAlongZ);
  }
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
