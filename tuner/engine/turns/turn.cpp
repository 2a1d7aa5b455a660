#include "tuner/engine/turns/turn.hpp"

#include <fmt/format.h>

#include <thread>

#include "cache/store/lease.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/engine/turns/gpu_lock.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

/// One thing that one process at a time may have.
struct Exclusive {
  std::string name;  ///< among those that are overdue
  std::function<cache::FileLock()> open;
  std::string busy;      ///< "Another process is ..."
  std::string unlocked;  ///< what may happen without the lock
  std::string beside;    ///< what happens while another one has it
};

/// Whether the lock is to be waited for; if not, it has been said that work goes on without it.
bool goes_on_waiting(const Exclusive& thing, const TurnWait& wait, const std::string& busy, Clock::time_point begin) {
  const bool is_overdue = wait.overdue != nullptr && wait.overdue->contains(thing.name);
  if (!is_overdue && Clock::now() - begin < wait.limit) return true;
  const std::string after = !is_overdue && wait.limit.count() > 0
                                ? fmt::format(", and had not finished after {}",
                                              duration_text(std::chrono::duration<double>(wait.limit).count()))
                                : "";
  if (wait.overdue != nullptr) wait.overdue->insert(thing.name);
  if (wait.warning) wait.warning(fmt::format("{}{}. {}", busy, after, thing.beside));
  return false;
}

bool take(const Exclusive& thing, const TurnWait& wait, Turn& turn) {
  try {
    cache::FileLock lock = thing.open();
    const Clock::time_point begin = Clock::now();
    for (bool waiting = false; !lock.try_take(cache::this_process()); waiting = true) {
      const std::optional<std::string> holder = lock.holder();
      const std::string busy = thing.busy + (holder ? fmt::format(" ({})", *holder) : "");
      if (!goes_on_waiting(thing, wait, busy, begin)) return true;
      if (!waiting && wait.waits) wait.waits(busy);
      if (wait.gives_up && wait.gives_up()) return false;
      std::this_thread::sleep_for(wait.look);
    }
    if (wait.overdue != nullptr) wait.overdue->erase(thing.name);
    turn.push_back(std::move(lock));
  } catch (const Error& error) {
    if (error.code() != Errc::store_unavailable) throw;
    if (wait.warning) wait.warning(fmt::format("{} {}", error.what(), thing.unlocked));
  }
  return true;
}

}  // namespace

bool take_lease(const Task& task, Timing timing, const std::string& database, const TurnWait& wait, Turn& turn) {
  if (database.empty()) return true;
  const cache::DecisionKey key = task.key(to_string(timing));
  // Under one name for all of them: another process that tunes the same problems has the next one, too.
  return take({database, [&] { return cache::lease_on(key, database); },
               fmt::format("Another process is already at work on `{}` for {}", key.kernel_name, key.problem),
               "Tuning continues; another process might tune the same kernel and problem at the same time.",
               "Tuning continues alongside it: configurations may be measured twice."},
              wait, turn);
}

bool take_gpu(const DeviceInfo& device, const TurnWait& wait, Turn& turn) {
  const std::string& gpu = device.uuid;
  if (gpu.empty()) return true;
  return take(
      {gpu, [&] { return gpu_lock(gpu); }, fmt::format("Another process is measuring on GPU {}", device.ordinal),
       "Tuning continues; another process might measure on the same GPU at the same time.",
       "Tuning continues alongside it: if both measure at once, their times may be too long."},
      wait, turn);
}

}  // namespace tuner::engine
