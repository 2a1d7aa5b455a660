#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cache/store/wanted_store.hpp"
#include "tuner/core/description/description.hpp"
#include "tuner/instance.hpp"

namespace tuner {

/// What a Runtime missed, for `tuner wanted`. It is kept in memory and written by a thread of its own: a new miss at
/// once, or 0.1 s after the last write; what is launched meanwhile after pauses that grow from 0.1 s to
/// `longest_pause`; the rest at the end. Who dies loses what came since. A file that is locked is tried again after
/// such a pause, any other trouble is reported once and ends the list. Safe to use from several threads.
class WantedList {
 public:
  using Count = std::atomic<std::uint64_t>;

  /// `database` as chosen by the program (cache::locate). `report` must not throw. Touches no file and starts no
  /// thread.
  WantedList(std::filesystem::path database, std::function<void(const std::string&)> report,
             std::chrono::milliseconds longest_pause = std::chrono::seconds(5),
             std::chrono::milliseconds first_wait = std::chrono::milliseconds(20));
  /// Writes what is left, for which it waits half a second for other processes. So does the end of a program, by exit
  /// or quick_exit, for a list that is never destroyed.
  ~WantedList();
  WantedList(const WantedList&) = delete;
  WantedList& operator=(const WantedList&) = delete;

  /// Notes that `served` stands in for a decision with this key; the same key once more adds to its requests if
  /// `is_request`. Touches no file. Returns where to count launches, which lives as long as the list; null where memory
  /// is short.
  Count* note(const cache::DecisionKey& key, std::shared_ptr<const KernelDescription> description,
              const Provenance& served, bool is_request) noexcept;

  /// Returns once the first miss of the program is on disk, or could not be written, and at the latest `first_wait`
  /// after it was noted: a program that ends at once leaves that. Does not wait for any other miss.
  void await_first() noexcept;

 private:
  struct Miss {
    cache::Wanted wanted;  ///< but for its source, its counts and when it was last asked for
    std::shared_ptr<const KernelDescription> description;
    Count requested{0}, launched{0};
    // Of the thread alone.
    std::uint64_t written_requests = 0, written_launches = 0;
  };

  class Living;

  void finish();
  void run();
  bool write(bool is_last);
  void report(const std::string& sentence);
  void record();
  const cache::Hash& source_of(const Miss& miss);

  const std::filesystem::path database_;
  const std::function<void(const std::string&)> report_;
  const std::chrono::milliseconds longest_pause_, first_wait_;
  std::atomic<bool> may_report_{true};
  std::mutex mutex_;
  std::condition_variable wakes_, tried_;
  bool is_ending_ = false;
  bool has_tried_ = false;  ///< the thread, to write the first miss
  std::optional<std::chrono::steady_clock::time_point> first_noted_;
  std::map<std::string, Miss> misses_;  ///< by the text of the key
  std::vector<Miss*> fresh_;            ///< that the thread does not know yet
  // Of the thread alone.
  std::vector<Miss*> known_;
  std::map<std::shared_ptr<const KernelDescription>, cache::Hash> sources_;
  std::thread thread_;
};

}  // namespace tuner
