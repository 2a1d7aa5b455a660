// Scratch memory that the library provides.
#include <array>
#include <barrier>
#include <future>
#include <list>
#include <thread>

#include "tests/runtime/partial_sums.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

CUdeviceptr partials_of(const fake::Launch& launch) {
  return argument<CUdeviceptr>(launch, 2);
}
CUdeviceptr flags_of(const fake::Launch& launch) {
  return argument<CUdeviceptr>(launch, 3);
}

std::vector<std::string> calls(const std::vector<fake::Launch>& launches) {
  std::vector<std::string> names;
  for (const fake::Launch& launch : launches) names.push_back(launch.kernel);
  return names;
}

/// Launches once and returns where its partial sums are.
CUdeviceptr launch_once(const Instance& instance, CUstream stream) {
  inspector().take_launches();
  const LaunchStatus status = launch_sum(instance, stream);
  REQUIRE_MESSAGE(status, status.message);
  return partials_of(inspector().take_launches().back());
}

}  // namespace

TEST_CASE_FIXTURE(TunedSums<8>,
                  "scratch of the library is as long and as aligned as described, and the same for the next launch") {
  REQUIRE(instance.rung() == Rung::exact);
  inspector().take_launches();
  REQUIRE(launch_sum(instance, stream.get()));
  REQUIRE(launch_sum(instance, stream.get()));
  const auto launches = inspector().take_launches();
  REQUIRE(calls(launches) == std::vector<std::string>{"allocate", "sum", "sum"});
  const CUdeviceptr memory = argument<CUdeviceptr>(launches[0], 0);
  const std::uint64_t bytes = argument<std::size_t>(launches[0], 1);
  CHECK(launches[0].stream == stream.get());
  for (const fake::Launch& launch : {launches[1], launches[2]}) {
    CHECK(partials_of(launch) >= memory);
    CHECK(partials_of(launch) % 256 == 0);
    CHECK(flags_of(launch) % 1024 == 0);
    CHECK(flags_of(launch) >= partials_of(launch) + partials_bytes(8));
    CHECK(flags_of(launch) + 16 <= memory + bytes);
    CHECK(argument<float*>(launch, 1) == kSumY);
    CHECK(argument<int>(launch, 4) == 1000);
  }
  CHECK(partials_of(launches[1]) == partials_of(launches[2]));
}

TEST_CASE_FIXTURE(TunedSums<1>,
                  "a winner that needs more scratch than what it takes over from does not write past it") {
  const Instance& small = winner(1);
  const Instance& large = winner(8);
  inspector().take_launches();
  CHECK(launch_sum(instance, stream.get()));
  swap_to(instance, large);
  CHECK(launch_sum(instance, stream.get()));
  swap_to(instance, small);
  CHECK(launch_sum(instance, stream.get()));
  const auto launches = inspector().take_launches();
  // The old memory is freed behind the launch that uses it, on its stream.
  REQUIRE(calls(launches) == std::vector<std::string>{"allocate", "sum", "free", "allocate", "sum", "sum"});
  for (const fake::Launch& launch : launches) CHECK(launch.stream == stream.get());
  CHECK(argument<CUdeviceptr>(launches[2], 0) == argument<CUdeviceptr>(launches[0], 0));
  CHECK(launches[4].grid[0] == 8);
  CHECK(argument<std::size_t>(launches[3], 1) >= partials_bytes(8));
}

TEST_CASE_FIXTURE(PartialSums, "launches on two streams do not share scratch, and two kernels on one stream do") {
  const Instance& one = winner(1);
  const Instance& other = winner(1);
  OwnStream first, second;
  const CUdeviceptr in_first = launch_once(one, first.get());
  CHECK(launch_once(one, second.get()) != in_first);
  CHECK(launch_once(one, nullptr) != in_first);
  CHECK(launch_once(other, first.get()) == in_first);
  CHECK(launch_once(one, CU_STREAM_LEGACY) == launch_once(one, nullptr));
}

