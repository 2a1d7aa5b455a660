#pragma once

#include <string_view>

namespace tuner {

/// Version of the program and a hash of every file that defines a message between its processes. Two programs with the
/// same id understand each other.
std::string_view build_id();

}  // namespace tuner
