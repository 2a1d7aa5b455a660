#pragma once

// A libcuda.so.1 without a GPU: device memory is host memory, a module is a line of text or a cubin that carries one, a
// launch is a function call, and time is a counter. Named by $TUNER_DRIVER, it lets the real worker and lane run
// anywhere and meet every kind of bad kernel. Each file holds the functions of one topic and lists them in a table;
// what they share is here.

#include <cuda.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/engine/device/fake_driver/fake_image.hpp"
#include "tests/engine/device/fake_driver/inspector.hpp"
#include "tuner/core/binary/cubin.hpp"

namespace fake {

/// May end in one thread while it is current to another.
struct Context {
  std::atomic<CUdevice> device = 0;
  std::atomic<unsigned long long> id = 0;  ///< never used twice, though the address may be
  std::atomic<bool> alive = false;
  int holds = 0;  ///< of a primary context
};
/// The calling thread's; null if there is none.
Context* current_context();

struct Function;

/// A loaded binary: the support kernels, or one candidate and what it does.
struct Module {
  Context* context = nullptr;
  Image image;
  std::string behaviour;
  unsigned id = 0;       ///< never used twice
  bool records = false;  ///< launching it keeps what it was given, see inspector.hpp
  std::string work;      ///< what one that records does besides, see fake_work.cpp
  std::string called;    ///< the mangled name that a text gives its kernel
  std::uint64_t time_ns = 100000;
  int registers = 32;
  int max_threads = 1024;
  int static_shared = 0;
  int room = 1;
  int wait_ms = 0;
  int busy_ms = 0;
  double by = 0;
  int launches = 0;
  /// What it reads besides, without using it: the byte so far from the beginning of a buffer, by the argument's number.
  std::vector<std::pair<int, std::int64_t>> reads;
  int aligned = 1;                         ///< it is not launched with buffers at other multiples
  int from = 0;                            ///< the launch from which on one that skips its work does so
  const double* doubled_before = nullptr;  ///< the output of the launch before
  bool timed = false;                      ///< the launch that is under way
  int loaded_before = 0;  ///< how many modules with these instructions, in all workers that share a journal
  std::map<std::string, Function> functions;
  /// In constant or global memory, by symbol; aligned for every type.
  std::map<std::string, std::vector<double>> arrays;
};

struct Function {
  Module* module;
  std::string name;
  std::vector<tuner::KernelParameter> parameters;  ///< empty unless it records
  int max_threads = 1024;
  int max_dynamic_shared = 48 * 1024;
  int carveout = -1;
};
/// Null if the handle is that of a CUkernel, as which the driver takes nothing but launches.
Function* function_of(CUfunction handle);
/// The function of either handle. Loads the module of a CUkernel that nobody has used yet.
CUresult launched_function(CUfunction handle, Function** function);
/// The mangled name.
const char* name_of_kernel(CUfunction handle);

/// A module in the current context. The second is for after one_call was released: it tells the observer.
CUresult load_image(Image image, Module** loaded);
void announce(const Module& loaded);
CUresult find_function(Module& module, const std::string& name, Function** function);

/// A launch with everything that it was given.
struct LaunchCall {
  const Function* function;
  std::array<unsigned, 3> grid, block;
  unsigned shared_bytes;
  CUstream stream;
  void** arguments;
};
/// Checks what a driver checks before it queues a launch, reads the arguments, and keeps them if that is wanted.
CUresult record_launch(const LaunchCall& call);

struct KeptLaunch {
  Module* module;
  Launch launch;
};
struct Graph {
  std::vector<KeptLaunch> launches;
};
/// What the kernel of a binary that records does with memory, if anything.
void work(const KeptLaunch& launch);
void work_on_numbers(std::string_view does, int* out, const int* in, int count);
/// Returns once no kernel runs any more: in the current context, or on a stream. No lock may be held.
void wait_for_kernels();
void wait_for_kernels_on(CUstream stream);
CUresult run_graph(const Graph& graph);

std::size_t count_allocated_bytes();
bool is_default_stream(CUstream stream);
/// Where a stream belongs; a default stream is that of the current context.
Context* context_of(CUstream stream);
/// Whether launches on it are captured into a graph.
bool is_captured(CUstream stream);
void capture(CUstream stream, KeptLaunch launch);
/// Whether a call that may disturb a capture is forbidden to this thread now: the error, and the end of that capture.
CUresult capture_forbids();
/// The same for what waits for a whole context, and for what uses the legacy stream.
CUresult capture_forbids_draining();
CUresult capture_forbids_legacy_stream();

/// What a load of these instructions was told to return, see Inspector::fail_to_load.
CUresult load_error(const std::string& instructions);
/// Whether an array of a loaded module that records, and does no work, begins there. What is copied to it is kept like
/// a launch.
Module* recording_module_of(CUdeviceptr array);
void record_copy(Module* module, CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream);

/// What a test wants done once.
class Once {
 public:
  void want(std::function<void()> action) {
    action_ = std::move(action);
    wanted_ = true;
  }
  void happen() {
    if (wanted_.load(std::memory_order_relaxed) && wanted_.exchange(false)) action_();
  }