TEST_CASE_FIXTURE(TunedSums<1>,
                  "a stream at the handle of a destroyed one does not get memory that the old one may still use") {
  CUstream handle = nullptr;
  CUdeviceptr before = 0;
  {
    const OwnStream first;
    handle = first.get();
    before = launch_once(instance, handle);
  }
  const OwnStream second;
  REQUIRE(second.get() == handle);
  CHECK(launch_once(instance, handle) != before);
}

TEST_CASE_FIXTURE(PartialSums, "the default streams of two contexts, which look the same, do not share scratch") {
  const Instance& here = winner(1);
  const CUdeviceptr memory = launch_once(here, nullptr);
  OwnContext other;
  const Instance& there = winner(1);
  REQUIRE(&there != &here);
  inspector().take_launches();
  CHECK(launch_once(there, nullptr) != memory);
}

TEST_CASE_FIXTURE(TunedSums<1>, "threads that name their own default streams by one handle do not share scratch") {
  const CUdeviceptr mine = launch_once(instance, CU_STREAM_PER_THREAD);
  std::thread([&] {
    make_current(context.get());
    CHECK(launch_once(instance, CU_STREAM_PER_THREAD) != mine);
  }).join();
  CHECK(launch_once(instance, CU_STREAM_PER_THREAD) == mine);
}

