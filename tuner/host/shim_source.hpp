#pragma once

#include <span>
#include <string_view>

namespace tuner::host {

/// The C++ around a kernel that runs on the CPU (the files of shim/). It travels inside the program as text and is
/// compiled with the kernel, so that an installed program needs nothing but a compiler.
struct ShimFile {
  std::string_view name;  ///< as it is included: "tuner/host/shim/block.hpp"
  std::string_view text;
};
std::span<const ShimFile> shim_files();

/// Whether a header that a kernel includes is there.
bool is_of_shim(std::string_view header);

}  // namespace tuner::host
