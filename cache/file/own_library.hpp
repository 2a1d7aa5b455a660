#pragma once

#include <string>

namespace tuner::cache {

/// The file of the library that this code is in, by the loader's name for it: an absolute path, or one relative to the
/// folder that the process was in when it was loaded. Empty if the code is in the program itself. Costs microseconds.
std::string own_library();

}  // namespace tuner::cache
