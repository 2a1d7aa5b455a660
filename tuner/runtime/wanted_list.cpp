#include "tuner/runtime/wanted_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "cache/file/location.hpp"
#include "cache/sqlite/busy.hpp"
#include "cache/store/store_rules.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/error.hpp"
#include "tuner/process/quiet_thread.hpp"

namespace tuner {
namespace {

/// Three attempts are made.
constexpr std::chrono::milliseconds kPatience{160};
/// Between two writes, however much is missed.
constexpr std::chrono::milliseconds kShortestPause{100};

cache::WantedSource source_text(const KernelDescription& description) {
  return {description.file.filename().string(), description.source, without_standard(description.given_headers)};
}

}  // namespace

/// The lists that still have to be finished. A Runtime that is a singleton may never be destroyed.
class WantedList::Living {
 public:
  /// The first call has them finished when the program ends. Never destroyed, because others may be destroyed later.
  static Living& all() {
    static Living* const living = [] {
      std::atexit(finish_all);
      std::at_quick_exit(finish_all);
      return new Living;
    }();
    return *living;
  }

  void add(WantedList& list) {
    const std::lock_guard lock(mutex_);
    lists_[&list] = getpid();
  }
  void remove(WantedList& list) {
    const std::lock_guard lock(mutex_);
    lists_.erase(&list);
  }

 private:
  static void finish_all() {
    Living& living = all();
    const std::lock_guard lock(living.mutex_);
    for (const auto& [list, process] : living.lists_) {
      if (process != getpid()) continue;  // a fork has none of its parent's threads
      list->may_report_ = false;          // the program's objects may be gone
      list->finish();
    }
  }

  std::mutex mutex_;
  std::map<WantedList*, pid_t> lists_;  ///< with the process that made them
};

WantedList::WantedList(std::filesystem::path database, std::function<void(const std::string&)> report,
                       std::chrono::milliseconds longest_pause, std::chrono::milliseconds first_wait)
    : database_(std::move(database)),
      report_(std::move(report)),
      longest_pause_(longest_pause),
      first_wait_(first_wait) {
  Living::all().add(*this);
}

WantedList::~WantedList() {
  Living::all().remove(*this);
  finish();
}

void WantedList::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_all();
  if (thread_.joinable()) thread_.join();
}

WantedList::Count* WantedList::note(const cache::DecisionKey& key, std::shared_ptr<const KernelDescription> description,
                                    const Provenance& served, bool is_request) noexcept try {
  const std::lock_guard lock(mutex_);
  const auto [position, is_new] = misses_.try_emplace(key.text());
  Miss& miss = position->second;
  if (is_request || is_new) miss.requested.fetch_add(1, std::memory_order_relaxed);
  miss.wanted.rung = to_string(served.rung);
  miss.wanted.configuration = served.configuration;
  miss.wanted.time_ns.reset();
  if (served.expected_time) miss.wanted.time_ns = served.expected_time->count();
  if (is_new) {
    miss.wanted.key = key;
    miss.wanted.first_unix_ms = cache::now_unix_ms();
    miss.description = std::move(description);
    fresh_.push_back(&miss);
    if (!first_noted_) first_noted_ = std::chrono::steady_clock::now();
    if (fresh_.size() == 1) wakes_.notify_all();
  }
  if (!thread_.joinable() && !is_ending_) thread_ = quiet_thread([this] { run(); });
  return &miss.launched;
} catch (...) {
  return nullptr;  // without memory for it, or another thread, it goes unnoted
}

void WantedList::await_first() noexcept {
  std::unique_lock lock(mutex_);
  if (!first_noted_ || !thread_.joinable()) return;
  tried_.wait_until(lock, *first_noted_ + first_wait_, [&] { return has_tried_; });
}

void WantedList::run() {
  const std::chrono::milliseconds shortest = std::min(kShortestPause, longest_pause_);
  std::chrono::milliseconds pause = shortest;
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool is_last = is_ending_;
    pause = fresh_.empty() ? std::min(2 * pause, longest_pause_) : shortest;
    bool goes_on = false;
    try {
      known_.insert(known_.end(), fresh_.begin(), fresh_.end());
      fresh_.clear();
      lock.unlock();
      goes_on = write(is_last);
    } catch (const std::exception& error) {
      report(fmt::format("What this program misses is not listed any more: {}", error.what()));
    }
    lock.lock();
    has_tried_ = true;
    tried_.notify_all();
    if (is_last || !goes_on) return;
    wakes_.wait_for(lock, pause, [&] { return is_ending_ || (pause > shortest && !fresh_.empty()); });
  }
}

/// Whether there is any use in trying again.
bool WantedList::write(bool is_last) try {
  record();
  return true;
} catch (const Error& error) {
  if (cache::is_busy(error) && !is_last) return true;
  report(error.what());
  return false;
}

void WantedList::report(const std::string& sentence) {
  if (may_report_) report_(sentence);
}

void WantedList::record() {
  std::vector<cache::Wanted> some;
  std::vector<std::pair<Miss*, std::pair<std::uint64_t, std::uint64_t>>> counts;
  for (Miss* const miss : known_) {
    const std::uint64_t requests = miss->requested.load(std::memory_order_relaxed);
    const std::uint64_t launches = miss->launched.load(std::memory_order_relaxed);
    if (requests == miss->written_requests && launches == miss->written_launches) continue;
    {
      const std::lock_guard lock(mutex_);  // for each of them, so that a request waits for one at most
      some.push_back(miss->wanted);
    }
    cache::Wanted& wanted = some.back();
    wanted.source = source_of(*miss);
    wanted.requested = static_cast<std::int64_t>(requests - miss->written_requests);
    wanted.launched = static_cast<std::int64_t>(launches - miss->written_launches);
    wanted.last_unix_ms = cache::now_unix_ms();
    counts.push_back({miss, {requests, launches}});
  }
  if (some.empty()) return;
  const cache::WantedStore store(cache::locate(database_).decisions, kPatience);
  store.record(some, [&](const cache::Wanted& wanted) {
    for (const auto& [description, hash] : sources_) {
      if (hash == wanted.source) return source_text(*description);
    }
    return cache::WantedSource();
  });
  for (const auto& [miss, written] : counts) std::tie(miss->written_requests, miss->written_launches) = written;
}

const cache::Hash& WantedList::source_of(const Miss& miss) {
  cache::Hash& hash = sources_[miss.description];
  if (hash.empty()) hash = cache::hash_of(source_text(*miss.description));
  return hash;
}

}  // namespace tuner
