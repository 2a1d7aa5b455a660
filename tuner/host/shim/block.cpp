#include "tuner/host/shim/block.hpp"

#include <sys/mman.h>

#include <cstring>
#include <vector>

#include "tuner/host/shim/memory.hpp"
#include "tuner/host/shim/thread.hpp"
#include "tuner/host/shim/watch.hpp"

tuner::host::Index3 threadIdx, blockIdx, blockDim, gridDim;

namespace tuner::host {
namespace {

constexpr std::size_t kMostShared = std::size_t{4} << 20;  // far more than any GPU has

std::size_t count(const Index3& size) {
  return std::size_t{size.x} * size.y * size.z;
}

std::string text(const Index3& index) {
  return std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z);
}

/// Numbers in an order drawn anew each time.
struct Shuffle {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t x = state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  void operator()(std::vector<unsigned>& numbers) {
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[next() % i]);
  }
};

std::vector<unsigned> in_order(std::size_t size, Schedule schedule) {
  std::vector<unsigned> numbers(size);
  for (std::size_t i = 0; i < size; ++i)
    numbers[i] = static_cast<unsigned>(schedule == Schedule::reverse ? size - 1 - i : i);
  return numbers;
}

std::uint64_t turns_of_all = 0;

class Block {
 public:
  Block(const Launch& launch, void (*kernel)(void*), void* argument)
      : launch_(launch),
        kernel_(kernel),
        argument_(argument),
        shuffle_{launch.seed},
        order_(in_order(count(launch.block), launch.schedule)),
        missing_(order_.size() / kLanes + 1, 0) {
    while (threads_.size() < order_.size()) threads_.push_back(new Thread);
    allow(shared(), launch.shared_bytes);
    forbid(static_cast<char*>(shared()) + launch.shared_bytes, kMostShared - launch.shared_bytes);
  }

  /// Where dynamic shared memory is, always.
  static void* shared() {
    static void* const arena =
        mmap(nullptr, kMostShared, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return arena;
  }

  void run_grid() {
    std::vector<unsigned> blocks = in_order(count(gridDim), launch_.schedule);
    if (launch_.schedule == Schedule::shuffled) shuffle_(blocks);
    for (unsigned number : blocks) {
      blockIdx = {number % gridDim.x, number / gridDim.x % gridDim.y, number / gridDim.x / gridDim.y};
      watch::begin_block(number);
      run();
    }
  }

  Thread& current() { return *current_; }
  long long turns() const { return turns_; }
  std::size_t size() const { return order_.size(); }
  std::size_t shared_bytes() const { return launch_.shared_bytes; }
  Thread& thread(unsigned number) { return *threads_[number]; }

  void wait(Thread::State state, Spot spot) {
    current_->state = state;
    current_->spot = spot;
    Fiber::suspend();
  }

  /// If every lane that the current thread waits for has come, hands the values round and lets all of them go on.
  void try_exchange() {
    const Exchange& mine = current_->exchange;
    std::array<Thread*, kLanes> lanes{};
    const unsigned first = current_->number / kLanes * kLanes;
    // Whoever was missing before is looked for first: most lanes come before it does.
    unsigned& missing = missing_[first / kLanes];
    for (unsigned i = 0; i < kLanes; ++i) {
      const unsigned lane = (missing + i) % kLanes;
      if ((mine.mask >> lane & 1) == 0 || first + lane >= order_.size()) continue;
      Thread* thread = threads_[first + lane];
      const bool here = thread->state == Thread::State::at_warp && thread->spot.line == current_->spot.line &&
                        thread->exchange.mask == mine.mask;
      if (!here) {
        missing = lane;
        return;
      }
      lanes[lane] = thread;
    }
    std::array<std::array<unsigned char, 16>, kLanes> given;
    unsigned met = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      given[lane].fill(0xff);
      if (lanes[lane] == nullptr) continue;
      given[lane] = lanes[lane]->exchange.bytes;
      met |= 1u << lane;
    }
    watch::warp_met(first / kLanes, met);
    for (Thread* thread : lanes) {
      if (thread == nullptr) continue;
      Exchange& exchange = thread->exchange;
      exchange.bytes = given[static_cast<unsigned>(exchange.source_lane) % kLanes];
      for (unsigned lane = 0; exchange.all != nullptr && lane < kLanes; ++lane) {
        (*exchange.all)[lane] = 0;
        if (lanes[lane] != nullptr) std::memcpy(&(*exchange.all)[lane], given[lane].data(), sizeof(unsigned long long));
      }
      thread->state = Thread::State::ready;
    }
  }

