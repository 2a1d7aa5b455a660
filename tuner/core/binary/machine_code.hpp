#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tuner {

/// How a kernel's machine code reads global memory. Counts are instructions in the code, not executions.
struct GlobalLoads {
  /// By width: less than 32 bits, 32, 64, 128. The last are what a thread can get at once.
  using ByWidth = std::array<int, 4>;
  ByWidth to_registers{};
  ByWidth to_shared{};  ///< asynchronous copies into shared memory (cp.async)

  /// How often a warp waits for data that it asked for only after the wait before: in one turn of the innermost loop
  /// with the most loads, the unrolled body if it is unrolled. So many latencies of memory are exposed. Nothing where
  /// there is no such loop, or its branches are not understood.
  std::optional<int> waits_in_loop;

  /// 32, 64 or 128; 16 for anything narrower, 0 if there are none.
  int widest_bits() const;
};

/// Of the kernel of that name in a cubin; nothing if it is not there or was made for a GPU older than Volta, whose
/// instructions are of another form.
std::optional<GlobalLoads> global_loads(std::span<const std::byte> cubin, std::string_view lowered_name);

}  // namespace tuner
