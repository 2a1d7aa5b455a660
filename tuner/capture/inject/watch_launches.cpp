#include "tuner/capture/inject/watch_launches.hpp"

#include <cuda.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/capture/inject/drainer.hpp"
#include "tuner/capture/inject/driver_calls.hpp"
#include "tuner/capture/inject/driver_events.hpp"
#include "tuner/capture/inject/gate.hpp"
#include "tuner/capture/inject/launch_call.hpp"
#include "tuner/capture/inject/live_memory.hpp"
#include "tuner/capture/inject/module_images.hpp"
#include "tuner/capture/inject/snapshot.hpp"

namespace tuner::capture {
namespace {

using Clock = std::chrono::steady_clock;

/// Launches that are tried, before a program is left alone.
constexpr int kMostFailures = 3;
/// What we call would end the capture, or be refused in it.
constexpr const char* kInCapture = "the program captured a stream at that moment";
constexpr const char* kNotDone = "what the GPU did before did not end within 2 s; it may wait for a later launch";
constexpr const char* kNoMemory = "there is no memory, or no thread, for it";

/// What a call leaves for its end, in the word that CUPTI keeps for it.
enum class Mark : std::uint64_t { none = 0, entered = 1, stored = 2 };

/// While the calling thread stores a launch, its calls are ours.
thread_local bool is_ours = false;

/// They may be made whatever other threads capture.
class OurCalls {
 public:
  explicit OurCalls(const DriverCalls& driver) : driver_(driver) {
    is_ours = true;
    exchange();
  }
  ~OurCalls() {
    exchange();
    is_ours = false;
  }
  OurCalls(const OurCalls&) = delete;
  OurCalls& operator=(const OurCalls&) = delete;

 private:
  void exchange() { driver_.exchange_capture_mode(&mode_); }

  const DriverCalls& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

class Watcher {
 public:
  Watcher(const Parent& parent, const CuptiCalls& cupti, const DriverCalls& driver, const WantedLaunches& wanted)
      : parent_(parent),
        driver_(driver),
        events_(driver_events(cupti)),
        images_(wanted.kernel()),
        drainer_(driver_),
        wanted_(wanted) {}

  const std::vector<DriverEvent>& events() const { return events_; }

  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& call) {
    const DriverEvent event = id < events_.size() ? events_[id] : DriverEvent::none;
    if (call.callbackSite == CUPTI_API_ENTER) {
      enter(event, call);
    } else {
      leave(event, call);
    }
  }

  void on_module(CUpti_CallbackId id, const CUpti_ResourceData& resource) {
    const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
      images_.add(module.moduleId, std::as_bytes(std::span(module.pCubin, module.cubinSize)));
    if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING) images_.remove(module.moduleId);
  }

  void at_exit() const {
    if (getpid() == process_) parent_.send(MessageKind::bye);
  }

 private:
  void enter(DriverEvent event, const CUpti_CallbackData& call) {
    const std::optional<Launch> launch = is_of_kernel(call) ? launch_of(event, call) : std::nullopt;
    if (begin_to_store(launch)) {
      *call.correlationData = static_cast<std::uint64_t>(Mark::stored);
      return;
    }
    gate_.enter();
    // Before it is free: its address may belong to another thread the moment after.
    note_freed(event, call);
    *call.correlationData = static_cast<std::uint64_t>(Mark::entered);
    // Of kernels of one name the modules are told apart by when they are first launched.
    if (launch && captures_ == 0 && images_.is_first_launch(launch->function)) {
      const OurCalls ours(driver_);
      image_of(*launch);
    }
  }

  void leave(DriverEvent event, const CUpti_CallbackData& call) {
    const auto mark = static_cast<Mark>(*call.correlationData);
    const CUresult result = *static_cast<const CUresult*>(call.functionReturnValue);
    if (mark == Mark::stored) return finish_storing(result);
    if (mark != Mark::entered) return;  // it began before there was anybody to see it
    note_capture(event, result);
    try {
      if (result == CUDA_SUCCESS) note_allocated(event, call);
    } catch (const std::exception&) {
      // What is not noted is found from the parameters, or not stored.
    }
    gate_.leave();
  }

  /// Asked at every call of the program, so nothing is copied for it. Handles would not do: a module that is loaded may
  /// get those of one that is gone.
  bool is_of_kernel(const CUpti_CallbackData& call) const {
    return !is_over_ && call.symbolName != nullptr && std::strcmp(call.symbolName, wanted_.kernel().c_str()) == 0;
  }

  bool is_early() const {
    if (parent_.begin() == 0) return false;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec < parent_.begin();
  }