  /// The launch ends; what is on this stack now is not destroyed.
  [[noreturn]] void fail(std::string&& sentence, Spot spot) {
    fault_ = {std::move(sentence), spot.file == nullptr ? "" : spot.file,
              spot.line};  // moved, because nobody will destroy it
    fault_.sentence += where();
    for (;;) Fiber::suspend();
  }

 private:
  void run() {
    fill(shared(), launch_.poison, launch_.shared_bytes);
    fill(launch_.static_shared, launch_.poison, launch_.static_shared_bytes);
    start_threads();
    std::size_t unfinished = order_.size();
    while (unfinished > 0) {
      bool progress = false;
      if (launch_.schedule == Schedule::shuffled) shuffle_(order_);
      for (unsigned number : order_) {
        Thread& thread = *threads_[number];
        if (thread.state != Thread::State::ready) continue;
        progress = true;
        resume(thread);
        if (!fault_.sentence.empty()) throw fault_;
        if (thread.state == Thread::State::finished) --unfinished;
      }
      if (!progress && !release_masks()) release_barrier();
    }
  }

  void start_threads() {
    unsigned number = 0;
    for (unsigned z = 0; z < blockDim.z; ++z) {
      for (unsigned y = 0; y < blockDim.y; ++y) {
        for (unsigned x = 0; x < blockDim.x; ++x, ++number) {
          Thread& thread = *threads_[number];
          thread.number = number;
          thread.index = {x, y, z};
          thread.state = Thread::State::ready;
          drop_copies(thread);
          thread.open_group = 0;
          thread.fiber.start([](void* self) { static_cast<Block*>(self)->enter(); }, this);
        }
      }
    }
  }

  void enter() { kernel_(argument_); }

  static void drop_copies(Thread& thread) {
    for (const Copy& copy : thread.copies) {
      allow(copy.to, static_cast<std::size_t>(copy.size));
      watch::copy_dropped(copy.to, static_cast<std::size_t>(copy.size));
    }
    thread.copies.clear();
  }

  void resume(Thread& thread) {
    current_ = &thread;
    threadIdx = thread.index;
    ++turns_;
    ++turns_of_all;
    watch::resume(thread.number);
    thread.fiber.resume();
    watch::suspend();
    if (!thread.fiber.finished()) return;
    thread.state = Thread::State::finished;
    drop_copies(thread);
  }

  /// Nobody can run: the lanes of a warp that ask in the same line which of them are there are told of each other.
  bool release_masks() {
    bool any = false;
    for (std::size_t number = 0; number < order_.size(); ++number) {
      Thread* thread = threads_[number];
      if (thread->state != Thread::State::at_mask) continue;
      any = true;
      const unsigned first = thread->number / kLanes * kLanes;
      std::vector<Thread*> together;
      unsigned mask = 0;
      for (unsigned lane = 0; lane < kLanes && first + lane < order_.size(); ++lane) {
        Thread* other = threads_[first + lane];
        if (other->state != Thread::State::at_mask || other->spot.line != thread->spot.line) continue;
        mask |= 1u << lane;
        together.push_back(other);
      }
      for (Thread* other : together) {
        other->exchange.mask = mask;
        other->state = Thread::State::ready;
      }
    }
    return any;
  }

  /// Nobody can run: either all threads are at one barrier, or they will wait for ever.
  void release_barrier() {
    const int line = threads_[0]->spot.line;
    int votes = 0;
    for (unsigned number : order_) {
      const Thread& thread = *threads_[number];
      if (thread.state != Thread::State::at_barrier || thread.spot.line != line) throw deadlock();
      votes += thread.vote != 0;
    }
    watch::barrier();
    for (unsigned number : order_) {
      threads_[number]->vote = votes;
      threads_[number]->state = Thread::State::ready;
    }
  }

  std::string where() const {
    return " (block " + text(blockIdx) + ", thread " + std::to_string(current_->number) + ")";
  }

