#pragma once

#include <array>
#include <string_view>

namespace tuner::host {

/// A mistake planted in prefetch.cu, to prove that the tests on the CPU would find it. `right` stands in the kernel's
/// text exactly once.
struct SeededBug {
  std::string_view name;
  std::string_view configuration;
  std::string_view problem;
  std::string_view right, wrong;
};

inline constexpr std::array<SeededBug, 9> kSeededBugs = {{
    {"commit only where a copy was started", "STRATEGY=shared_rolling_async,BLOCKDIMX=64,PDIST=4",
     "rows=1,row_length=640",
     "if (row.holds(position)) tuner::copy_async<8>(slot_of_thread(slot), row.values + position);\n  "
     "tuner::commit_copies();",
     "if (row.holds(position)) {\n    tuner::copy_async<8>(slot_of_thread(slot), row.values + position); "
     "tuner::commit_copies(); }"},
    {"wait for one group too few", "STRATEGY=shared_rolling_async,BLOCKDIMX=64,PDIST=4", "rows=1,row_length=640",
     "tuner::wait_prior<PDIST - 1>();", "tuner::wait_prior<PDIST>();"},
    {"no wait", "STRATEGY=shared_rolling_async,BLOCKDIMX=64,PDIST=4", "rows=1,row_length=640",
     "tuner::wait_prior<PDIST - 1>();", ""},
    {"no barrier in the reduction", "", "rows=2,row_length=1000", "= of_warp;\n  __syncthreads();", "= of_warp;\n"},
    {"a barrier that some threads do not reach", "", "rows=1,row_length=1000,sync_in_loop=1",
     "return sync_in_loop ? length + static_cast<int>(threadIdx.x) : length;", "return length;"},
    {"a read past the end of the input", "STRATEGY=register_rolling,PDIST=4,REGISTER_FORM=unrolled_slot",
     "rows=1,row_length=1000", "return holds(position) ? values[position] : 0.0;", "return values[position];"},
    {"a prefetch past the end of the input", "STRATEGY=l2_prefetch,PDIST=4", "rows=1,row_length=1000",
     "if (row.holds(ahead)) ", ""},
    {"a slot past the end of dynamic shared memory", "STRATEGY=shared_rolling,PDIST=4,PADDING=1",
     "rows=1,row_length=1000", "threadIdx.x * (PDIST + PADDING) + slot", "threadIdx.x * (PDIST + PADDING) + slot + 2"},
    {"static shared memory one word short", "", "rows=1,row_length=1000", "sum_of_warp[warps];",
     "sum_of_warp[warps - 1];"},
}};

}  // namespace tuner::host
