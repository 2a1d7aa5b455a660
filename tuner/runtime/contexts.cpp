#include "tuner/runtime/contexts.hpp"

#include <fmt/format.h>

#include "tuner/driver/device_query.hpp"

namespace tuner {
namespace {

void require_application_functions(const cuda::Driver& driver) {
#define TUNER_REQUIRE(member, name, version)                                                                    \
  if (driver.member == nullptr) {                                                                               \
    throw Error(Errc::no_driver, "The driver library has no function " #name "; install driver 525 or later."); \
  }
  TUNER_APPLICATION_DRIVER_FUNCTIONS(TUNER_REQUIRE)
#undef TUNER_REQUIRE
}

/// A context that is current may have been destroyed by another thread, as a primary one is when its last user ends.
bool is_gone(CUresult result) {
  return result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace

Contexts::~Contexts() {
  const cuda::Driver* driver = driver_.load();
  if (driver == nullptr || cuda::device_abandoned()) return;
  for (const auto& [device, context] : retained_) {
    driver->release_context(device);
    // What this thread was given and has ended with that must not stay current.
    unsigned flags = 0;
    int active = 1;
    CUcontext current = nullptr;
    driver->primary_context_state(device, &flags, &active);
    const bool is_current = driver->current_context(&current) == CUDA_SUCCESS && current == context;
    if (active == 0 && is_current) driver->set_context(nullptr);
  }
}

std::uint64_t Contexts::current_id() noexcept {
  const cuda::Driver* driver = driver_.load(std::memory_order_acquire);
  if (driver == nullptr) return 0;
  // cuda.h: unique for the lifetime of the program, unlike a context's address.
  unsigned long long id = 0;
  if (driver->context_id(nullptr, &id) != CUDA_SUCCESS) id = 0;
  if (!device_) return id;
  const std::uint64_t primary = primary_id_.load(std::memory_order_acquire);
  if (id != primary && primary != 0) driver->set_context(primary_context_.load(std::memory_order_relaxed));
  return primary;
}

const cuda::Driver& Contexts::open() {
  if (const cuda::Driver* driver = driver_.load(std::memory_order_acquire)) return *driver;
  const std::lock_guard lock(mutex_);
  if (no_driver_) throw *no_driver_;
  try {
    const cuda::Driver& driver = cuda::driver();
    require_application_functions(driver);
    driver_.store(&driver, std::memory_order_release);
    return driver;
  } catch (const Error& error) {
    no_driver_ = error;
    throw;
  }
}

ContextPlace Contexts::current() {
  const cuda::Driver& driver = open();
  if (device_) return primary(*device_);
  ContextPlace place;
  cuda::check(driver.current_context(&place.context), "cuCtxGetCurrent");
  if (place.context == nullptr) return primary(0);
  unsigned long long id = 0;
  const CUresult named = driver.context_id(nullptr, &id);
  if (is_gone(named)) return primary(0);
  cuda::check(named, "cuCtxGetId");
  CUdevice device = 0;
  cuda::check(driver.context_device(&device), "cuCtxGetDevice");
  place.id = id;
  place.device = device;
  return place;
}

ContextPlace Contexts::primary(int device) {
  const cuda::Driver& driver = open();
  info(device);  // says so if there is none
  ContextPlace place{.device = device};
  {
    const std::lock_guard lock(mutex_);
    CUcontext& context = retained_[device];
    if (context == nullptr) cuda::check(driver.retain_context(&context, device), "cuDevicePrimaryCtxRetain");
    place.context = context;
  }
  cuda::check(driver.set_context(place.context), "cuCtxSetCurrent");
  unsigned long long id = 0;
  cuda::check(driver.context_id(nullptr, &id), "cuCtxGetId");
  place.id = id;
  if (device_) {
    primary_context_.store(place.context, std::memory_order_relaxed);
    primary_id_.store(id, std::memory_order_release);
  }
  return place;
}

bool Contexts::is_capturing(Stream stream) const noexcept {
  const cuda::Driver* driver = driver_.load(std::memory_order_acquire);
  if (driver == nullptr) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto captures = [&](CUstream which) {
    const CUresult result = driver->is_capturing(which, &status);
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) return true;  // another stream is, in a way that forbids this one
    return result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
  };
  return captures(CU_STREAM_LEGACY) || (stream != nullptr && captures(stream));
}

const DeviceInfo& Contexts::info(int device) {
  open();
  const std::lock_guard lock(mutex_);
  const auto found = infos_.find(device);
  if (found != infos_.end()) return found->second;
  DeviceInfo info = cuda::query_attributes(device);
  info.driver_version = cuda::kernel_module_version();
  return infos_.emplace(device, std::move(info)).first->second;
}

InContext::InContext(CUcontext context) {
  const cuda::Driver& driver = cuda::driver();
  cuda::check(driver.push_context(context), "cuCtxPushCurrent");
  driver.exchange_capture_mode(&capture_mode_);
}

InContext::~InContext() {
  const cuda::Driver& driver = cuda::driver();
  driver.exchange_capture_mode(&capture_mode_);
  CUcontext popped = nullptr;
  driver.pop_context(&popped);
}

}  // namespace tuner
