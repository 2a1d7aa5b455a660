// Scratch memory of the library on a real GPU: reduce.cu, whose scratch grows with its configuration, while winners
// take over, on several streams at once, on streams that come and go, and in graphs. Links the library's rooms, because
// only they can put an earlier configuration back in the place of a winner. Where there is no GPU this is skipped.
//
// $TUNER_SCRATCH_BATCHES: how many batches of launches each thread makes; fewer under a sanitizer.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/runtime/bare_driver.hpp"
#include "tests/gpu/graphs.hpp"
#include "tests/gpu/run_on_gpu.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/driver/driver.hpp"
#include "tuner/runtime/instance_state.hpp"
#include "tuner/tuner.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using bench::require;
using detail::InstanceState;

constexpr std::int64_t kLength = std::int64_t{1} << 26;
constexpr int kBatch = 64;

int batches() {
  const char* const wanted = std::getenv("TUNER_SCRATCH_BATCHES");
  return wanted != nullptr ? std::atoi(wanted) : 20;
}

fs::path source_folder() {
  const char* const named = std::getenv("TUNER_SOURCE_FOLDER");
  return named != nullptr ? named : TUNER_SOURCE_FOLDER;
}

/// reduce.cu with its baseline, and configurations that need eight times the scratch and are far faster.
Description narrowed_reduce(const fs::path& folder) {
  const fs::path sources = source_folder() / "kernel_sources";
  fs::copy_file(sources / "tuner_device.cuh", folder / "tuner_device.cuh");
  std::ofstream out(folder / "reduce.cu");
  out << std::ifstream(sources / "reduce.cu").rdbuf()
      << "\n#pragma tuner constraint(BLOCKDIMX == 256 && BLOCKS_PER_SM == 8 && WIDTH == 1 && UNROLL == 1 && ORDER == "
         "interleaved && LOAD == plain && BLOCK_SUM == sweep || BLOCKDIMX == 128 && BLOCKS_PER_SM == 64 && WIDTH == 4 "
         "&& UNROLL in (2, 4) && ORDER == interleaved && BLOCK_SUM == shuffle)\n";
  out.close();
  return Description::from_file(folder / "reduce.cu");
}

/// Values of which every `step`-th is 1 and all others 0: whatever the order, every partial sum is exact.
struct Values {
  explicit Values(int step) : sum(static_cast<float>(kLength / step)), buffer(kLength * sizeof(float)) {
    std::vector<float> host(kLength, 0.f);
    for (std::size_t i = 0; i < host.size(); i += static_cast<std::size_t>(step)) host[i] = 1;
    const CUstream stream = bench::make_stream();
    require(cuda::driver().copy_to_device(buffer.address(), host.data(), buffer.bytes(), stream), "cuMemcpyHtoDAsync");
    bench::drain(stream);
  }
  float sum;
  bench::Buffer buffer;
};

/// Room for the sums of one batch and what else its launches write.
struct Batch {
  Batch() : sums(kBatch * sizeof(float)), finished(kBatch * sizeof(unsigned)) {
    finished.fill(0, bench::make_stream());
    require(cuda::driver().wait_for_context(), "cuCtxSynchronize");
  }
  LaunchStatus launch(const Instance& instance, CUstream stream, const Values& values, int slot, int counter) const {
    const auto at = [](const bench::Buffer& buffer, int index) {
      return Buffer{buffer.address() + 4 * static_cast<CUdeviceptr>(index), 4};
    };
    return instance.launch(stream, Buffer{values.buffer.address(), values.buffer.bytes()}, at(sums, slot), scratch,
                           at(finished, counter), kLength);
  }
  /// How many sums are not what they should be; each is spoilt by that.
  int count_wrong(CUstream stream, const std::vector<float>& expected) const {
    const auto found = sums.read<float>(stream);
    sums.fill(0xff, stream);
    bench::drain(stream);
    int wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) wrong += found[i] == expected[i] ? 0 : 1;
    return wrong;
  }
  bench::Buffer sums, finished;
};

/// A batch of launches on one stream. Returns how many sums are wrong.
int wrong_in_batch(const Instance& instance, CUstream stream, const Values& values, const Batch& batch) {
  int refused = 0;
  for (int i = 0; i < kBatch; ++i) refused += batch.launch(instance, stream, values, i, 0) ? 0 : 1;
  return refused + batch.count_wrong(stream, std::vector<float>(kBatch, values.sum));
}

