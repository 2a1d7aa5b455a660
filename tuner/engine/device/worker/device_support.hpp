#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/core/support/support.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"

namespace tuner::engine {

/// The kernels of support.cu, loaded on the device. Everything is queued on the stream; findings are numbered from 0 in
/// the order asked for and read together.
class DeviceSupport {
 public:
  /// `cubins` have the kernels between them. Throws CallFailed if one does not fit the device.
  DeviceSupport(std::span<const std::vector<std::byte>> cubins, WorkStream& stream);

  void fill(CUdeviceptr data, const BoundArgument& argument, std::uint64_t elements, std::uint64_t position,
            std::uint64_t seed);
  void plant(CUdeviceptr allocation, std::uint64_t begin, std::uint64_t end, std::uint64_t seed);

  std::size_t check_planted(CUdeviceptr allocation, std::uint64_t begin, std::uint64_t end, std::uint64_t seed);
  std::size_t checksum(CUdeviceptr data, std::uint64_t bytes);
  /// Of the bits of all elements but those of `excluded`, which has one bit an element or is null.
  std::size_t checksum_elements(CUdeviceptr data, std::uint64_t elements, ElementType type, CUdeviceptr excluded);
  /// `mask` has one bit an element; with `narrow_down` it keeps the bits of the previous run that are still true.
  std::size_t find_unwritten(CUdeviceptr data, std::uint64_t elements, ElementType type, unsigned char poison,
                             bool narrow_down, CUdeviceptr mask, CUdeviceptr excluded);
  /// Elements that `by_reference` has a bit for and `unwritten` has not.
  std::size_t find_overwritten(CUdeviceptr unwritten, CUdeviceptr by_reference, std::uint64_t elements);
  /// `spread`, which may be null, widens the tolerance where that is the default one: see spread.hpp. `sum` counts
  /// elements that differ by more than looks like rounding.
  std::size_t compare(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements, const BoundArgument& argument,
                      CUdeviceptr excluded, CUdeviceptr spread = 0);
  /// The same with one element of `expected` for each lane, which all elements are compared with; `sum` counts those of
  /// `found` that are not numbers, too.
  std::size_t compare_with_one(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements,
                               const BoundArgument& argument, CUdeviceptr excluded, CUdeviceptr spread = 0);

  /// Puts so many records in order.
  void put_in_order(const SortColumns& columns, std::uint64_t records);
  /// The same of elements, all lanes of each.
  void put_in_order(CUdeviceptr data, std::uint64_t elements, const BoundArgument& argument);
  /// Raises each float of `spread` to |found - expected|, where that is finite.
  void widen_spread(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements, const BoundArgument& argument,
                    CUdeviceptr excluded, CUdeviceptr spread);
  /// Sets to zero what moves by more than a part of the size of its neighbours. `count` is the number of floats that
  /// are not zero then.
  std::size_t drop_spread(CUdeviceptr spread, CUdeviceptr reference, std::uint64_t elements,
                          const BoundArgument& argument);
  enum class Kind { zero, whole };
  /// `sum` is the number of elements of this kind, `count` that of those whose spread is zero.
  std::size_t count_kind(CUdeviceptr spread, CUdeviceptr reference, std::uint64_t elements,
                         const BoundArgument& argument, Kind kind);
  /// Raises each to a part of what its neighbours have, or of their size where too few of them move but `some_move`
  /// elsewhere; zeros and whole numbers that never moved stay exact, where that is said. Then lowers it to what
  /// neighbours differ by.
  void level_spread(CUdeviceptr spread, CUdeviceptr reference, std::uint64_t elements, const BoundArgument& argument,
                    bool some_move, bool zero_is_exact, bool whole_is_exact);

  /// Waits for the checks asked for since the last call and returns what they found, in that order.
  std::vector<Finding> findings();

 private:
  template <typename... Arguments>
  void launch(CUfunction function, std::uint64_t items, Arguments... arguments);
  /// Launches a kernel that has a finding as its last argument: its number.
  template <typename... Arguments>
  std::size_t ask(CUfunction function, std::uint64_t items, Arguments... arguments);
  std::size_t compare_in_periods(CUdeviceptr found, CUdeviceptr expected, std::uint64_t elements, std::uint64_t period,
                                 const BoundArgument& argument, CUdeviceptr excluded, CUdeviceptr spread);
  CUdeviceptr next_finding(std::size_t number) const;
  std::size_t new_finding();

  WorkStream& stream_;
  std::vector<Module> modules_;
  CUfunction fill_, sort_step_, plant_, check_planted_, checksum_, checksum_elements_, find_unwritten_,
      find_overwritten_, compare_, widen_spread_, drop_spread_, count_kind_, level_spread_;
  DeviceMemory findings_;
  std::size_t used_ = 0;
};

/// Checks that may be asked for between two calls of findings().
inline constexpr std::size_t kMaxFindings = 4096;

}  // namespace tuner::engine
