#include "tuner/cli/turn.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <thread>

#include "cache/lease.hpp"
#include "tuner/engine/gpu_lock.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

constexpr std::chrono::milliseconds kLook{100};

/// One thing that one process at a time may have.
struct Wanted {
  std::function<cache::FileLock()> open;
  std::string busy;      ///< "Another process tunes ... already"
  std::string unlocked;  ///< what may happen without the lock
};

std::string met(const Wanted& wanted, const cache::FileLock& lock) {
  const std::optional<std::string> holder = lock.holder();
  return wanted.busy + (holder ? fmt::format(" ({})", *holder) : "");
}

/// Adds the lock to the turn; false if the user interrupted the wait.
bool take(const Wanted& wanted, const TuneRequest& request, const TuneContext& context,
          const std::function<void()>& before_waiting, Turn& turn) {
  try {
    cache::FileLock lock = wanted.open();
    for (bool warned = false; !lock.try_take(cache::this_process()); warned = true) {
      if (request.if_busy == IfBusy::leave) {
        throw Error(Errc::busy, fmt::format("{}. Try again later, or leave `--if-busy leave` out to wait for it.",
                                            met(wanted, lock)));
      }
      if (!warned) {
        before_waiting();
        context.observer.warning(
            fmt::format("{}: waiting for it to end. Ctrl-C stops waiting; `--if-busy leave` would have ended at once.",
                        met(wanted, lock)));
      }
      if (context.stop) return false;
      std::this_thread::sleep_for(kLook);
    }
    turn.push_back(std::move(lock));
  } catch (const Error& error) {
    if (error.code() != Errc::store_unavailable) throw;
    context.observer.warning(fmt::format("{} {}", error.what(), wanted.unlocked));
  }
  return true;
}

}  // namespace

std::optional<Turn> wait_for_turn(const Task& task, const TuneRequest& request, const std::string& database,
                                  const TuneContext& context, const std::function<void()>& before_waiting) {
  const cache::DecisionKey key = task.key(request.session.mode == engine::CacheMode::cold ? "cold" : "warm");
  const std::string& gpu = task.device().uuid;
  Turn turn;
  // Always in this order, so that two processes never wait for each other.
  const Wanted lease{[&] { return cache::lease_on(key, database); },
                     fmt::format("Another process is tuning `{}` for {} already", key.kernel_name, key.problem),
                     "Tuning goes on; another process might tune the same at the same time."};
  if (!database.empty() && !take(lease, request, context, before_waiting, turn)) return std::nullopt;
  const Wanted device{[&] { return engine::gpu_lock(gpu); },
                      fmt::format("Another process is measuring on GPU {}", task.device().ordinal),
                      "Tuning goes on; another process might measure on the same GPU at the same time."};
  if (!gpu.empty() && !take(device, request, context, before_waiting, turn)) return std::nullopt;
  return turn;
}

}  // namespace tuner::cli