/// Launches on new streams, each of which is destroyed while its work goes on.
int wrong_on_passing_streams(const Instance& instance, const std::vector<std::unique_ptr<Values>>& values,
                             const Batch& batch) {
  int refused = 0;
  std::vector<float> expected;
  for (int i = 0; i < kBatch; ++i) {
    const CUstream stream = bench::make_stream();
    const Values& mine = *values[static_cast<std::size_t>(i) % values.size()];
    refused += batch.launch(instance, stream, mine, i, i) ? 0 : 1;
    expected.push_back(mine.sum);
    cuda::driver().destroy_stream(stream);
  }
  require(cuda::driver().wait_for_context(), "cuCtxSynchronize");
  return refused + batch.count_wrong(bench::make_stream(), expected);
}

/// A graph with one launch, whose sum is that of these values.
struct Graph {
  Graph(const Instance& instance, const Values& its_values) : values(its_values) {
    graph = test::capture_executable(stream, [&] {
      const LaunchStatus status = batch.launch(instance, stream, values, 0, 0);
      REQUIRE_MESSAGE(status, status.message);
    });
  }
  int wrong_in_replay() const {
    test::replay(graph, stream);
    return batch.count_wrong(stream, {values.sum});
  }
  CUstream stream = bench::make_stream();
  Batch batch;
  const Values& values;
  CUgraphExec graph = nullptr;
};

}  // namespace

TEST_CASE(
    "a reduction that is swapped to eight times the scratch and back, beside itself and graphs, is always right") {
  const test::TemporaryFolder folder;
  const CUcontext context = bench::use_primary_context();
  std::vector<std::unique_ptr<Values>> values;
  for (const int step : {8, 16, 32}) values.push_back(std::make_unique<Values>(step));
  {
    Runtime runtime({.mode = Mode::background,
                     .database = folder.path(),
                     .background_share = 1.0,
                     .observer = [](const Notice& notice) { std::printf("%s\n", notice.sentence.c_str()); }});
    const Instance& instance = runtime.kernel(narrowed_reduce(folder.path())).request({kLength});
    INFO(instance.provenance().why);
    REQUIRE(instance.rung() == Rung::baseline);
    const std::uint64_t needed = instance.snapshot().argument("partials").bytes;
    const detail::LaunchPlan baseline = InstanceState::of(instance).plan();
    const Graph small(instance, *values[0]);

    const CUstream stream = bench::make_stream();
    const Batch batch;
    int launched = 0, wrong = 0;
    while (!runtime.wait_for_tuning(std::chrono::milliseconds(0))) {
      wrong += wrong_in_batch(instance, stream, *values[1], batch);
      launched += kBatch;
    }
    CHECK(wrong == 0);
    const Instance::Snapshot winner = instance.snapshot();
    INFO(winner.provenance.configuration);
    REQUIRE(winner.provenance.rung == Rung::exact);
    REQUIRE(winner.argument("partials").bytes == 8 * needed);
    CHECK(wrong_in_batch(instance, stream, *values[1], batch) == 0);
    const detail::LaunchPlan large_plan = InstanceState::of(instance).plan();
    const Graph large(instance, *values[2]);

    std::atomic<int> wrong_beside = 0, running = 4;
    std::vector<std::thread> threads;
    const auto beside = [&](auto work) {
      threads.emplace_back([&, work] {
        require(bench::bare_driver().set_context(context), "cuCtxSetCurrent");
        for (int i = 0; i < batches(); ++i) wrong_beside += work();
        --running;
      });
    };
    const CUstream other = bench::make_stream();
    const Batch batch_of_other, batch_of_passing;
    beside([&] { return wrong_in_batch(instance, stream, *values[0], batch); });
    beside([&] { return wrong_in_batch(instance, other, *values[1], batch_of_other); });
    beside([&] { return wrong_on_passing_streams(instance, values, batch_of_passing); });
    beside([&] {
      int wrong_replays = 0;
      for (int i = 0; i < kBatch / 4; ++i) wrong_replays += small.wrong_in_replay() + large.wrong_in_replay();
      return wrong_replays;
    });
    int swaps = 0;
    while (running > 0) {
      InstanceState::of(instance).publish(swaps++ % 2 == 0 ? baseline : large_plan);
      std::this_thread::sleep_for(std::chrono::microseconds(200));  // every plan is kept
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong_beside == 0);
    std::printf("%d launches while it was tuned, then %d swaps beside %d launches: %s\n", launched, swaps,
                3 * batches() * kBatch + batches() * kBatch / 2, winner.provenance.configuration.c_str());
  }
  // What the Runtime freed at its end was in no one's way.
  require(cuda::driver().wait_for_context(), "cuCtxSynchronize");
}

}  // namespace tuner

int main(int argc, char** argv) {
  return tuner::test::run_on_gpu(argc, argv, [] { tuner::bench::bare_driver(); });
}
