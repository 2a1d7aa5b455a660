#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kernel_sources/host_shim/block.hpp"

namespace tuner::host {

struct ProblemValue {
  std::string_view name;
  std::int64_t value;
};

/// A problem that a variant can be run on, and how it is launched then.
struct Case {
  std::vector<ProblemValue> problem;
  Index3 grid, block;
  std::size_t shared_bytes;

  std::int64_t get(std::string_view name) const {
    for (const ProblemValue& value : problem) {
      if (value.name == name) return value.value;
    }
    throw std::out_of_range("The problem has no property " + std::string(name));
  }
  std::string text() const {
    std::string text;
    for (const ProblemValue& value : problem) {
      text += (text.empty() ? "" : ",") + std::string(value.name) + "=" + std::to_string(value.value);
    }
    return text;
  }
};

/// A kernel compiled for one configuration. The test knows the kernel's signature and casts back.
struct Variant {
  std::string_view name;
  std::string_view configuration;
  std::vector<Case> cases;
  void (*kernel)();

  template <typename Signature>
  Signature* as() const {
    return reinterpret_cast<Signature*>(kernel);
  }
};

/// Filled before main by the generated files that are linked into the program.
inline std::vector<Variant>& all_variants() {
  static std::vector<Variant> variants;
  return variants;
}

struct Registration {
  explicit Registration(Variant variant) { all_variants().push_back(std::move(variant)); }
};

}  // namespace tuner::host
