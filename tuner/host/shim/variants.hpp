#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace tuner::host {

/// What is known of a kernel's parameters.
struct Parameter {
  std::size_t size;
  bool is_pointer;
};

/// A `__constant__` array of the kernel's source.
struct Symbol {
  void* address;
  std::size_t size;
};

/// What makes an argument that is a value, of numbers (value_source.hpp): which of them does not fit, from 1, or 0.
/// `room` is for another object; both are full of zeros.
struct ValueMaker {
  int (*make)(void* numbers, void* to, void* room);
  std::size_t size;
  std::size_t alignment;
};

/// A kernel compiled for one configuration and for one set of problem constants.
struct Variant {
  int number;
  void (*call)(void** arguments);  ///< each entry points at an argument's value, as for cuLaunchKernel
  const Parameter* parameters;
  std::size_t parameter_count;
  unsigned char* shared_begin;  ///< its `__shared__` variables; null if it has none
  unsigned char* shared_end;
  std::vector<Symbol> symbols;     ///< those that the directives describe, in their order
  std::vector<ValueMaker> makers;  ///< likewise
  const char* signature;           ///< mangled name of a type that says what the parameters are
};

/// Filled before main by the generated files that are linked into the program.
inline std::vector<Variant>& all_variants() {
  static std::vector<Variant> variants;
  return variants;
}

/// A kernel behind a call that does not know its signature.
template <auto Kernel, typename Signature = decltype(Kernel)>
struct Call;
template <auto Kernel, typename... T>
struct Call<Kernel, void (*)(T...)> {
  static constexpr Parameter parameters[] = {{sizeof(T), std::is_pointer_v<T>}..., {0, false}};
  static constexpr std::size_t count = sizeof...(T);
  static void call(void** arguments) { call(arguments, std::index_sequence_for<T...>{}); }

 private:
  template <std::size_t... I>
  static void call([[maybe_unused]] void** arguments, std::index_sequence<I...>) {
    Kernel(*static_cast<std::remove_cv_t<T>*>(arguments[I])...);
  }
};

template <auto Kernel>
struct Registration {
  Registration(int number, unsigned char* shared_begin, unsigned char* shared_end, const char* signature,
               std::vector<Symbol> symbols = {}, std::vector<ValueMaker> makers = {}) {
    using Kind = Call<Kernel>;
    all_variants().push_back({number, &Kind::call, Kind::parameters, Kind::count, shared_begin, shared_end,
                              std::move(symbols), std::move(makers), signature});
  }
};

}  // namespace tuner::host
