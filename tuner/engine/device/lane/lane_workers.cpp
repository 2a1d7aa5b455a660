#include "tuner/engine/device/lane/lane_workers.hpp"

#include <algorithm>
#include <utility>

#include "tuner/engine/device/lane/device_wire.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fixed_addresses.hpp"

namespace tuner::engine {

DeviceWorkers::~DeviceWorkers() {
  // All are killed before the first wait, so that they end at the same time.
  retire();
  dismiss_spares();
  const auto deadline = Clock::now() + program_.patience;
  for (Leaving& leaving : leaving_) {
    if (!leaving.waited_for) leaving.process.wait_until(deadline);
    leaving.process.leave_behind();
  }
}

DeviceWorker DeviceWorkers::spawn() const {
  const FixedAddresses fixed(fixed_addresses_);
  return {ChildProcess(program_), Clock::now() + start_limit_};
}

void DeviceWorkers::dismiss(ChildProcess process, bool computing) noexcept {
  process.kill();
  process.channel().close();
  leaving_.push_back({std::move(process), computing, Clock::now() + program_.patience});
}

void DeviceWorkers::retire(bool computing) noexcept {
  if (!active_) return;
  retired_ = active_->process.pid();
  dismiss(std::move(active_->process), computing);
  active_.reset();
}

bool DeviceWorkers::take_over() {
  drop_useless();  // those that died while standing by
  const auto progress = [](const DeviceWorker& spare) { return spare.greeted + spare.has_context; };
  // The first of equals is the oldest.
  const auto best = std::max_element(spares_.begin(), spares_.end(), [&](const DeviceWorker& a, const DeviceWorker& b) {
    return progress(a) < progress(b);
  });
  if (best == spares_.end()) {
    active_ = spawn();
    return false;
  }
  active_ = std::move(*best);
  spares_.erase(best);
  return active_->has_context;
}

std::string DeviceWorkers::exit_description() {
  const auto found = std::find_if(leaving_.begin(), leaving_.end(),
                                  [&](const Leaving& leaving) { return leaving.process.pid() == retired_; });
  if (found == leaving_.end()) return "The device worker ended.";
  const std::optional<ExitStatus> status = found->process.wait_until(Clock::now() + std::chrono::seconds(1));
  const std::string words = found->process.stderr_tail(1000);
  const std::string end = "The device worker " + (status ? status->text() : std::string("closed its channel"));
  return words.empty() ? end + "." : end + "; its last output: \"" + words + "\".";
}

int DeviceWorkers::start_spares(int wanted) {
  int started = 0;
  while (static_cast<int>(spares_.size()) < wanted) {
    try {
      spares_.push_back(spawn());
      ++started;
    } catch (const Error&) {
      ++lost_;  // too many processes, perhaps; the active one goes on
      break;
    }
  }
  return started;
}

// False if it is of no use any more.
bool DeviceWorkers::hear(DeviceWorker& spare) {
  try {
    while (const std::optional<Message> message = spare.process.channel().receive()) {
      if (message->type == kErrorMessage) return false;
      spare.greeted = true;
      if (message->type == kContextReady) spare.has_context = true;
    }
  } catch (const Error&) {
    return false;  // of another build, say: the program was replaced while this one runs
  }
  const bool late = !spare.has_context && Clock::now() >= spare.start_deadline;
  return !late && !spare.process.channel().closed();
}

void DeviceWorkers::drop_useless() {
  for (auto spare = spares_.begin(); spare != spares_.end();) {
    if (hear(*spare)) {
      ++spare;
      continue;
    }
    ++lost_;
    dismiss(std::move(spare->process));
    spare = spares_.erase(spare);
  }
}

int DeviceWorkers::tend() {
  drop_useless();
  std::erase_if(leaving_, [](Leaving& leaving) { return leaving.process.try_wait().has_value(); });
  return std::exchange(lost_, 0);
}

int DeviceWorkers::spares_ready() const {
  return static_cast<int>(
      std::count_if(spares_.begin(), spares_.end(), [](const DeviceWorker& spare) { return spare.has_context; }));
}

void DeviceWorkers::dismiss_spares() noexcept {
  for (DeviceWorker& spare : spares_) dismiss(std::move(spare.process));
  spares_.clear();
}

void DeviceWorkers::dismiss_unready_spares() {
  std::vector<DeviceWorker> ready;
  for (DeviceWorker& spare : spares_) {
    if (hear(spare) && spare.has_context) {
      ready.push_back(std::move(spare));
    } else {
      dismiss(std::move(spare.process));
    }
  }
  spares_ = std::move(ready);
}

bool DeviceWorkers::any_computing() const {
  const auto now = Clock::now();
  return std::any_of(leaving_.begin(), leaving_.end(),
                     [&](const Leaving& leaving) { return leaving.computing && now < leaving.patience_ends; });
}

void DeviceWorkers::wait_for_leaving() noexcept {
  const auto deadline = Clock::now() + program_.patience;
  for (Leaving& leaving : leaving_) {
    if (!std::exchange(leaving.waited_for, true)) leaving.process.wait_until(deadline);
  }
}

std::vector<pid_t> DeviceWorkers::pids() const {
  std::vector<pid_t> result;
  if (active_) result.push_back(active_->process.pid());
  for (const DeviceWorker& spare : spares_) result.push_back(spare.process.pid());
  for (const Leaving& leaving : leaving_) result.push_back(leaving.process.pid());
  return result;
}

std::vector<int> DeviceWorkers::wait_fds() const {
  std::vector<int> result;
  const auto add = [&](const DeviceWorker& worker) {
    if (!worker.process.channel().closed()) result.push_back(worker.process.channel().fd());
  };
  if (active_) add(*active_);
  for (const DeviceWorker& spare : spares_) add(spare);
  for (const Leaving& leaving : leaving_)
    if (leaving.computing && leaving.process.exit_fd() >= 0) result.push_back(leaving.process.exit_fd());
  return result;
}

DeviceWorkers::Clock::time_point DeviceWorkers::next_deadline() const {
  auto result = Clock::time_point::max();
  const auto consider = [&](const DeviceWorker& worker, bool started) {
    if (worker.process.channel().closed()) result = Clock::time_point::min();
    if (!started) result = std::min(result, worker.start_deadline);
  };
  if (active_) consider(*active_, active_->greeted);
  for (const DeviceWorker& spare : spares_) consider(spare, spare.has_context);
  const auto now = Clock::now();
  for (const Leaving& leaving : leaving_) {
    if (!leaving.computing || now >= leaving.patience_ends) continue;
    // Where the system has no descriptor for its end, it is polled.
    const auto look = leaving.process.exit_fd() >= 0 ? leaving.patience_ends : now + std::chrono::milliseconds(5);
    result = std::min(result, look);
  }
  return result;
}

}  // namespace tuner::engine
