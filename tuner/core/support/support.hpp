#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner {

/// The device code that fills buffers, plants patterns and compares outputs (support.cu), as programs that have some of
/// its kernels each: compiled for the device by the session, side by side, and handed over in PrepareProblem. Needs no
/// headers, and `--fmad` does not matter to it.
std::vector<std::string> support_sources();

/// What a check on the device reports; support.cu has the same struct.
struct Finding {
  std::uint64_t count = 0;
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t worst = 0;
  std::uint64_t sum = 0;
};

/// The numbers by which support.cu knows types and generators.
int support_number(ElementType type);
int support_number(Generator::Kind kind);

/// What tuner_sort_step moves together: records of several arrays, whose first are compared first. Those without lanes
/// are none. support.cu has the same structs.
struct SortColumn {
  std::uint64_t data = 0;    ///< address
  std::uint64_t stride = 0;  ///< elements from one record to the next
  std::uint64_t lanes = 0;   ///< elements in a row of each
  int type = 0, size = 0;
};
inline constexpr std::size_t kMostColumns = 4;
struct SortColumns {
  SortColumn columns[kMostColumns];
};
SortColumn sort_column(std::uint64_t data, const BoundArgument& argument);

/// The `flip` of every step of tuner_sort_step, in order, that sorts so many records: about half the square of the
/// binary digits of `records` steps, each over all of them.
std::vector<std::uint64_t> sort_flips(std::uint64_t records);
/// All of these steps over memory of the host.
void put_in_order_on_host(SortColumns columns, std::uint64_t records);

/// Runs one kernel of the same text, compiled for the host, over memory of the host. `arguments` as for cuLaunchKernel.
/// False if there is no kernel of that name.
bool run_support_kernel_on_host(std::string_view name, void** arguments);

}  // namespace tuner
