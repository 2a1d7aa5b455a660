#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/header.hpp"

// What a whole program declares for its host besides functions (host_code.hpp). NVRTC refuses it, and no kernel needs
// it. It stays a part of the kernel's identity.

namespace tuner {

/// The source with the variables blank that the host alone can use: neither constants nor marked, nor such that a macro
/// might mark them. Lines stay where they are. Linear in the length of the source.
std::string blank_host_variables(std::string_view source);

/// The same, and without the classes, other names of types, and constants that nothing names which the device could
/// use. Only of what stands behind the last include: headers may use the rest. `source` is without host functions
/// already, and its directives are in `written`.
std::string blank_host_data(std::string_view source, std::string_view written);

/// The headers with the classes, other names of types, and constants blank that nothing names which the device could
/// use: neither the program, whose source that is, nor what is left of the headers. All are without host code already.
void blank_unused(std::string_view program, std::vector<Header>& headers);

}  // namespace tuner
