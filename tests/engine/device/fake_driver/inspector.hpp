#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake {

/// One launch of a kernel whose binary says "records": it computes nothing, and what it was given is kept. A copy to an
/// array of such a binary is kept too, and not made either: its arguments are where from, and how many bytes. So is
/// memory that is allocated or freed in a stream's order: its arguments are where, and how many bytes.
struct Launch {
  std::string instructions;  ///< of its binary
  std::string kernel;        ///< "copy to weights" for a copy; "allocate" and "free"
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
  std::vector<std::string> arguments;  ///< the bytes of each, as long as the binary's parameter table says
  bool captured = false;               ///< into a graph, and not run
};

/// A call that somebody makes of the driver, the observer too: told of before it happens and once it has.
struct ObservedCall {
  const char* name = nullptr;  ///< as the driver exports it: "cuMemAlloc_v2"
  bool ended = false;
  const void* parameters = nullptr;  ///< laid out as the structure of CUPTI's generated_cuda_meta.h
  const CUresult* result = nullptr;  ///< null before the call
  const char* kernel = nullptr;      ///< mangled, where one is launched
  CUcontext context = nullptr;
  unsigned long long context_id = 0;
  std::uint64_t number = 0;       ///< of this call, never used twice
  std::uint64_t* word = nullptr;  ///< the observer's own: what it leaves there before the call is there after it
};
struct LoadedImage {
  CUcontext context = nullptr;
  unsigned module_id = 0;
  const char* bytes = nullptr;  ///< a cubin, or text as fake_modules.cpp describes it
  std::size_t size = 0;
};

/// Called by the threads that call the driver; may call it, too.
class CallObserver {
 public:
  virtual void call(const ObservedCall& call) = 0;
  virtual void module_loaded(const LoadedImage& image) = 0;

 protected:
  ~CallObserver() = default;
};

/// What a test sees of the fake driver in its own process: see open_inspector().
class Inspector {
 public:
  /// From now on launches are kept, or not. Where they are not, launching takes no lock, so that a thread sanitizer
  /// sees what a program's threads do without being helped by the driver.
  virtual void keep_launches(bool keep) = 0;
  /// Those since the last call.
  virtual std::vector<Launch> take_launches() = 0;
  /// Launches of kernels that record, in this process.
  virtual std::size_t count_launches() const = 0;
  virtual std::size_t modules_loaded() const = 0;
  virtual std::size_t modules_unloaded() const = 0;
  /// How often primary contexts are held at the moment.
  virtual std::size_t primary_holds() const = 0;
  /// Runs what was captured: the launches are kept as if they came now. Fails if a module of it was unloaded.
  virtual CUresult replay(CUgraph graph) = 0;
  /// What happens to the next loads of binaries whose instructions contain `word`; CUDA_SUCCESS: nothing any more.
  virtual void fail_to_load(const std::string& word, CUresult error) = 0;
  /// What the next allocations return; CUDA_SUCCESS: they succeed again.
  virtual void fail_to_allocate(CUresult error) = 0;
  /// Device memory that is allocated at the moment.
  virtual std::size_t allocated_bytes() const = 0;
  /// Whether devices have memory pools, as they do unless a test says otherwise.
  virtual void have_pools(bool pools) = 0;
  /// Whether the device is busy, so that no event has happened.
  virtual void keep_busy(bool busy) = 0;
  /// Called once by the thread that comes next to queue a launch, or to allocate in a stream's order (then it must not
  /// call the driver), before that happens.
  virtual void before_next_launch(std::function<void()> action) = 0;
  virtual void before_next_allocation(std::function<void()> action) = 0;
  /// Whom to tell of launches, memory calls, stream captures and loaded modules from now on; null: nobody.
  virtual void observe_calls(CallObserver* observer) = 0;

 protected:
  ~Inspector() = default;
};

}  // namespace fake

/// Exported by the fake driver.
extern "C" fake::Inspector* fake_driver_inspector();
