#pragma once

#include <cstdint>
#include <string>

#include "tests/runtime/machine.hpp"
#include "tuner/runtime/instance_state.hpp"

namespace tuner::test {

/// A kernel with scratch whose length depends on a tuned parameter, and some whose length does not.
inline const std::string kSum = R"(
#pragma tuner kernel(sum)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 100000)
#pragma tuner param(SPLIT, 1, 8, 64; default 1) param(ORDER, rows, columns) param(SHARE, 0.5, 0.25)
#pragma tuner param(EARLY, false, true)
#pragma tuner grid(SPLIT) block(64)
#pragma tuner in(x, float, n) out(y, float, 1) scratch(partials, float, 256 * SPLIT)
#pragma tuner scratch(flags, uint32, 4, align 1024) scalar(n, int32)
extern "C" __global__ void sum(const float* x, float* y, float* partials, unsigned* flags, int n) {}
)";
constexpr std::uint64_t partials_bytes(std::uint64_t split) {
  return 1024 * split;
}
inline const float* const kSumX = reinterpret_cast<const float*>(0x1000);
inline float* const kSumY = reinterpret_cast<float*>(0x2000);

inline Stored stored_sum(int split) {
  return {.configuration = "EARLY=false,ORDER=rows,SHARE=0.5,SPLIT=" + std::to_string(split),
          .problem = "n=1000",
          .text = kSum};
}

/// A program with one instance of it, and a winner for every value of SPLIT, so that one can take over from another as
/// often as a test wants.
struct PartialSums {
  explicit PartialSums(KernelOptions options = {})
      : kernel(runtime.kernel(Description::from_text(kSum, {.name = "sum.cu"}), std::move(options))) {}

  const Instance& winner(int split) {
    machine.tuned(stored_sum(split));
    return runtime.kernel(Description::from_text(kSum, {.name = "sum.cu"})).request({1000});
  }
  /// What `instance` launches from now on.
  static void swap_to(const Instance& instance, const Instance& winner) {
    detail::InstanceState::of(instance).publish(detail::InstanceState::of(winner).plan());
  }

  Machine machine;
  OwnContext context;
  Runtime runtime{machine.options()};
  Kernel kernel;
};

/// The same, with a stream, and an instance that is served by the winner that splits so.
template <int kSplit>
struct TunedSums : PartialSums {
  OwnStream stream;
  const Instance& instance = winner(kSplit);
};

inline LaunchStatus launch_sum(const Instance& instance, CUstream stream) {
  return instance.launch(stream, kSumX, kSumY, scratch, scratch, 1000);
}

}  // namespace tuner::test
