// What a program's kernels do to memory, by the word `does=` of their module:
//   adds   (int* sums, const int* more, int count): adds to `count` numbers others, and to each of them the module's
//          variable `step`, an int, if it has one, which then grows by one
//   sets   (int* word): makes it 1
//   waits  (int* word): runs until that is not 0. Copies and frees that are not in a stream's order wait for it, and
//   who
//          synchronises with its context or stream; what comes behind it on its stream does not
//   structure  ({int* out, const int* in, int count}): copies
//   list   (Node* first): adds 1 to the number of each
//   and what fake_kernels.cpp has
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

struct Numbers {
  int* out;
  const int* in;
  int count;
};
struct Node {
  Node* next;
  std::int64_t number;
};

void add_to_each(Node* first) {
  constexpr int kMost = 100000;
  int count = 0;
  for (Node* node = first; node != nullptr && count < kMost; node = node->next, ++count) node->number += 1;
  if (count == kMost) device.hung = true;  // there may be no end
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
  if (does == "structure") {
    const auto numbers = argument<Numbers>(launch, 0);
    return work_on_numbers("copies", numbers.out, numbers.in, numbers.count);
  }
  if (does == "list") add_to_each(argument<Node*>(launch, 0));
  if (launch.arguments.size() == 3)
    work_on_numbers(does, argument<int*>(launch, 0), argument<const int*>(launch, 1), argument<int>(launch, 2));
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
