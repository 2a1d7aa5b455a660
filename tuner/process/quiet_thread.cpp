#include "tuner/process/quiet_thread.hpp"

#include <signal.h>

#include <system_error>
#include <utility>

#include "tuner/process/shortage.hpp"

namespace tuner {
namespace {

/// A thread is born with the mask of the one that starts it.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::thread quiet_thread(std::function<void()> work) {
  const HeldSignals held;
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& error) {
    refused_by_system("Another thread cannot be started", error.code().value());
  }
}

}  // namespace tuner
