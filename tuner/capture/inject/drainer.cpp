#include "tuner/capture/inject/drainer.hpp"

#include "tuner/capture/inject/quiet_thread.hpp"

namespace tuner::capture {
namespace {

thread_local bool is_drainer = false;

}  // namespace

bool Drainer::is_this_thread() {
  return is_drainer;
}

Drainer::Drainer(const DriverCalls& driver) : driver_(driver) {
  quiet_thread([this] { serve(); }).detach();
}

bool Drainer::is_waiting() {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

bool Drainer::drain(CUcontext context, std::chrono::nanoseconds patience) {
  std::unique_lock lock(mutex_);
  if (context_ != nullptr) return false;
  context_ = context;
  is_idle_ = false;
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return context_ == nullptr; }) && is_idle_;
}

void Drainer::serve() {
  is_drainer = true;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return context_ != nullptr; });
    CUcontext const context = context_;
    lock.unlock();
    const bool is_idle = driver_.set_context(context) == CUDA_SUCCESS && driver_.synchronize() == CUDA_SUCCESS;
    lock.lock();
    is_idle_ = is_idle;
    context_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace tuner::capture
