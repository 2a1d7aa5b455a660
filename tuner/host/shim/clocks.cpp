#include "tuner/host/shim/clocks.hpp"

#include <algorithm>

namespace tuner::host {

void Clocks::begin_block(std::size_t threads) {
  ++block_;
  threads_.assign(threads, Thread());
  at_barrier_.assign(threads, 0);
  acquired_.clear();
}

void Clocks::barrier() {
  std::uint32_t latest = 0;
  for (const Thread& thread : threads_) latest = std::max(latest, thread.fence_time);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    at_barrier_[i] = thread.clock;
    thread.of_all.clear();
    // A fence orders what its thread knows of, and the barrier makes that known to all.
    thread.fence_time = latest;
    if (latest != 0) thread.fence_clock = thread.clock;
    ++thread.clock;
  }
}

void Clocks::warp_met(unsigned warp, unsigned lanes) {
  std::uint32_t joined[kLanes] = {};
  std::vector<std::uint32_t> all;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    const Thread& thread = threads_[warp * kLanes + lane];
    for (unsigned other = 0; other < kLanes; ++other) joined[other] = std::max(joined[other], thread.of_warp[other]);
    joined[lane] = std::max(joined[lane], thread.clock);
    if (thread.of_all.empty()) continue;
    if (all.empty()) all.assign(threads_.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], thread.of_all[i]);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    Thread& thread = threads_[warp * kLanes + lane];
    std::copy(std::begin(joined), std::end(joined), std::begin(thread.of_warp));
    if (!all.empty()) learn(thread, all);
    ++thread.clock;
  }
}

void Clocks::fence() {
  Thread& thread = threads_[current_];
  thread.fence_time = time_++;
  thread.fence_clock = thread.clock++;
}

void Clocks::atomic(const void* address) {
  Thread& thread = threads_[current_];
  Released& released = released_[address];
  // What others said here becomes known ...
  if (released.block == block_ && !released.threads.empty()) learn(thread, released.threads);
  for (const auto& [block, time] : released.blocks) {
    std::uint32_t& known = acquired_[block];
    known = std::max(known, time);
  }
  // ... and with a fence before it, what this thread knows is said.
  if (thread.fence_time == 0) return;
  if (released.block != block_) {
    released.block = block_;
    released.threads.clear();
  }
  released.threads.resize(threads_.size(), 0);
  for (unsigned other = 0; other < threads_.size(); ++other) {
    const std::uint32_t clock = other == current_ ? thread.fence_clock : known(thread, current_, other);
    released.threads[other] = std::max(released.threads[other], clock);
  }
  for (const auto& [block, time] : acquired_) {
    std::uint32_t& said = released.blocks[block];
    said = std::max(said, time);
  }
  released.blocks[block_] = thread.fence_time;
}

Clocks::Moment Clocks::now() const {
  return {block_, time_, threads_[current_].clock, static_cast<std::uint16_t>(current_)};
}

bool Clocks::knows(const Moment& moment) const {
  if (moment.block != block_) {
    const auto found = acquired_.find(moment.block);
    return found != acquired_.end() && moment.time <= found->second;
  }
  return moment.thread == current_ || moment.clock <= known(threads_[current_], current_, moment.thread);
}

std::uint32_t Clocks::known(const Thread& thread, unsigned number, unsigned other) const {
  std::uint32_t clock = at_barrier_[other];
  if (number / kLanes == other / kLanes) clock = std::max(clock, thread.of_warp[other % kLanes]);
  if (!thread.of_all.empty()) clock = std::max(clock, thread.of_all[other]);
  return clock;
}

void Clocks::learn(Thread& thread, const std::vector<std::uint32_t>& clocks) {
  thread.of_all.resize(threads_.size(), 0);
  for (std::size_t i = 0; i < clocks.size(); ++i) thread.of_all[i] = std::max(thread.of_all[i], clocks[i]);
}

}  // namespace tuner::host
