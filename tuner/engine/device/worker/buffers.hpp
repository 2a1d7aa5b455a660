#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/device_support.hpp"
#include "tuner/engine/device/worker/guarded_buffer.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// Content that a kernel left unwritten shows: not-a-number in every real type, then a value that is neither that nor
/// small. They differ in every byte, so that no element can hold both by accident.
inline constexpr unsigned char kPoison[2] = {0xff, 0x7f};

/// One kernel argument on the device, with everything needed to check what a kernel does to it.
struct ArgumentState {
  BoundArgument argument;
  std::uint64_t position = 0;  ///< in the signature, from 0
  std::uint64_t elements = 0;
  std::uint64_t guard_seed = 0;
  /// All but scalars, values and constants; scratch without elements until a kernel says how many.
  std::optional<GuardedBuffer> buffer;
  std::optional<FencedBuffer> fenced;   ///< the same for checked launches, where the buffers have fences
  std::vector<std::byte> scalar;        ///< scalars and values: the bytes to pass
  DeviceMemory pristine;                ///< inout: the content before a launch; constant: what modules are given
  DeviceMemory reference;               ///< out, inout: what the reference wrote, or a file says that it is to write
  DeviceMemory unwritten_by_reference;  ///< out: one bit an element; excluded from comparison
  DeviceMemory unwritten;               ///< out: the same for the kernel being checked
  DeviceMemory spread;  ///< out, inout: a float an element, once Runner measured how exactly they are computed
  bool spread_proves_nothing = false;  ///< there is none: what computes nothing would be within it
  Finding left_unwritten;              ///< out: how many elements the reference leaves unwritten, and the first
  std::uint64_t counted = 0, behind_count = 0;  ///< unordered: how many there are, and are written behind them
  std::optional<std::uint64_t>
      reference_sum;            ///< out, inout: checksum of `reference`, once Runner::unproven() was asked
  std::uint64_t input_sum = 0;  ///< in: checksum of the content
  std::uint64_t kept_sum = 0;   ///< checksums of pristine, reference and mask together

  Placement place(Layout layout) const { return layout == Layout::plain ? buffer->place() : fenced->place(layout); }
  /// Memory that no kernel is given and none may change: what outputs are compared with and restored from.
  std::vector<std::pair<CUdeviceptr, std::uint64_t>> kept() const;
  bool is_output() const { return tuner::is_output(argument); }
  /// Elements of an output that candidates are compared in.
  std::uint64_t compared() const { return is_output() ? elements - left_unwritten.count : 0; }
  std::uint64_t element_bytes() const { return elements * size_of(argument.type); }
  std::uint64_t spread_bytes() const { return elements * sizeof(float); }
  std::uint64_t mask_bytes() const { return (elements + 31) / 32 * 4; }
};

/// Bytes of a scalar as the kernel takes it. Verdict says so if the value does not fit its type.
Verdict scalar_bytes(const BoundArgument& argument, std::vector<std::byte>& bytes);

/// All arguments of a prepared problem. Constants have no buffer: each module has an array of its own for them.
class Buffers {
 public:
  /// Allocates and fills everything but scratch. Throws CallFailed; a lack of memory is for the caller to name. Data
  /// files are read whenever inputs are filled: Error{file_not_found} if one is not what it was.
  Buffers(std::span<const BoundArgument> arguments, std::uint64_t seed, DeviceSupport& support, WorkStream& stream);

  std::vector<ArgumentState>& arguments() { return arguments_; }
  std::uint64_t seed() const { return seed_; }
  /// Whether another seed gives other inputs.
  bool depends_on_seed() const;
  /// One for each argument; 0 for scalars, values and constants.
  std::vector<CUdeviceptr> addresses(Layout layout) const;

  /// Not ok, with the reason, if a scalar does not fit its type.
  Verdict set_scalars();
  /// Gives every buffer its fenced twin. The reason, one sentence, if that cannot be; then there are none. An eighth of
  /// the device's memory stays free for scratch and copies.
  std::string raise_fences();
  /// Whether there are fences, and room within them for the scratch of the present kernel.
  bool fenced() const { return fenced_ && scratch_fenced_; }

  /// Writes all inputs anew, from this seed, and notes their checksums.
  void fill_inputs(std::uint64_t seed);
  /// The same for the plain layout alone, after a kernel has changed them.
  void repair_inputs();
  /// Gives the scratch buffers these lengths and plants their guards anew. Throws CallFailed.
  Verdict resize_scratch(std::span<const std::uint64_t> lengths);
  /// Before a checked launch: poisons outputs and scratch, restores in/out buffers, plants the guards inside fences.
  void poison(unsigned char value, Layout layout);
  /// Before a timed launch: in/out buffers get their content back.
  void restore(Layout layout = Layout::plain);
  bool restores_anything() const { return restores_; }
  void plant_guards(const ArgumentState& state, Layout layout = Layout::plain);

 private:
  void fill(CUdeviceptr memory, const ArgumentState& state);
  void upload(CUdeviceptr memory, const DataFile& file);
  void fill_fenced_inputs();
  void fence_scratch(ArgumentState& state, std::uint64_t bytes);

  DeviceSupport& support_;
  WorkStream& stream_;
  std::uint64_t seed_;
  bool restores_ = false;
  bool fenced_ = false;
  bool scratch_fenced_ = true;
  std::vector<ArgumentState> arguments_;
};

/// Alignment of a buffer that is timed: at least what every allocation has.
std::uint64_t plain_alignment(const BoundArgument& argument);

}  // namespace tuner::engine
