#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/description.hpp"

namespace tuner {

/// A name that nvcc knows before a source's first line and NVRTC does not.
struct ImplicitName {
  std::string_view name;
  std::string declaration;  ///< whole lines
};

/// Those that the source, or a header of the user's, mentions and leaves to the compiler: macros first.
std::vector<ImplicitName> implicit_names(std::string_view source, std::span<const Header> headers);

}  // namespace tuner
