#pragma once

// A libcuda.so.1 without a GPU: device memory is host memory, a module is a line of text or a cubin that carries one, a
// launch is a function call, and time is a counter. Named by $TUNER_DRIVER, it lets the real worker and lane run
// anywhere and meet every kind of bad kernel. Each file holds the functions of one topic and lists them in a table;
// what they share is here.

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tests/engine/device/fake_driver/fake_image.hpp"

namespace fake {

struct Function;

/// A loaded binary: the support kernels, or one candidate and what it does.
struct Module {
  Image image;
  std::string behaviour;
  std::uint64_t time_ns = 100000;
  int registers = 32;
  int room = 1;
  int wait_ms = 0;
  int busy_ms = 0;
  int launches = 0;
  bool timed = false;     ///< the launch that is under way
  int loaded_before = 0;  ///< how many modules with these instructions, in all workers that share a journal
  std::map<std::string, Function> functions;
};

struct Function {
  Module* module;
  std::string name;
};

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

/// The same, where an access to memory that is not mapped is an illegal address.
CUresult behave_behind_fences(Module& module, void** arguments);

/// How long a launch takes that should take so long, noise and drift of the device included.
std::uint64_t with_noise(std::uint64_t time_ns);

/// The driver's functions by name.
using Functions = std::map<std::string, void*>;
template <typename F>
void* entry(F* function) {
  return reinterpret_cast<void*>(function);
}

Functions device_functions();
Functions fence_functions();
Functions memory_functions();
Functions module_functions();
Functions stream_functions();

}  // namespace fake
