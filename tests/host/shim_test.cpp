#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tuner/host/shim/cuda_shim.hpp"
#include "tuner/host/shim/memory.hpp"

using namespace tuner::host;

namespace {

constexpr std::array kSchedules = {Schedule::forward, Schedule::reverse, Schedule::shuffled};

Launch threads(unsigned count, Schedule schedule = Schedule::forward) {
  return {.block = {count, 1, 1}, .schedule = schedule};
}

std::string fault_of(const Launch& how, const std::function<void()>& kernel) {
  try {
    launch(how, kernel);
  } catch (const Fault& fault) {
    return fault.sentence;
  }
  return "";
}

}  // namespace

TEST_CASE("every thread of every block runs once and knows its place") {
  for (Schedule schedule : kSchedules) {
    const Launch how{.grid = {2, 3, 2}, .block = {4, 2, 3}, .schedule = schedule};
    std::vector<int> runs(2 * 3 * 2 * 4 * 2 * 3);
    launch(how, [&] {
      const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
      const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
      ++runs.at(block * 24 + thread);
    });
    CHECK_EQ(runs, std::vector<int>(runs.size(), 1));
  }
}

TEST_CASE("a thread's index and variables survive the turns of other threads") {
  for (Schedule schedule : kSchedules) {
    std::vector<unsigned> seen(96);
    launch(threads(96, schedule), [&] {
      const unsigned before = threadIdx.x;
      for (int i = 0; i < 3; ++i) __syncthreads();
      seen[threadIdx.x] = before;
    });
    std::vector<unsigned> expected(96);
    std::iota(expected.begin(), expected.end(), 0u);
    CHECK_EQ(seen, expected);
  }
}

TEST_CASE("after a barrier every thread sees what the others wrote before it") {
  for (Schedule schedule : kSchedules) {
    Launch how = threads(100, schedule);
    how.shared_bytes = 100 * sizeof(int);
    std::vector<int> seen(100);
    launch(how, [&] {
      int* words = static_cast<int*>(dynamic_shared());
      words[threadIdx.x] = static_cast<int>(threadIdx.x);
      __syncthreads();
      seen[threadIdx.x] = words[99 - threadIdx.x];
    });
    for (int i = 0; i < 100; ++i) CHECK_EQ(seen[i], 99 - i);
  }
}

TEST_CASE("dynamic shared memory starts every block as garbage") {
  Launch how = threads(1);
  how.grid.x = 2;
  how.shared_bytes = sizeof(unsigned);
  launch(how, [] {
    unsigned* word = static_cast<unsigned*>(dynamic_shared());
    CHECK_EQ(*word, 0xffffffffu);
    *word = 0;
  });
}

TEST_CASE("shuffles move values between lanes as on a GPU") {
  for (Schedule schedule : kSchedules) {
    std::vector<std::array<int, 6>> got(64);
    launch(threads(64, schedule), [&] {
      const int own = static_cast<int>(threadIdx.x);
      const unsigned all = 0xffffffffu;
      got[threadIdx.x] = {__shfl_sync(all, own, 5),     __shfl_up_sync(all, own, 3),      __shfl_down_sync(all, own, 3),
                          __shfl_xor_sync(all, own, 9), __shfl_down_sync(all, own, 3, 8), __shfl_sync(all, own, 1, 8)};
    });
    for (int i = 0; i < 64; ++i) {
      const int warp = i / 32 * 32, lane = i % 32, part = i / 8 * 8;
      const std::array<int, 6> expected = {warp + 5,          lane < 3 ? i : i - 3,      lane + 3 > 31 ? i : i + 3,
                                           warp + (lane ^ 9), i % 8 + 3 > 7 ? i : i + 3, part + 1};
      CHECK_EQ(got[i], expected);
    }
  }
}

TEST_CASE("a warp that is not full and a mask that is not full meet among the lanes there are") {
  std::vector<int> got(40, -1);
  launch(threads(40), [&] {
    const int own = static_cast<int>(threadIdx.x);
    if (threadIdx.x >= 32)
      got[threadIdx.x] = __shfl_xor_sync(0xffffffffu, own, 1);
    else if (threadIdx.x % 2 == 0)
      got[threadIdx.x] = __shfl_xor_sync(0x55555555u, own, 2);
    __syncwarp();
  });
  for (int i = 0; i < 40; ++i) CHECK_EQ(got[i], i >= 32 ? i ^ 1 : i % 2 == 0 ? i ^ 2 : -1);
}