  /// Whether it becomes part of a graph. The driver is asked only while some stream is captured.
  bool is_recorded(CUstream stream) const {
    if (captures_ == 0) return false;
    const OurCalls ours(driver_);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver_.is_capturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  /// Counts the launch; what it should be stored for, if it should.
  std::optional<std::size_t> count(Launch& launch) {
    if (is_early() || is_recorded(launch.stream)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const std::optional<std::size_t> index = wanted_.take(launch.shape);
    launch.ordinal = wanted_.seen();
    return index;
  }

  /// True if the launch is being stored: then nobody else calls the driver, until it has ended.
  bool begin_to_store(std::optional<Launch> launch) {
    const std::optional<std::size_t> index = launch ? count(*launch) : std::nullopt;
    if (!index) return false;
    launch->kernel = wanted_.kernel();
    if (is_storing_.exchange(true)) return false;
    const OurCalls ours(driver_);
    // These leave it to the next launch, however often.
    const char* wait_for = captures_ > 0 ? kInCapture : drainer_.is_waiting() ? kNotDone : nullptr;
    if (wait_for != nullptr) {
      if (!gave_way_.exchange(true)) say_not_stored(wait_for);
    } else if (gate_.close(kLongestWait)) {
      std::string why_not = prepare(*launch);
      index_ = *index;
      if (why_not.empty()) return true;
      gate_.open();
      give_up(why_not);
    } else {
      give_up("calls of other threads to the driver did not end within 2 s");
    }
    is_storing_ = false;
    return false;
  }

  /// Whether nobody else can have changed anything since the gate was closed.
  bool is_alone() const { return captures_ == 0 && !gate_.was_passed(); }

  /// Takes what there is before the launch, behind a closed gate; why it could not be.
  std::string prepare(const Launch& launch) {
    if (captures_ > 0) return kInCapture;
    if (!drainer_.drain(launch.context, kLongestWait)) return kNotDone;
    try {
      const ModuleImages::Image image = image_of(launch);
      if (image == nullptr) return "its module was not seen, or several modules have a kernel of this name";
      std::string why_not;
      const Clock::time_point start = Clock::now();
      snapshot_ = Snapshot::take(
          driver_, launch, *image, memories_.list(), wanted_.limit(), [this] { return is_alone(); }, why_not);
      held_ = Clock::now() - start;
      context_ = launch.context;
      return why_not;
    } catch (const std::exception&) {
      return kNoMemory;
    }
  }

  /// A module that is loaded only when its kernel is needed is loaded now.
  ModuleImages::Image image_of(const Launch& launch) {
    CUfunction function = nullptr;
    CUmodule module = nullptr;
    if (driver_.kernel_function(&function, reinterpret_cast<CUkernel>(launch.function)) != CUDA_SUCCESS)
      function = launch.function;
    if (driver_.function_module(&module, function) != CUDA_SUCCESS) module = nullptr;
    return images_.of(module);
  }

  void finish_storing(CUresult result) {
    const OurCalls ours(driver_);
    const std::unique_ptr<Snapshot> snapshot = std::move(snapshot_);
    const std::size_t index = index_;
    std::string why_not = complete(*snapshot, result);
    gate_.open();
    is_storing_ = false;
    try {
      if (why_not.empty() && !snapshot->send_to(parent_, index)) why_not = "it could not be sent to the tuner";
    } catch (const std::exception&) {
      why_not = kNoMemory;
    }
    if (!why_not.empty()) return give_up(why_not);
    const std::lock_guard lock(mutex_);
    wanted_.finish(index);
    if (wanted_.all_done()) end();
  }

  /// Takes what there is after the launch; why it could not be.
  std::string complete(Snapshot& snapshot, CUresult result) {
    if (result != CUDA_SUCCESS) return "it failed";
    const auto patience = kLongestWait + 4 * std::chrono::nanoseconds(wanted_.longest());
    if (!drainer_.drain(context_, patience))
      return "it did not end within 2 s and four times what it took before; it may wait for a later launch";
    std::string why_not;
    try {
      const Clock::time_point start = Clock::now();
      if (snapshot.take_after(why_not) && !is_alone()) why_not = "another thread of the program could not wait so long";
      held_ += Clock::now() - start;
      snapshot.set_held(static_cast<std::uint64_t>(std::chrono::nanoseconds(held_).count()));
    } catch (const std::exception&) {
      why_not = kNoMemory;
    }
    return why_not;
  }

  /// The next launch is tried instead, and after some nobody any more.
  void give_up(const std::string& why_not) {
    say_not_stored(why_not);
    const std::lock_guard lock(mutex_);
    if (++failures_ == kMostFailures) end();
  }

  /// From now on a launch costs what any other call does.
  void end() {
    is_over_ = true;
    parent_.send(MessageKind::done);
  }

  void say_not_stored(const std::string& why_not) const {
    parent_.send(MessageKind::trouble, "A launch was not stored, because " + why_not + ".");
  }

  template <typename Params>
  static const Params& given(const CUpti_CallbackData& call) {
    return *static_cast<const Params*>(call.functionParams);
  }

  void note_allocated(DriverEvent event, const CUpti_CallbackData& call) {
    if (event == DriverEvent::allocate) {
      // Those from pools and managed ones begin with the same two.
      const auto& params = given<cuMemAlloc_v2_params>(call);
      memories_.add({*params.dptr, params.bytesize, kind_of(call.functionName), call.context});
    } else if (event == DriverEvent::allocate_pitch) {
      const auto& params = given<cuMemAllocPitch_v2_params>(call);
      memories_.add({*params.dptr, *params.pPitch * params.Height, MemoryKind::device, call.context});
    } else if (event == DriverEvent::map) {
      const auto& params = given<cuMemMap_params>(call);
      memories_.add({params.ptr, params.size, MemoryKind::mapped, call.context});
    }
  }

  void note_freed(DriverEvent event, const CUpti_CallbackData& call) {
    if (event == DriverEvent::free) memories_.remove(given<cuMemFree_v2_params>(call).dptr);
    if (event == DriverEvent::unmap) {
      const auto& params = given<cuMemUnmap_params>(call);
      memories_.remove(params.ptr, params.size);  // one call may unmap what several have mapped
    }
    if (event == DriverEvent::reset) memories_.clear();  // what other contexts have is found from the parameters
  }

  static MemoryKind kind_of(std::string_view function) {
    if (function.starts_with("cuMemAllocManaged")) return MemoryKind::managed;
    const bool is_pooled = function.starts_with("cuMemAllocAsync") || function.starts_with("cuMemAllocFromPool");
    return is_pooled ? MemoryKind::pooled : MemoryKind::device;
  }

  void note_capture(DriverEvent event, CUresult result) {
    if (event == DriverEvent::begin_capture && result == CUDA_SUCCESS) ++captures_;
    const bool goes_on = result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD || result == CUDA_ERROR_ILLEGAL_STATE ||
                         result == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED || result == CUDA_ERROR_INVALID_VALUE;
    if (event == DriverEvent::end_capture && !goes_on && captures_ > 0) --captures_;
  }

  const Parent parent_;
  const DriverCalls driver_;
  const std::vector<DriverEvent> events_;
  const pid_t process_ = getpid();
  LiveMemories memories_;
  ModuleImages images_;
  Drainer drainer_;
  Gate gate_;
  std::atomic<int> captures_ = 0;  ///< of streams, under way
  std::mutex mutex_;               ///< of the next two
  WantedLaunches wanted_;
  int failures_ = 0;
  std::atomic<bool> is_over_ = false;     ///< nothing more will be stored
  std::atomic<bool> gave_way_ = false;    ///< to a capture
  std::atomic<bool> is_storing_ = false;  ///< by a thread, whose are the next four
  std::unique_ptr<Snapshot> snapshot_;
  std::size_t index_ = 0;
  Clock::duration held_{};
  CUcontext context_ = nullptr;
};

/// Never destroyed: threads of the program may run until the very end.
Watcher* watcher = nullptr;

void on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  try {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      watcher->on_module(id, *static_cast<const CUpti_ResourceData*>(data));
    } else if (!is_ours && !Drainer::is_this_thread()) {
      watcher->on_call(id, *static_cast<const CUpti_CallbackData*>(data));
    }
  } catch (const std::exception&) {
    // What is not noted is not stored, which the snapshot says.
  }
}

}  // namespace

std::string watch_launches(const Parent& parent, const CuptiCalls& cupti, const WantedLaunches& wanted) {
  const std::optional<DriverCalls> driver = find_driver_calls();
  if (!driver) return "Launches cannot be stored, because the driver is older than that of CUDA 12.";
  CUpti_SubscriberHandle subscriber = nullptr;
  CUptiResult result = cupti.subscribe(&subscriber, on_callback, nullptr);
  if (result != CUPTI_SUCCESS) return refusal_of(cupti, result);
  watcher = new Watcher(parent, cupti, *driver, wanted);
  const auto enable = [&](CUpti_CallbackDomain domain, std::size_t id) {
    if (result == CUPTI_SUCCESS)
      result = cupti.enable_callback(1, subscriber, domain, static_cast<CUpti_CallbackId>(id));
  };
  for (std::size_t id = 0; id < watcher->events().size(); ++id) {
    if (watcher->events()[id] != DriverEvent::none) enable(CUPTI_CB_DOMAIN_DRIVER_API, id);
  }
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
  if (result != CUPTI_SUCCESS) return refusal_of(cupti, result);
  std::atexit([] { watcher->at_exit(); });
  return {};
}

}  // namespace tuner::capture