TEST_CASE_FIXTURE(TunedSums<1>, "a launch in another context than the instance's takes no memory from there") {
  OwnContext other;
  inspector().take_launches();
  const LaunchStatus status = launch_sum(instance, nullptr);
  CHECK(status.code == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(contains(std::string(status.message), "the context in which its instance was requested is not current"));
  CHECK(inspector().take_launches().empty());
}

TEST_CASE("a captured launch has memory that no other launch uses, in every mode of capture") {
  for (const CUstreamCaptureMode mode : kCaptureModes) {
    PartialSums sums;
    const Instance& instance = sums.winner(1);
    const Instance& large = sums.winner(8);
    OwnStream stream, busy;
    const CUdeviceptr eager = launch_once(instance, stream.get());
    stream.begin_capture(mode);
    CHECK(launch_sum(instance, stream.get()));
    CHECK(launch_sum(instance, stream.get()));
    // Another stream's memory may grow meanwhile.
    PartialSums::swap_to(instance, large);
    const CUdeviceptr beside = launch_once(instance, busy.get());
    const CUgraph graph = stream.end_capture();
    REQUIRE(graph != nullptr);
    inspector().take_launches();
    REQUIRE(inspector().replay(graph) == CUDA_SUCCESS);
    const auto launches = inspector().take_launches();
    REQUIRE(calls(launches) == std::vector<std::string>{"sum", "sum"});
    const CUdeviceptr first = partials_of(launches[0]), second = partials_of(launches[1]);
    CHECK(first != second);
    for (const CUdeviceptr captured : {first, second}) {
      CHECK(captured != eager);
      CHECK(captured != beside);
      CHECK(captured != launch_once(instance, stream.get()));
    }
  }
}

TEST_CASE_FIXTURE(Machine, "what a Runtime gave for scratch is freed when it ends, and not before") {
  OwnContext context;
  const std::size_t before = inspector().allocated_bytes();
  {
    Runtime runtime(options());
    tuned(stored_sum(8));
    const Instance& instance = runtime.kernel(Description::from_text(kSum)).request({1000});
    OwnStream stream;
    CHECK(launch_sum(instance, stream.get()));
    stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
    CHECK(launch_sum(instance, stream.get()));
    CHECK(stream.end_capture() != nullptr);
    CHECK(inspector().allocated_bytes() >= before + 2 * partials_bytes(8));
  }
  CHECK(inspector().allocated_bytes() == before);
}

TEST_CASE_FIXTURE(TunedSums<1>, "a captured launch that the driver refuses keeps no memory") {
  detail::LaunchPlan impossible = detail::InstanceState::of(instance).plan();
  impossible.geometry.block = {2048, 1, 1};
  detail::InstanceState::of(instance).publish(impossible);
  stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  const std::size_t before = inspector().allocated_bytes();
  CHECK(launch_sum(instance, stream.get()).code == CUDA_ERROR_INVALID_VALUE);
  CHECK(inspector().allocated_bytes() == before);
  CHECK(stream.end_capture() != nullptr);
}

TEST_CASE_FIXTURE(
    TunedSums<1>,
    "where there is no memory for scratch the launch fails with the driver's code, and the next one may succeed") {
  const Instance& large = winner(64);
  OwnStream captured;
  CHECK(launch_sum(instance, stream.get()));
  swap_to(instance, large);
  captured.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  inspector().fail_to_allocate(CUDA_ERROR_OUT_OF_MEMORY);
  inspector().take_launches();
  for (const CUstream each : {stream.get(), captured.get(), stream.get()}) {
    const LaunchStatus status = launch_sum(instance, each);
    CHECK(status.code == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(contains(std::string(status.message), "`sum` was not launched, because the "));
    CHECK(contains(std::string(status.message), "bytes of scratch memory that it needs could not be allocated"));
  }
  for (const fake::Launch& launch : inspector().take_launches()) CHECK(launch.kernel != "sum");
  inspector().fail_to_allocate(CUDA_SUCCESS);
  CHECK(launch_sum(instance, stream.get()));
  CHECK(launch_sum(instance, captured.get()));
  CHECK(captured.end_capture() != nullptr);
  CHECK(machine.heard(Notice::Kind::launch).size() == 1);
}

TEST_CASE("a fallback gets a null pointer for scratch") {
  std::vector<const void*> seen;
  const auto look = [&](Stream, std::span<void* const> arguments) {
    for (const std::size_t i : {2u, 3u}) seen.push_back(*static_cast<void* const*>(arguments[i]));
    return *static_cast<float* const*>(arguments[1]) == kSumY ? 0 : 1;
  };
  PartialSums sums({.fallback = look});
  const Instance& instance = sums.kernel.request({1000});
  REQUIRE(instance.rung() == Rung::fallback);
  CHECK(launch_sum(instance, nullptr));
  CHECK(instance.launch(nullptr, kSumX, Buffer{kSumY, 0}, scratch, scratch, 1000));
  const float* x = kSumX;
  float* y = kSumY;
  int n = 1000;
  const std::array<void*, 5> untyped{&x, &y, nullptr, nullptr, &n};
  CHECK(instance.launch_untyped(nullptr, untyped));
  CHECK(seen == std::vector<const void*>(6, nullptr));
}

TEST_CASE("where a device has no memory pools, scratch grows when the stream's work is done") {
  inspector().have_pools(false);
  PartialSums sums;
  const Instance& large = sums.winner(8);
  const Instance& instance = sums.winner(1);
  OwnStream stream;
  const std::size_t before = inspector().allocated_bytes();
  CHECK(launch_sum(instance, stream.get()));
  CHECK(inspector().allocated_bytes() >= before + partials_bytes(1));
  PartialSums::swap_to(instance, large);
  CHECK(launch_sum(instance, stream.get()));
  CHECK(inspector().allocated_bytes() >= before + partials_bytes(8));
  CHECK(inspector().allocated_bytes() < before + partials_bytes(9) + 2048);
  inspector().have_pools(true);
}

TEST_CASE_FIXTURE(TunedSums<8>,
                  "a program that makes a stream for every launch does not fill the device with scratch") {
  const std::size_t before = inspector().allocated_bytes();
  for (int i = 0; i < 500; ++i) {
    const OwnStream passing;
    REQUIRE(launch_sum(instance, passing.get()));
  }
  CHECK(inspector().allocated_bytes() - before < 40 * (partials_bytes(8) + 4096));
}

TEST_CASE_FIXTURE(TunedSums<1>,
                  "scratch of a stream whose work is not done is not given to another one, however many there are") {
  inspector().keep_busy(true);
  std::vector<CUdeviceptr> all;
  for (int i = 0; i < 100; ++i) {
    const OwnStream passing;
    all.push_back(launch_once(instance, passing.get()));
  }
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  inspector().keep_busy(false);
}

TEST_CASE_FIXTURE(
    TunedSums<1>,
    "a launch of another thread that needs more cannot free the memory of one that is about to be queued") {
  const Instance& large = winner(8);
  REQUIRE(launch_sum(instance, stream.get()));
  inspector().take_launches();
  std::promise<void> done;
  std::thread other;
  inspector().before_next_launch([&] {
    other = std::thread([&] {
      make_current(context.get());
      CHECK(launch_sum(large, stream.get()));
      done.set_value();
    });
    // It waits for this launch, so this cannot wait for it for long.
    CHECK(done.get_future().wait_for(std::chrono::milliseconds(100)) == std::future_status::timeout);
  });
  CHECK(launch_sum(instance, stream.get()));
  other.join();
  CHECK(calls(inspector().take_launches()) == std::vector<std::string>{"sum", "free", "allocate", "sum"});
}

TEST_CASE_FIXTURE(TunedSums<1>,
                  "a winner that takes over while memory is allocated for a launch does not take that launch over") {
  const Instance& large = winner(64);
  inspector().take_launches();
  inspector().before_next_allocation([&] { swap_to(instance, large); });
  CHECK(launch_sum(instance, stream.get()));
  const auto launches = inspector().take_launches();
  REQUIRE(calls(launches) == std::vector<std::string>{"allocate", "sum"});
  CHECK(launches[1].grid[0] == 1);
  CHECK(instance.value<int>("SPLIT") == 64);
}

TEST_CASE_FIXTURE(TunedSums<1>,
                  "memory that grew for a launch that failed is not given to a stream that does not wait for it") {
  const Instance& small = winner(1);
  const Instance& large = winner(8);
  std::list<OwnStream> streams;
  const auto next_stream = [&] { return streams.emplace_back().get(); };
  for (int i = 0; i < 33; ++i) REQUIRE(launch_sum(instance, next_stream()));  // the last one's is marked as done
  detail::LaunchPlan impossible = detail::InstanceState::of(large).plan();
  impossible.geometry.block = {2048, 1, 1};
  detail::InstanceState::of(instance).publish(impossible);
  inspector().take_launches();
  CHECK_FALSE(launch_sum(instance, next_stream()));
  const auto grown = inspector().take_launches();
  REQUIRE(calls(grown) == std::vector<std::string>{"free", "allocate"});
  swap_to(instance, small);
  const CUdeviceptr next = launch_once(instance, next_stream()), memory = argument<CUdeviceptr>(grown[1], 0);
  CHECK((next < memory || next >= memory + argument<std::size_t>(grown[1], 1)));
}

TEST_CASE("threads that launch on one stream while winners take over never get memory that is too short or freed") {
  constexpr int kThreads = 4, kLaunches = 60;
  PartialSums sums;
  const std::array winners{&sums.winner(1), &sums.winner(8), &sums.winner(64)};
  const Instance& instance = sums.winner(1);
  for (int round = 0; round < 5; ++round) {
    OwnStream stream;
    PartialSums::swap_to(instance, *winners[0]);
    inspector().take_launches();
    std::barrier<> start(kThreads + 1);
    std::vector<std::thread> threads;
    std::atomic<int> failed = 0;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        make_current(sums.context.get());
        start.arrive_and_wait();
        for (int i = 0; i < kLaunches; ++i) failed += launch_sum(instance, stream.get()) ? 0 : 1;
      });
    }
    start.arrive_and_wait();
    for (int i = 0; i < 30; ++i) {
      std::this_thread::yield();
      PartialSums::swap_to(instance, *winners[static_cast<std::size_t>(i % 3)]);
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(failed == 0);
    // As the stream sees it: a launch lies within what was allocated last.
    CUdeviceptr memory = 0;
    std::uint64_t bytes = 0;
    int launches = 0;
    for (const fake::Launch& each : inspector().take_launches()) {
      if (each.kernel == "free") memory = bytes = 0;
      if (each.kernel == "allocate") {
        memory = argument<CUdeviceptr>(each, 0);
        bytes = argument<std::size_t>(each, 1);
      }
      if (each.kernel != "sum") continue;
      ++launches;
      REQUIRE(partials_of(each) >= memory);
      REQUIRE(partials_of(each) + partials_bytes(each.grid[0]) <= flags_of(each));
      REQUIRE(flags_of(each) + 16 <= memory + bytes);
    }
    CHECK(launches == kThreads * kLaunches);
  }
}

