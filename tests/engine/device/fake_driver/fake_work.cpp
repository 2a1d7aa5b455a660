// What a program's kernels do to memory, by the word `does=` of their module:
//   adds   (int* sums, const int* more, int count): adds to `count` numbers others, and to each of them the module's
//          variable `step`, an int, if it has one, which then grows by one
//   sets   (int* word): makes it 1
//   waits  (int* word): runs until that is not 0. Copies and frees that are not in a stream's order wait for it, and
//   who
//          synchronises with its context or stream; what comes behind it on its stream does not
#include <unistd.h>

#include <algorithm>

#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {
namespace {

struct RunningKernel {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  const int* word = nullptr;
};
// Never destroyed: threads of a program may wait until its very end.
std::mutex& mutex = *new std::mutex;
std::vector<RunningKernel>& running = *new std::vector<RunningKernel>;
std::atomic<std::size_t> count_running = 0;

template <typename T>
T argument(const Launch& launch, std::size_t index) {
  T value{};
  std::memcpy(&value, launch.arguments.at(index).data(), sizeof value);
  return value;
}

void add(Module& module, const Launch& launch) {
  auto* const sums = argument<int*>(launch, 0);
  const auto* const more = argument<const int*>(launch, 1);
  const int count = argument<int>(launch, 2);
  int step = 0;
  const auto variable = module.arrays.find("step");
  if (variable != module.arrays.end()) std::memcpy(&step, variable->second.data(), sizeof step);
  for (int i = 0; i < count; ++i) sums[i] += more[i] + step;
  ++step;
  if (variable != module.arrays.end()) std::memcpy(variable->second.data(), &step, sizeof step);
}

template <typename Is>
void wait_for(Is is_waited_for) {
  while (count_running.load(std::memory_order_relaxed) > 0) {
    {
      const std::lock_guard lock(mutex);
      std::erase_if(running,
                    [](const RunningKernel& each) { return __atomic_load_n(each.word, __ATOMIC_ACQUIRE) != 0; });
      count_running = running.size();
      if (std::none_of(running.begin(), running.end(), is_waited_for)) return;
    }
    usleep(500);
  }
}

}  // namespace

void work(const KeptLaunch& kept) {
  const Launch& launch = kept.launch;
  const std::string& does = kept.module->work;
  if (does == "adds") add(*kept.module, launch);
  if (does == "sets") __atomic_store_n(argument<int*>(launch, 0), 1, __ATOMIC_RELEASE);
  if (does == "waits") {
    const std::lock_guard lock(mutex);
    running.push_back({launch.context, launch.stream, argument<const int*>(launch, 0)});
    count_running = running.size();
  }
}

void wait_for_kernels() {
  const auto context = reinterpret_cast<CUcontext>(current_context());
  wait_for([context](const RunningKernel& each) { return each.context == context; });
}
void wait_for_kernels_on(CUstream stream) {
  wait_for([stream](const RunningKernel& each) { return each.stream == stream; });
}

}  // namespace fake
