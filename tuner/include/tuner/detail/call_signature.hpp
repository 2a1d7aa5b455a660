#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tuner/buffer.hpp"

namespace tuner::detail {

/// What a launch passes at one position.
struct PassedArgument {
  enum class Kind : std::uint8_t { pointer, integer, real, boolean, other, sized_buffer, scratch };
  Kind kind = Kind::other;
  bool is_signed = false;     ///< integers
  std::uint32_t size = 0;     ///< bytes of the argument itself
  std::uint32_t pointee = 0;  ///< pointers: bytes of what it points to; 0 for void
  Kind pointee_kind = Kind::other;
};

/// The arguments of one call site. Told apart by address.
struct CallSignature {
  std::span<const PassedArgument> arguments;
};

template <class T>
constexpr PassedArgument::Kind kind_of() {
  if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) return PassedArgument::Kind::pointer;
  if constexpr (std::is_same_v<T, bool>) return PassedArgument::Kind::boolean;
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return PassedArgument::Kind::integer;
  if constexpr (std::is_floating_point_v<T>) return PassedArgument::Kind::real;
  if constexpr (std::is_same_v<T, Buffer>) return PassedArgument::Kind::sized_buffer;
  if constexpr (std::is_same_v<T, Scratch>) return PassedArgument::Kind::scratch;
  return PassedArgument::Kind::other;
}

template <class T>
constexpr PassedArgument describe_argument() {
  static_assert(std::is_trivially_copyable_v<T>, "A kernel argument is copied to the device byte by byte.");
  static_assert(!std::is_array_v<T>, "An array is not a kernel argument: pass the device pointer.");
  PassedArgument passed{.kind = kind_of<T>(), .size = sizeof(T)};
  if constexpr (std::is_integral_v<T>) passed.is_signed = std::is_signed_v<T>;
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (!std::is_void_v<Pointee> && !std::is_function_v<Pointee> && requires { sizeof(Pointee); }) {
      passed.pointee = sizeof(Pointee);
      passed.pointee_kind = kind_of<Pointee>();
    }
  }
  return passed;
}

template <class... Arguments>
inline constexpr std::array<PassedArgument, sizeof...(Arguments)> kPassed{describe_argument<Arguments>()...};
template <class... Arguments>
inline constexpr CallSignature kCallSignature{kPassed<Arguments...>};

/// Whether a launch passes memory that must be looked at each time. Others need not ask.
template <class... Arguments>
inline constexpr bool kPassesMemory = ((std::is_same_v<Arguments, Buffer> || std::is_same_v<Arguments, Scratch>) ||
                                       ...);

/// The driver takes the addresses of arguments without const, and only reads.
template <class T>
void* address_of(const T& argument) noexcept {
  return const_cast<void*>(static_cast<const volatile void*>(&argument));
}

}  // namespace tuner::detail