TEST_CASE_FIXTURE(Machine, "a scratch of length zero has an address, and no launch ends the program") {
  const std::string text = R"(
#pragma tuner kernel(sum)
#pragma tuner problem(n: size) problem_constraint(0 <= n <= 100000)
#pragma tuner param(SPLIT, 0, 8; default 0)
#pragma tuner grid(1) block(64)
#pragma tuner in(x, float, n) out(y, float, 1) scratch(partials, float, 256 * SPLIT)
#pragma tuner scratch(flags, uint32, n - 1000) scalar(n, int32)
extern "C" __global__ void sum(const float* x, float* y, float* partials, unsigned* flags, int n) {}
)";
  OwnContext context;
  Runtime runtime{options()};
  tuned({.configuration = "SPLIT=0", .problem = "n=1000", .text = text});
  const Instance& instance = runtime.kernel(Description::from_text(text, {.name = "sum.cu"})).request({1000});
  REQUIRE(instance.rung() == Rung::exact);
  CHECK(launch_once(instance, nullptr) != 0);
  CHECK(instance.launch(nullptr, kSumX, kSumY, Buffer{}, Buffer{}, 1000));
}

TEST_CASE_FIXTURE(TunedSums<1>, "after there was no memory to grow, a smaller launch has some again") {
  const Instance& large = winner(64);
  const Instance& small = winner(1);
  REQUIRE(launch_sum(instance, stream.get()));
  swap_to(instance, large);
  inspector().fail_to_allocate(CUDA_ERROR_OUT_OF_MEMORY);
  CHECK_FALSE(launch_sum(instance, stream.get()));
  inspector().fail_to_allocate(CUDA_SUCCESS);
  swap_to(instance, small);
  CHECK(launch_once(instance, stream.get()) != 0);
}

