#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/kernel_sources/host_shim/block.hpp"

namespace tuner::host {

struct CaseSource {
  std::vector<std::pair<std::string, std::int64_t>> problem;
  Launch launch;
};

/// What variants.hpp describes, as it is written into a generated file.
struct VariantSource {
  std::string name;
  std::string configuration;
  std::vector<std::pair<std::string, std::string>> macros;  ///< in order
  std::string file;                                         ///< translated kernel text to include
  std::vector<CaseSource> cases;
};

/// The kernel's text with every `extern __shared__ T name[];` replaced (see DynamicShared), reporting its lines as
/// those of `file_name`.
std::string translate(std::string_view kernel_text, std::string_view file_name);

/// A C++ file that includes each variant's text under its macros, in a namespace of its own, and registers the
/// variants. `set` is unique in the program. The macros that `kernel_text` defines are undefined in between.
std::string translation_unit(std::string_view set, const std::string& kernel, std::string_view kernel_text,
                             const std::vector<VariantSource>& variants);

}  // namespace tuner::host
