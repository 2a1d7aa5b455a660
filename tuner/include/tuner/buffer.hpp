#pragma once

#include <cstdint>

namespace tuner {

/// A buffer with its size, for any buffer that a launch passes. A launch is refused if what it runs needs more bytes,
/// its padding behind the data included.
/// What the elements are is not checked, as with a `void*`. Describes memory, does not own it.
struct Buffer {
  std::uint64_t address = 0;  ///< on the device; the first member, because the driver reads the argument from there
  std::uint64_t bytes = 0;

  constexpr Buffer() = default;
  Buffer(const volatile void* pointer, std::uint64_t its_bytes) noexcept
      : address(reinterpret_cast<std::uintptr_t>(pointer)), bytes(its_bytes) {}
  /// Of a CUdeviceptr.
  constexpr Buffer(unsigned long long its_address, std::uint64_t its_bytes) noexcept
      : address(its_address), bytes(its_bytes) {}
};

/// What `scratch` is. A null pointer to whoever reads it as an argument, as a fallback does.
struct Scratch {
  const void* none = nullptr;
};

inline namespace launch_arguments {  // so that g++ does not warn of locals called `scratch`

/// In a scratch argument's place: memory of the library, as much as what is launched needs, aligned to 256 bytes and to
/// what the description says. Its content means nothing before and after the launch.
///
/// A Runtime keeps one such buffer for each stream of a context, as large as the most that a launch on it has needed,
/// until it ends. It grows in the order of the stream, without waiting. Once a context has had 32 streams with such
/// launches, buffers whose work is done serve other streams, at the price of one event a launch. A launch that is
/// captured into a graph gets memory of its own, kept until the Runtime ends, for the graph may be replayed at any
/// time.
///
/// Caveats: all replays of one captured launch use the same memory. Replays of a graph that overlap (on several
/// streams, or of several executable graphs made from it) overwrite each other's scratch; order them. A program that
/// captures anew again and again gets memory each time: pass a Buffer of its own there.
inline constexpr Scratch scratch{};

}  // namespace launch_arguments

}  // namespace tuner