  Fault deadlock() const {
    struct Place {
      std::string name;
      std::size_t threads;
      unsigned first;
    };
    std::vector<Place> places;
    Spot spot{nullptr, 0};
    for (unsigned number = 0; number < order_.size(); ++number) {
      const Thread& thread = *threads_[number];
      std::string name = "have finished";
      if (thread.state == Thread::State::at_barrier)
        name = "wait at __syncthreads in line " + std::to_string(thread.spot.line);
      if (thread.state == Thread::State::at_warp)
        name = "wait for lanes of their warp in line " + std::to_string(thread.spot.line);
      if (thread.state != Thread::State::finished && spot.file == nullptr) spot = thread.spot;
      auto place = places.begin();
      while (place != places.end() && place->name < name) ++place;
      if (place != places.end() && place->name == name)
        ++place->threads;
      else
        places.insert(place, {name, 1, number});
    }
    std::string sentence = "The threads of block " + text(blockIdx) + " wait for each other:";
    for (const Place& place : places) {
      sentence += " " + std::to_string(place.threads) + " (first: thread " + std::to_string(place.first) + ") " +
                  place.name + ";";
    }
    sentence.back() = '.';
    return {sentence, spot.file == nullptr ? "" : spot.file, spot.line};
  }

  // Kept until the process ends, and the list with them: making a thousand stacks costs more than most kernels.
  static inline std::vector<Thread*>& threads_ = *new std::vector<Thread*>;

  const Launch& launch_;
  void (*kernel_)(void*);
  void* argument_;
  Shuffle shuffle_;
  std::vector<unsigned> order_;
  std::vector<unsigned> missing_;  // of each warp a lane that had not come when another one did
  Thread* current_ = nullptr;
  long long turns_ = 0;
  Fault fault_;
};

Block* running_block = nullptr;

}  // namespace

void launch(const Launch& launch, void (*kernel)(void*), void* argument) {
  gridDim = launch.grid;
  blockDim = launch.block;
  Block block(launch, kernel, argument);
  running_block = &block;
  watch::begin_launch(launch, Block::shared());
  block.run_grid();
  watch::end_launch();
  running_block = nullptr;
}

void block_barrier(Spot spot) {
  running_block->wait(Thread::State::at_barrier, spot);
}

int block_barrier_count(int vote, Spot spot) {
  Thread& thread = running_block->current();
  thread.vote = vote;
  running_block->wait(Thread::State::at_barrier, spot);
  return thread.vote;
}

namespace {

/// A few bytes sooner than memcpy, which Address Sanitizer looks into.
void copy_few(unsigned char* to, const unsigned char* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
}

void meet(const Exchange& exchange, Spot spot) {
  Thread& thread = running_block->current();
  thread.exchange = exchange;
  thread.state = Thread::State::at_warp;
  thread.spot = spot;
  running_block->try_exchange();
  if (thread.state == Thread::State::at_warp) running_block->wait(Thread::State::at_warp, spot);
}

}  // namespace

void warp_exchange(unsigned mask, Spot spot, int source_lane, const void* value, void* result, std::size_t size) {
  Exchange exchange{mask, source_lane, size, {}, nullptr};
  copy_few(exchange.bytes.data(), static_cast<const unsigned char*>(value), size);
  meet(exchange, spot);
  copy_few(static_cast<unsigned char*>(result), running_block->current().exchange.bytes.data(), size);
}

void warp_gather(unsigned mask, Spot spot, unsigned long long value, unsigned long long (&all)[32]) {
  Exchange exchange{mask, 0, sizeof value, {}, &all};
  std::memcpy(exchange.bytes.data(), &value, sizeof value);
  meet(exchange, spot);
}

unsigned warp_ballot(unsigned mask, Spot spot, int vote) {
  unsigned long long all[32];
  warp_gather(mask, spot, vote != 0, all);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) bits |= (all[lane] != 0 ? 1u : 0u) << lane;
  return bits;
}

unsigned active_lanes(Spot spot) {
  running_block->wait(Thread::State::at_mask, spot);
  return running_block->current().exchange.mask;
}

int lane() {
  return static_cast<int>(running_block->current().number % kLanes);
}

void* dynamic_shared() {
  return Block::shared();
}

std::size_t dynamic_shared_bytes() {
  return running_block == nullptr ? 0 : running_block->shared_bytes();
}

std::uint64_t all_turns() {
  return turns_of_all;
}

long long turns() {
  return running_block->turns();
}

Thread& current_thread() {
  return running_block->current();
}

Thread* thread_of_block(unsigned number) {
  return running_block != nullptr && number < running_block->size() ? &running_block->thread(number) : nullptr;
}

void fail(std::string&& sentence, Spot spot) {
  running_block->fail(std::move(sentence), spot);
}

void stop(const char* sentence, Spot spot) {
  running_block->fail(sentence, spot);
}

}  // namespace tuner::host
