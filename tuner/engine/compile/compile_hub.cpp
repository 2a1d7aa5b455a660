#include "tuner/engine/compile/compile_hub.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tuner/engine/lanes/wait.hpp"
#include "tuner/process/quiet_thread.hpp"
#include "tuner/process/shortage.hpp"

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLook{200};

UniqueFd new_signal() {
  UniqueFd fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) refused_by_system("Compiling cannot begin", errno);
  return fd;
}

/// The descriptor is full only where it is readable, and that is all that is wanted of it.
void raise_signal(const UniqueFd& fd) {
  constexpr std::uint64_t kOne = 1;
  [[maybe_unused]] const ssize_t ignored = write(fd.get(), &kOne, sizeof kOne);
}

void lower_signal(const UniqueFd& fd) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t ignored = read(fd.get(), &count, sizeof count);
}

}  // namespace

class CompileHub::Seat final : public CompileLane {
 public:
  Seat(CompileHub& hub, std::size_t most, double width)
      : hub_(hub), most_(most), width_(width), answered_signal_(new_signal()) {}

  void submit(TicketId ticket, CompileRequest request) override {
    {
      const std::lock_guard lock(hub_.mutex_);
      waiting_.emplace_back(ticket, std::move(request));
    }
    hub_.wake();
  }

  std::vector<Completion> poll() override {
    const std::lock_guard lock(hub_.mutex_);
    lower_signal(answered_signal_);
    if (answered_.empty() && hub_.broken_) throw Error(*hub_.broken_);
    return std::exchange(answered_, {});
  }

  void cancel(TicketId ticket) override {
    {
      const std::lock_guard lock(hub_.mutex_);
      const auto same = [&](const auto& one) { return one.first == ticket; };
      const auto found = std::find_if(waiting_.begin(), waiting_.end(), same);
      if (found == waiting_.end()) {
        if (given_.contains(ticket)) hub_.cancelled_.push_back(ticket);
      } else {
        waiting_.erase(found);
        CompileReply reply;
        reply.outcome = Outcome::compile_timeout;
        reply.message = "It was cancelled before it was compiled.";
        answer({ticket, std::move(reply)});
      }
    }
    hub_.wake();
  }

  std::size_t room() const override {
    const std::lock_guard lock(hub_.mutex_);
    return most_ - std::min(most_, waiting_.size() + given_.size());
  }
  double width() const override { return width_; }
  std::vector<int> wait_fds() const override { return {answered_signal_.get()}; }
  Clock::time_point next_deadline() const override { return Clock::now() + kLook; }

  // For the hub, under its lock.
  bool wants() const { return !waiting_.empty(); }
  std::pair<TicketId, CompileRequest> take() {
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    given_.insert(first.first);
    return first;
  }
  bool asked_for(TicketId ticket) { return given_.erase(ticket) > 0; }
  void answer(Completion completion) {
    answered_.push_back(std::move(completion));
    notify();
  }
  void notify() { raise_signal(answered_signal_); }

 private:
  CompileHub& hub_;
  const std::size_t most_;
  const double width_;
  const UniqueFd answered_signal_;
  std::deque<std::pair<TicketId, CompileRequest>> waiting_;
  std::set<TicketId> given_;  ///< to the lane
  std::vector<Completion> answered_;
};

CompileHub::CompileHub(CompileLane& lane, std::size_t seats) : lane_(lane), wake_(new_signal()) {
  const std::size_t most = std::max<std::size_t>(lane.room(), 1);
  // Of all seats, although some may rest by then: who rests when is a matter of chance, and a seed is to search alike.
  const double share = lane.width() / static_cast<double>(seats);
  for (std::size_t i = 0; i < seats; ++i) seats_.push_back(std::make_unique<Seat>(*this, most, share));
  thread_ = quiet_thread([this] { run(); });
}

CompileHub::~CompileHub() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake();
  thread_.join();
}

CompileLane& CompileHub::seat(std::size_t number) {
  return *seats_[number];
}

void CompileHub::wake() const {
  raise_signal(wake_);
}

void CompileHub::run() try {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      lower_signal(wake_);
      if (ending_) return;
      for (const TicketId ticket : std::exchange(cancelled_, {})) lane_.cancel(ticket);
    }
    feed();
    std::vector<CompileLane::Completion> completions = lane_.poll();
    const bool busy = !completions.empty();
    hand_out(std::move(completions));
    if (busy) continue;
    std::vector<int> fds = lane_.wait_fds();
    fds.push_back(wake_.get());
    wait_readable(fds, lane_.next_deadline());
  }
} catch (const Error& error) {
  const std::lock_guard lock(mutex_);
  broken_ = error;
  for (const auto& seat : seats_) seat->notify();
} catch (const std::exception& error) {
  const std::lock_guard lock(mutex_);
  broken_ = as_shortage(error).value_or(Error(Errc::internal, error.what()));
  for (const auto& seat : seats_) seat->notify();
}

CompileHub::Seat* CompileHub::next_with_request() {
  for (std::size_t i = 1; i <= seats_.size(); ++i) {
    const std::size_t number = (last_served_ + i) % seats_.size();
    if (!seats_[number]->wants()) continue;
    last_served_ = number;
    return seats_[number].get();
  }
  return nullptr;
}

void CompileHub::feed() {
  while (lane_.room() > 0) {
    std::optional<std::pair<TicketId, CompileRequest>> next;
    {
      const std::lock_guard lock(mutex_);
      if (Seat* const seat = next_with_request()) next = seat->take();
    }
    if (!next) return;
    lane_.submit(next->first, std::move(next->second));
  }
}

void CompileHub::hand_out(std::vector<CompileLane::Completion> completions) {
  const std::lock_guard lock(mutex_);
  for (CompileLane::Completion& completion : completions) {
    for (const auto& seat : seats_) {
      if (!seat->asked_for(completion.ticket)) continue;
      seat->answer(std::move(completion));
      break;
    }
  }
}

}  // namespace tuner::engine
