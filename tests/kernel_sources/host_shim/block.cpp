#include "tests/kernel_sources/host_shim/block.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "tests/kernel_sources/host_shim/fiber.hpp"

tuner::host::Index3 threadIdx, blockIdx, blockDim, gridDim;

namespace tuner::host {
namespace {

constexpr int kLanes = 32;

struct Copy {
  std::uint64_t group;
  void* to;
  int size;
  std::array<unsigned char, 16> bytes;
};

struct Exchange {
  unsigned mask = 0;
  int source_lane = 0;
  std::size_t size = 0;
  std::array<unsigned char, 16> bytes;  // given, then received
};

struct Thread {
  enum class State { ready, at_barrier, at_warp, finished };

  Fiber fiber;
  unsigned number = 0;
  Index3 index;
  State state = State::ready;
  int line = 0;  // where it waits
  Exchange exchange;
  std::deque<Copy> copies;  // under way, oldest group first
  std::uint64_t open_group = 0;
};

class Block {
 public:
  Block(const Launch& launch, const std::function<void()>& kernel)
      : kernel_(kernel), schedule_(launch.schedule), random_(launch.seed), order_(count(launch.block)) {
    std::iota(order_.begin(), order_.end(), 0u);
    if (schedule_ == Schedule::reverse) std::reverse(order_.begin(), order_.end());
    while (threads_.size() < order_.size()) threads_.push_back(std::make_unique<Thread>());
  }

  static std::size_t count(const Index3& size) { return std::size_t{size.x} * size.y * size.z; }

  void run(std::size_t shared_bytes) {
    shared_ = std::make_unique<unsigned char[]>(shared_bytes);
    std::memset(shared_.get(), 0xff, shared_bytes);
    start_threads();
    std::size_t unfinished = order_.size();
    while (unfinished > 0) {
      bool progress = false;
      if (schedule_ == Schedule::shuffled) std::shuffle(order_.begin(), order_.end(), random_);
      for (unsigned number : order_) {
        Thread& thread = *threads_[number];
        if (thread.state != Thread::State::ready) continue;
        progress = true;
        resume(thread);
        if (!fault_.empty()) throw Fault(fault_ + where());
        if (thread.state == Thread::State::finished) --unfinished;
      }
      if (!progress) release_barrier();
    }
  }

  Thread& current() { return *current_; }
  void* shared() { return shared_.get(); }

  void wait(Thread::State state, int line) {
    current_->state = state;
    current_->line = line;
    Fiber::suspend();
  }

  /// If every lane that the current thread waits for has come, hands the values round and lets all of them go on.
  void try_exchange() {
    const Exchange& mine = current_->exchange;
    std::array<Thread*, kLanes> lanes{};
    const unsigned first = current_->number / kLanes * kLanes;
    for (unsigned lane = 0; lane < kLanes && first + lane < order_.size(); ++lane) {
      if ((mine.mask >> lane & 1) == 0) continue;
      Thread* thread = threads_[first + lane].get();
      const bool here = thread->state == Thread::State::at_warp && thread->line == current_->line &&
                        thread->exchange.mask == mine.mask;
      if (!here) return;
      lanes[lane] = thread;
    }
    std::array<std::array<unsigned char, 16>, kLanes> given;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (lanes[lane] != nullptr)
        given[lane] = lanes[lane]->exchange.bytes;
      else
        given[lane].fill(0xff);
    }
    for (Thread* thread : lanes) {
      if (thread == nullptr) continue;
      thread->exchange.bytes = given[static_cast<unsigned>(thread->exchange.source_lane) % kLanes];
      thread->state = Thread::State::ready;
    }
  }

  void set_fault(const std::string& sentence) { fault_ = sentence; }

 private:
  void start_threads() {
    unsigned number = 0;
    for (unsigned z = 0; z < blockDim.z; ++z) {
      for (unsigned y = 0; y < blockDim.y; ++y) {
        for (unsigned x = 0; x < blockDim.x; ++x, ++number) {
          Thread& thread = *threads_[number];
          thread.number = number;
          thread.index = {x, y, z};
          thread.state = Thread::State::ready;
          thread.copies.clear();
          thread.open_group = 0;
          thread.fiber.start([](void* self) { static_cast<Block*>(self)->kernel_(); }, this);
        }
      }
    }
  }

  void resume(Thread& thread) {
    current_ = &thread;
    threadIdx = thread.index;
    thread.fiber.resume();
    if (thread.fiber.finished()) thread.state = Thread::State::finished;
  }