 private:
  std::atomic<bool> wanted_ = false;
  std::function<void()> action_;
};
/// What a test wants of the driver, see Inspector.
struct Wishes {
  std::atomic<bool> pools = true;
  std::atomic<bool> busy = false;  ///< recorded events have not happened yet
  std::atomic<CUresult> allocation_error = CUDA_SUCCESS;
  Once before_launch, before_allocation;
};
extern Wishes wishes;
/// Keeps what was done to memory in the order of a stream, like a launch: "allocate" or "free".
void record_memory_call(const char* call, CUdeviceptr address, std::size_t bytes, CUstream stream);
void count_loaded_module(Module* module);
void count_unloaded_module(const Module* module);
std::size_t count_primary_holds();

using Clock = std::chrono::steady_clock;

/// The device, as all files see it.
struct Device {
  std::uint64_t now_ns = 0;
  CUresult dead = CUDA_SUCCESS;    ///< sticky: why the context is gone
  bool hung = false;               ///< a kernel runs that does not end
  Clock::time_point busy_until{};  ///< events recorded now have not happened before that
  bool timing = false;             ///< an event was recorded last, so what is launched now is timed
};
extern Device device;

constexpr std::size_t kMemory = std::size_t{1} << 30;

template <typename T>
T* pointer(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

[[noreturn]] void never_return();
/// What a call that waits for the device does while a kernel runs that does not end.
void wait_for_device();

/// A copy that no argument points to has exactly the size of the data: changes all allocations of that size.
void damage_copies(std::size_t bytes);

/// What a candidate does with its arguments.
CUresult behave(Module& module, void** arguments);

/// Runs a kernel where an access to memory that is not mapped, or must not be written, is an illegal address.
CUresult behind_fences(const std::function<CUresult()>& kernel);

/// How long a launch takes that should take so long, noise and drift of the device included.
std::uint64_t with_noise(std::uint64_t time_ns);

/// The driver's functions by name.
using Functions = std::map<std::string, void*>;

/// A program's threads may call at the same moment: one call after the other.
extern std::mutex one_call;
enum class Turn { at_once, one_by_one, after_kernels };

/// The function to hand out for one of the fake's own, which returns nothing where it always succeeds.
template <auto Call, Turn kTurn>
struct Exported;
template <typename Result, typename... Arguments, Result (*Call)(Arguments...), Turn kTurn>
struct Exported<Call, kTurn> {
  static CUresult call(Arguments... arguments) {
    if constexpr (kTurn == Turn::after_kernels) wait_for_kernels();
    std::unique_lock lock(one_call, std::defer_lock);
    if constexpr (kTurn != Turn::at_once) lock.lock();
    if constexpr (std::is_void_v<Result>) {
      Call(arguments...);
      return CUDA_SUCCESS;
    } else {
      return Call(arguments...);
    }
  }
};

extern std::atomic<CallObserver*> observer;
/// Fills in what does not depend on the call: context and number.
ObservedCall begin_observed(const char* name);

/// The same, where the observer is told.
template <auto Call, Turn kTurn>
struct Observed;
template <typename Result, typename... Arguments, Result (*Call)(Arguments...), Turn kTurn>
struct Observed<Call, kTurn> {
  static inline const char* name = nullptr;

  static CUresult call(Arguments... arguments) {
    CallObserver* const told = observer.load(std::memory_order_acquire);
    if (told == nullptr) return Exported<Call, kTurn>::call(arguments...);
    // As a structure with these members would have them.
    alignas(8) std::byte parameters[sizeof...(Arguments) * 8];
    std::size_t end = 0;
    const auto add = [&]<typename T>(const T& argument) {
      static_assert(sizeof(T) <= 8 && alignof(T) == sizeof(T));
      end = (end + sizeof(T) - 1) / sizeof(T) * sizeof(T);
      std::memcpy(parameters + end, &argument, sizeof(T));
      end += sizeof(T);
    };
    (add(arguments), ...);
    ObservedCall observed = begin_observed(name);
    observed.parameters = parameters;
    const auto find_kernel = [&]<typename T>(const T& argument) {
      if constexpr (std::is_same_v<T, CUfunction>) observed.kernel = name_of_kernel(argument);
    };
    (find_kernel(arguments), ...);
    std::uint64_t word = 0;
    observed.word = &word;
    told->call(observed);
    const CUresult result = Exported<Call, kTurn>::call(arguments...);
    observed.ended = true;
    observed.result = &result;
    told->call(observed);
    return result;
  }
};

/// What is handed out; with a name, which is the exported one, it is observed.
template <auto Call, Turn kTurn = Turn::one_by_one>
void* entry() {
  return reinterpret_cast<void*>(&Exported<Call, kTurn>::call);
}
template <auto Call, Turn kTurn = Turn::one_by_one>
void* entry(const char* name) {
  Observed<Call, kTurn>::name = name;
  return reinterpret_cast<void*>(&Observed<Call, kTurn>::call);
}
/// For calls that touch nothing but what is their thread's, or that lock what they must.
template <auto Call, typename... Name>
void* unlocked_entry(Name... name) {
  return entry<Call, Turn::at_once>(name...);
}
/// For calls that wait for the device.
template <auto Call, typename... Name>
void* waiting_entry(Name... name) {
  return entry<Call, Turn::after_kernels>(name...);
}

Functions capture_functions();
Functions context_functions();
Functions device_functions();
Functions fence_functions();
Functions library_functions();
Functions memory_functions();
Functions module_functions();
Functions stream_functions();

}  // namespace fake
