#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::host {

/// What an independent computation of a kernel's outputs works on: one problem, with its arrays by the names that the
/// kernel's directives give them.
struct ReferenceRun {
 private:
  template <typename Map>
  static auto& at(Map& map, std::string_view name) {
    const auto entry = map.find(name);
    if (entry == map.end()) throw std::out_of_range("The problem has no " + std::string(name));
    return entry->second;
  }

 public:
  std::map<std::string, std::int64_t, std::less<>> sizes;  ///< numeric problem properties, defaults filled in
  std::map<std::string, std::string, std::less<>> types;   ///< problem properties that hold an element type: "float"
  std::map<std::string, std::vector<std::byte>, std::less<>> arrays;  ///< in, inout: content before the launch

  std::int64_t size(std::string_view property) const { return at(sizes, property); }
  const std::string& type(std::string_view property) const { return at(types, property); }
  /// The array as elements of T: what the kernel reads, and what it is expected to have written when the reference
  /// returns. Arrays of outputs have their length, and zeros in them, when the reference is called.
  template <typename T>
  std::span<T> array(std::string_view name) {
    std::vector<std::byte>& bytes = at(arrays, name);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// Fills the outputs by the plainest code there is, without looking at the kernel. Sums are made in double.
using Reference = std::function<void(ReferenceRun& run)>;

/// By kernel name. Each <kernel>_reference.cpp registers its own.
inline std::map<std::string, Reference, std::less<>>& references() {
  static std::map<std::string, Reference, std::less<>> all;
  return all;
}

struct ReferenceRegistration {
  ReferenceRegistration(std::string kernel, Reference reference) {
    references()[std::move(kernel)] = std::move(reference);
  }
  /// For kernels whose property TYPE is float or double.
  ReferenceRegistration(std::string kernel, Reference of_floats, Reference of_doubles)
      : ReferenceRegistration(std::move(kernel),
                              [=](ReferenceRun& run) { (run.type("TYPE") == "float" ? of_floats : of_doubles)(run); }) {
  }
};

}  // namespace tuner::host