TEST_CASE_FIXTURE(TunedSums<1>, "looking for memory that is done with does not spoil the capture of another stream") {
  OwnStream captured;
  const auto launch_on_forty = [&] {
    for (int i = 0; i < 40; ++i) {
      const OwnStream passing;
      REQUIRE(launch_sum(instance, passing.get()));
    }
  };
  launch_on_forty();
  captured.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  launch_on_forty();
  CHECK(captured.end_capture() != nullptr);
}

TEST_CASE_FIXTURE(
    TunedSums<1>,
    "memory of a launch that is about to be queued is not given to another stream, though its last one is done") {
  std::list<OwnStream> streams(33);
  for (const OwnStream& each : streams) REQUIRE(launch_sum(instance, each.get()));
  inspector().take_launches();
  std::future<void> beside;
  inspector().before_next_launch([&] {
    beside = std::async(std::launch::async, [&] {
      make_current(context.get());
      OwnStream other;
      CHECK(launch_sum(instance, other.get()));
    });
    // Where both took the same memory, the other waits for this launch.
    beside.wait_for(std::chrono::seconds(5));
  });
  CHECK(launch_sum(instance, streams.back().get()));
  beside.get();
  std::vector<CUdeviceptr> memory;
  for (const fake::Launch& launch : inspector().take_launches()) {
    if (launch.kernel == "sum") memory.push_back(partials_of(launch));
  }
  REQUIRE(memory.size() == 2);
  CHECK(memory[0] != memory[1]);
}
