#include "tuner/capture/inject/watch_profile.hpp"

#include <cupti.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include "tuner/capture/inject/cupti_calls.hpp"
#include "tuner/capture/inject/launch_table.hpp"
#include "tuner/capture/inject/parent.hpp"
#include "tuner/capture/inject/quiet_thread.hpp"
#include "tuner/capture/message.hpp"

namespace tuner::capture {
namespace {

using namespace std::chrono_literals;

/// Small, because CUPTI keeps a buffer back until every launch in it has ended.
constexpr std::size_t kBufferBytes = 64 * 1024;
/// What a program launched so short a time before it was killed may be lost.
constexpr auto kInterval = 100ms;

/// Never destroyed: threads of the program and of CUPTI may run until the very end.
struct Injected {
  Injected(const Parent& the_parent, const CuptiCalls& calls) : parent(the_parent), cupti(calls) {}

  const Parent parent;
  const CuptiCalls cupti;
  const pid_t process = getpid();
  std::uint64_t begin = 0;  ///< as CUPTI counts time
  LaunchTable table;
  std::atomic<std::size_t> dropped = 0;  ///< launches, or more

  std::mutex mutex;
  std::condition_variable changed;
  bool ending = false, ended = false;
};
Injected* injected = nullptr;

void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;
}

/// Only what is in the records of every CUPTI since 12.0.
using KernelRecord = CUpti_ActivityKernel9;

LaunchShape shape_of(const KernelRecord& record) {
  const auto number = [](auto value) { return static_cast<std::uint32_t>(value); };
  return {.grid = {number(record.gridX), number(record.gridY), number(record.gridZ)},
          .block = {number(record.blockX), number(record.blockY), number(record.blockZ)},
          .cluster = {record.clusterX, record.clusterY, record.clusterZ},
          .dynamic_shared = number(record.dynamicSharedMemory),
          .static_shared = number(record.staticSharedMemory),
          .registers = record.registersPerThread,
          .local_bytes = record.localMemoryPerThread,
          .in_graph = record.graphId != 0};
}

void take_record(const CUpti_Activity& activity) {
  if (activity.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return;
  const auto& record = reinterpret_cast<const KernelRecord&>(activity);
  // One that has not ended has no times; it is handed over where the program ends first.
  if (record.name == nullptr || record.start == 0 || record.end < record.start || record.start < injected->begin)
    return;
  if (!injected->table.add(record.name, shape_of(record), static_cast<double>(record.end - record.start)))
    ++injected->dropped;
}

void take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t bytes) {
  try {
    CUpti_Activity* record = nullptr;
    while (injected->cupti.next_record(buffer, bytes, &record) == CUPTI_SUCCESS) take_record(*record);
  } catch (const std::bad_alloc&) {
    ++injected->dropped;
  }
  std::free(buffer);
  std::size_t dropped = 0;
  if (injected->cupti.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS) injected->dropped += dropped;
}

/// What a thread throws ends the program.
void report(std::uint32_t flush_flag) noexcept {
  injected->cupti.flush(flush_flag);
  try {
    if (!injected->table.send_to(injected->parent)) ++injected->dropped;
  } catch (const std::bad_alloc&) {
    ++injected->dropped;
  }
}

/// All that is flushed and sent is so by this thread, because either may take time: the program waits for its last
/// report only, and not for ever.
void report_until_the_end() {
  std::unique_lock lock(injected->mutex);
  while (!injected->changed.wait_for(lock, kInterval, [] { return injected->ending; })) {
    lock.unlock();
    report(0);
    lock.lock();
  }
  lock.unlock();
  report(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (injected->dropped > 0)
    injected->parent.send(MessageKind::trouble,
                          "Some launches were lost, because there was too little memory for them.");
  injected->parent.send(MessageKind::bye);
  lock.lock();
  injected->ended = true;
  injected->changed.notify_all();
}

void at_exit() {
  if (getpid() != injected->process) return;  // a fork has neither the thread nor a usable driver
  std::unique_lock lock(injected->mutex);
  injected->ending = true;
  injected->changed.notify_all();
  injected->changed.wait_for(lock, injected->parent.patience(), [] { return injected->ended; });
}

/// `begin`, of CLOCK_MONOTONIC, as CUPTI counts time.
std::uint64_t in_time_of_cupti(const CuptiCalls& cupti, std::int64_t begin) {
  std::uint64_t cuptis_now = 0;
  timespec now{};
  if (cupti.timestamp(&cuptis_now) != CUPTI_SUCCESS || clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  const std::int64_t wait = begin - (now.tv_sec * std::int64_t{1000000000} + now.tv_nsec);
  return wait > 0 ? cuptis_now + static_cast<std::uint64_t>(wait) : 0;
}

}  // namespace

std::string watch_profile(const Parent& parent, const CuptiCalls& cupti) {
  // Other users of CUPTI notice a subscriber, and this notices them.
  CUpti_SubscriberHandle subscriber = nullptr;
  const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  CUptiResult result = cupti.subscribe(&subscriber, ignore, nullptr);
  if (result != CUPTI_SUCCESS) return refusal_of(cupti, result);
  injected = new Injected(parent, cupti);
  injected->begin = in_time_of_cupti(cupti, parent.begin());
  result = cupti.register_buffers(give_buffer, take_buffer);
  if (result == CUPTI_SUCCESS) result = cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (result != CUPTI_SUCCESS) return refusal_of(cupti, result);
  quiet_thread(report_until_the_end).detach();
  std::atexit(at_exit);
  return {};
}

}  // namespace tuner::capture