  /// Nobody can run: either all threads are at one barrier, or they will wait for ever.
  void release_barrier() {
    const int line = threads_[0]->line;
    for (unsigned number : order_) {
      if (threads_[number]->state != Thread::State::at_barrier || threads_[number]->line != line)
        throw Fault(deadlock());
    }
    for (unsigned number : order_) threads_[number]->state = Thread::State::ready;
  }

  std::string where() const {
    return " (block " + std::to_string(blockIdx.x) + "," + std::to_string(blockIdx.y) + "," +
           std::to_string(blockIdx.z) + ", thread " + std::to_string(current_->number) + ")";
  }

  std::string deadlock() const {
    std::map<std::string, std::pair<std::size_t, unsigned>> waiting;  // place -> how many, and the first of them
    for (unsigned number = 0; number < order_.size(); ++number) {
      const Thread& thread = *threads_[number];
      std::string place = "have finished";
      if (thread.state == Thread::State::at_barrier)
        place = "wait at __syncthreads in line " + std::to_string(thread.line);
      if (thread.state == Thread::State::at_warp)
        place = "wait for lanes of their warp in line " + std::to_string(thread.line);
      ++waiting.try_emplace(place, 0, number).first->second.first;
    }
    std::string text = "The threads of block " + std::to_string(blockIdx.x) + "," + std::to_string(blockIdx.y) + "," +
                       std::to_string(blockIdx.z) + " wait for each other:";
    for (const auto& [place, who] : waiting) {
      text += " " + std::to_string(who.first) + " (first: thread " + std::to_string(who.second) + ") " + place + ";";
    }
    text.back() = '.';
    return text;
  }

  // Stacks are kept from one launch to the next: making a thousand of them costs more than most kernels.
  static inline std::vector<std::unique_ptr<Thread>> threads_;

  const std::function<void()>& kernel_;
  Schedule schedule_;
  std::mt19937_64 random_;
  std::vector<unsigned> order_;
  std::unique_ptr<unsigned char[]> shared_;
  Thread* current_ = nullptr;
  std::string fault_;
};

Block* running_block = nullptr;

}  // namespace

void launch(const Launch& launch, const std::function<void()>& kernel) {
  gridDim = launch.grid;
  blockDim = launch.block;
  Block block(launch, kernel);
  running_block = &block;
  for (blockIdx.z = 0; blockIdx.z < gridDim.z; ++blockIdx.z) {
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) block.run(launch.shared_bytes);
    }
  }
  running_block = nullptr;
}

void block_barrier(int line) {
  running_block->wait(Thread::State::at_barrier, line);
}

void warp_exchange(unsigned mask, int line, int source_lane, const void* value, void* result, std::size_t size) {
  Thread& thread = running_block->current();
  thread.exchange = {mask, source_lane, size, {}};
  if (size > 0) std::memcpy(thread.exchange.bytes.data(), value, size);
  thread.state = Thread::State::at_warp;
  thread.line = line;
  running_block->try_exchange();
  if (thread.state == Thread::State::at_warp) running_block->wait(Thread::State::at_warp, line);
  if (size > 0) std::memcpy(result, thread.exchange.bytes.data(), size);
}

int lane() {
  return static_cast<int>(running_block->current().number % kLanes);
}

void* dynamic_shared() {
  return running_block->shared();
}

void copy_async(void* to, const void* from, int size) {
  const auto misaligned = [size](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(size) != 0;
  };
  if (misaligned(to) || misaligned(from)) {
    running_block->set_fault("An asynchronous copy of " + std::to_string(size) + " bytes has a misaligned " +
                             (misaligned(to) ? "destination" : "source"));
    Fiber::suspend();  // for ever; what is on this stack now is not destroyed
  }
  Thread& thread = running_block->current();
  Copy copy{thread.open_group, to, size, {}};
  std::memcpy(copy.bytes.data(), from, static_cast<std::size_t>(size));
  thread.copies.push_back(copy);
}

void commit_copies() {
  ++running_block->current().open_group;
}

void wait_prior(int groups) {
  Thread& thread = running_block->current();
  while (!thread.copies.empty() &&
         thread.copies.front().group + static_cast<std::uint64_t>(groups) < thread.open_group) {
    const Copy& copy = thread.copies.front();
    std::memcpy(copy.to, copy.bytes.data(), static_cast<std::size_t>(copy.size));
    thread.copies.pop_front();
  }
}

void prefetch_l2(const void* address) {
  static_cast<void>(*static_cast<const volatile char*>(address));
}

}  // namespace tuner::host
