// What a launch through an instance costs the host beyond cuLaunchKernel: a kernel of six arguments, one of them
// scratch, launched in turns of blocks through the instance with memory of the program, the same with memory of the
// library, and with the driver alone, on one core. The stream is drained between the blocks, so that nobody waits for a
// full queue.
//
//   bench_runtime_launch KERNEL_FILE      (bench/runtime/launch.cu)
#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/runtime/bare_driver.hpp"
#include "bench/runtime/child.hpp"
#include "bench/runtime/figures.hpp"
#include "tuner/tuner.hpp"

namespace {

using namespace tuner;
using Clock = std::chrono::steady_clock;

constexpr int kBlocks = 500, kLaunches = 200, kWarmUp = 10;
constexpr int kElements = 256;

/// To the last core that this process may use; the first ones serve interrupts.
void stay_on_one_core() {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int core = CPU_SETSIZE - 1; core >= 0; --core) {
    if (!CPU_ISSET(core, &allowed)) continue;
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

/// Nanoseconds of every launch; the stream is drained in the end.
template <class Launch>
void time_block(std::vector<double>& into, CUstream stream, const Launch& launch) {
  for (int i = 0; i < kLaunches; ++i) {
    const auto start = Clock::now();
    launch();
    into.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  bench::drain(stream);
}

void must(bool queued) {
  if (!queued) throw std::runtime_error("a launch was not queued");
}

void measure(const char* file) {
  const bench::ScratchFolder folder;
  bench::use_primary_context();
  const CUstream stream = bench::make_stream();
  const bench::Buffer values(kElements * sizeof(double)), doubled(kElements * sizeof(double));
  const bench::Buffer counts(kElements * sizeof(int)), room(64 * sizeof(float));

  Runtime runtime({.mode = Mode::off, .database = folder.path()});
  const Kernel kernel = runtime.kernel(Description::from_file(file));
  const Instance& instance = kernel.request({kElements});
  if (!instance.runnable()) throw std::runtime_error(instance.provenance().why);
  const Instance::Shape shape = instance.shape();
  const auto function = static_cast<CUfunction>(shape.function);
  const auto launch = bench::bare_driver().launch;

  const auto* values_pointer = values.as<const double>();
  auto* doubled_pointer = doubled.as<double>();
  auto* counts_pointer = counts.as<int>();
  auto* room_pointer = room.as<float>();
  int n = kElements;
  double factor = 2;
  const auto with_memory = [&](auto memory) {
    must(
        static_cast<bool>(instance.launch(stream, values_pointer, doubled_pointer, counts_pointer, memory, n, factor)));
  };
  const auto through_instance = [&] { with_memory(room_pointer); };
  const auto with_scratch = [&] { with_memory(tuner::scratch); };
  const auto with_the_driver = [&] {
    void* arguments[] = {&values_pointer, &doubled_pointer, &counts_pointer, &room_pointer, &n, &factor};
    must(launch(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2],
                shape.shared_bytes, stream, arguments, nullptr) == CUDA_SUCCESS);
  };
  const auto with_nothing = [] { asm volatile("" : : : "memory"); };

  stay_on_one_core();
  std::vector<double> tuned, provided, bare, clock;
  for (int block = 0; block < kBlocks + kWarmUp; ++block) {
    if (block == kWarmUp) {
      for (std::vector<double>* times : {&tuned, &provided, &bare, &clock}) times->clear();
    }
    if (block % 2 == 0) time_block(tuned, stream, through_instance);
    time_block(bare, stream, with_the_driver);
    if (block % 2 != 0) time_block(tuned, stream, through_instance);
    time_block(provided, stream, with_scratch);
    time_block(clock, stream, with_nothing);
  }
  fmt::print("{} launches each; the clock itself, {:.0f} ns (p50), is part of every figure but the differences\n",
             tuned.size(), bench::quantile(clock, 0.5));
  for (const auto& [name, share] : {std::pair("p50", 0.5), std::pair("p99", 0.99)}) {
    const double through = bench::quantile(tuned, share), alone = bench::quantile(bare, share);
    bench::print_figure(fmt::format("launch of six arguments, instance, {}", name), through / 1000, "µs");
    bench::print_figure(fmt::format("launch of six arguments, cuLaunchKernel, {}", name), alone / 1000, "µs");
    bench::print_figure(fmt::format("launch of six arguments, difference, {}", name), (through - alone) / 1000, "µs",
                        {.at_most = 0.2});
    const double scratch = bench::quantile(provided, share);
    bench::print_figure(fmt::format("launch with tuner::scratch, instance, {}", name), scratch / 1000, "µs");
    bench::print_figure(fmt::format("launch with tuner::scratch, difference, {}", name), (scratch - alone) / 1000, "µs",
                        {.at_most = 0.4});
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_runtime_launch", [&] {
    if (argc != 2) throw std::runtime_error("usage: bench_runtime_launch KERNEL_FILE");
    bench::forget_settings();
    measure(argv[1]);
  });
}
