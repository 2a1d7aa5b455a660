#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// An `#include` of the source or of a header in memory: "user.cu(3)" and what it names.
struct ForeignInclude {
  std::string place;
  std::string name;
};

/// The first include that brings the file of `place` ("/usr/local/cuda/include/cupti_result.h(333): "), one of
/// `folders`: NVRTC does not say who includes a file. No name if none does, or the file is in none of them. Reads the
/// files that are included: for failures only.
ForeignInclude foreign_include(const CompileRequest& request, std::string_view place,
                               const std::vector<std::filesystem::path>& folders);

}  // namespace tuner::engine
