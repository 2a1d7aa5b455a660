#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tuner {

/// What an instruction does, which on most GPUs is also the unit that does it. Persisted nowhere.
enum class Work : std::uint8_t {
  float32,     ///< FADD, FMUL, FFMA, comparisons
  float64,     ///< likewise; not what tensor units do
  half,        ///< 16-bit floating point; the compiler also loads constants with these
  integer,     ///< arithmetic, logic, moves, selections: also multiplication, which shares the unit of float32
  uniform,     ///< once for a warp
  special,     ///< MUFU: reciprocals, roots, exponentials, sines
  conversion,  ///< between number types
  tensor,
  constant,  ///< loads of constants and parameters
  global,    ///< loads, stores, copies to shared memory; generic addresses too, which the code does not tell apart
  shared,
  local,     ///< spills, and arrays that are indexed at run time
  atomic,    ///< of global or shared memory
  exchange,  ///< shuffles and what else goes across a warp
  control,   ///< branches, barriers, waiting
  other,
};
inline constexpr std::size_t kWorkKinds = 16;

/// "float32", "integer", …
std::string_view work_name(Work work);

/// One of the 16-byte instructions that NVIDIA's GPUs have since Volta. instruction.cpp says which bits mean what.
struct Instruction {
  std::uint64_t low = 0, high = 0;
  int architecture = 0;  ///< 90 for sm_90

  static constexpr int kBytes = 16;
  static constexpr int kNoCounter = 7;

  /// The operation without the form of its operands.
  unsigned operation() const { return static_cast<unsigned>(low & 0x1ff); }
  Work work() const;

  bool is_padding() const { return operation() == 0x118; }
  bool is_branch() const { return operation() == 0x147; }
  bool is_load() const { return operation() == 0x181; }  ///< from global memory to registers, by its address
  bool is_copy() const { return operation() == 0x1ae; }  ///< from global to shared memory
  bool ends_copy_group() const { return operation() == 0x1af; }
  bool awaits_copy_groups() const { return operation() == 0x11a; }
  bool is_local_load() const { return operation() == 0x183; }
  bool is_local_store() const { return operation() == 0x187; }
  bool is_shared_load() const { return operation() == 0x184; }
  bool is_shared_store() const { return operation() == 0x188; }
  bool is_shared_atomic() const { return operation() == 0x18c || operation() == 0x18d; }
  bool is_atomic() const;  ///< of shared memory too
  bool is_texture() const {
    return operation() >= 0x160 && operation() <= 0x170;
  }  ///< questions about them and surfaces too
  bool is_surface() const { return operation() >= 0x198 && operation() <= 0x1a0; }
  bool reads_clock() const;       ///< of the multiprocessor, or of the GPU
  bool takes_tensor_map() const;  ///< copies, reductions and prefetches of tiles
  bool converts_double() const { return operation() == 0x110; }

  /// Of a load or store: 0 to 3 for less than 32 bits, 32, 64, 128.
  std::size_t width() const;
  /// The copy groups that may still be under way after awaits_copy_groups().
  int groups_left() const { return static_cast<int>((low >> 38) & 0x3f); }
  /// Of six counters, the one that counts this instruction until its result is there; kNoCounter: none.
  int counter() const { return static_cast<int>((high >> 46) & 7); }
  /// The counters that must be zero before it runs, one bit each.
  unsigned awaited() const { return (high >> 52) & 0x3f; }
  /// Of a branch: bytes from the next instruction to the target.
  std::int64_t distance(bool low_bits_apart) const;
};

/// Empty for GPUs older than Volta, whose instructions are of another form.
std::vector<Instruction> instructions(std::span<const std::byte> code, int architecture);

}  // namespace tuner