TEST_CASE("lanes that ask together which of them are there can meet, whatever the others do") {
  for (Schedule schedule : kSchedules) {
    std::vector<unsigned> seen(40), same(40);
    launch(threads(40, schedule), [&] {
      const unsigned number = threadIdx.x;
      if (number % 4 == 3) return;
      if (number % 2 == 0) {
        seen[number] = __activemask();
        same[number] = __match_any_sync(seen[number], number % 4);
      } else {
        seen[number] = __activemask();
      }
    });
    CHECK_EQ(seen[0], 0x55555555u);
    CHECK_EQ(same[0], 0x11111111u);
    CHECK_EQ(same[2], 0x44444444u);
    CHECK_EQ(seen[1], 0x22222222u);
    CHECK_EQ(seen[32], 0x55u);
  }
}

TEST_CASE("an asynchronous copy arrives when its group is waited for and not before") {
  const std::array<double, 3> source = {1, 2, 3};
  std::array<double, 3> target{};
  launch(threads(1), [&] {
    for (int i = 0; i < 3; ++i) {
      copy_async(&target[i], &source[i], 8);
      commit_copies();
    }
    for (int arrived = 0; arrived <= 3; ++arrived) {
      if (arrived == 1) wait_prior(2);
      if (arrived == 2) wait_prior(1);
      if (arrived == 3) wait_prior(0);
      for (int i = 0; i < 3; ++i) {
        CHECK_EQ(copy_under_way(&target[i]), i >= arrived);
        CHECK_EQ(__asan_region_is_poisoned(&target[i], 8) != nullptr, i >= arrived);  // nobody may look there
        if (i < arrived) CHECK_EQ(target[i], i + 1);
      }
    }
  });
}

TEST_CASE("a copy that was never committed is not covered by any wait, and none is left for the next launch") {
  const double source = 1;
  double target = 0;
  launch(threads(1), [&] {
    copy_async(&target, &source, 8);
    wait_prior(0);
  });
  launch(threads(1), [&] {
    commit_copies();
    wait_prior(0);
  });
  CHECK_EQ(target, 0);
}

TEST_CASE("a misaligned asynchronous copy is a fault that names block and thread") {
  alignas(16) std::array<char, 32> bytes{};
  const std::string fault = fault_of(threads(1), [&] { copy_async(&bytes[16], &bytes[4], 8); });
  CHECK_EQ(fault, "An asynchronous copy of 8 bytes has a misaligned source (block 0,0,0, thread 0)");
}

TEST_CASE(
    "threads that wait at two barriers, or for a thread that has finished, are a fault, and the next launch works") {
  for (Schedule schedule : kSchedules) {
    const std::string two = fault_of(threads(64, schedule), [] {
      if (threadIdx.x < 32) {
        __syncthreads();
      } else {
        __syncthreads();
      }
    });
    CHECK_MESSAGE(two.find("32 (first: thread 32) wait at __syncthreads") != std::string::npos, two);
    const std::string finished = fault_of(threads(64, schedule), [] {
      if (threadIdx.x != 7) __syncthreads();
    });
    CHECK_MESSAGE(finished.find("1 (first: thread 7) have finished") != std::string::npos, finished);
    const std::string lanes = fault_of(threads(32, schedule), [] {
      if (threadIdx.x != 7) __syncwarp();
    });
    CHECK_MESSAGE(lanes.find("31 (first: thread 0) wait for lanes of their warp") != std::string::npos, lanes);
    CHECK_EQ(fault_of(threads(64, schedule), [] { __syncthreads(); }), "");
  }
}

TEST_CASE("the shuffled schedule is another one for another seed and the same for the same") {
  const auto order = [](std::uint64_t seed) {
    Launch how = threads(32, Schedule::shuffled);
    how.seed = seed;
    std::vector<unsigned> turns;
    launch(how, [&] { turns.push_back(threadIdx.x); });
    return turns;
  };
  CHECK_EQ(order(1), order(1));
  CHECK_NE(order(1), order(2));
}
