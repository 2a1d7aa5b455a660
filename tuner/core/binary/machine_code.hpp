#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "tuner/core/binary/instruction.hpp"

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

/// What a stretch of machine code consists of. Counts are instructions in the code, whichever of them are executed.
struct CodeCounts {
  int instructions = 0;  ///< without padding
  std::array<int, kWorkKinds> by_work{};
  int local_loads = 0, local_stores = 0;
  GlobalLoads::ByWidth shared_loads{}, shared_stores{};  ///< by width, as above; loads of matrices are not among them
  int global_atomics = 0, shared_atomics = 0;
  int double_conversions = 0;  ///< between float and double, as a double literal among floats needs them

  int of(Work work) const { return by_work[static_cast<std::size_t>(work)]; }
};

/// What a thread has asked global memory for and not yet waited for, where that is most: in the innermost loops that
/// have loads of the greatest width, or anywhere if none has.
struct UnderWay {
  int loads = 0;
  int bytes = 0;
  bool in_loop = false;  ///< while an innermost loop turns; else in the code from its beginning, as if nothing branched
};

struct MachineCode {
  CodeCounts all;
  std::optional<CodeCounts> loop;  ///< the innermost loop with the most instructions; nothing if there is none
  GlobalLoads loads;
  UnderWay under_way;
};

/// Of the kernel of that name in a cubin; nothing if it is not there or was made for a GPU older than Volta, whose
/// instructions are of another form.
std::optional<GlobalLoads> global_loads(std::span<const std::byte> cubin, std::string_view lowered_name);

/// The same with all that is read from the code. Functions that are not inlined belong to their kernel only where the
/// compiler put them there.
std::optional<MachineCode> machine_code(std::span<const std::byte> cubin, std::string_view lowered_name);

}  // namespace tuner
