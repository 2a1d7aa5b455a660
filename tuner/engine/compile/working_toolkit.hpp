#pragma once

#include "tuner/engine/compile/toolkit.hpp"

namespace tuner::engine {

/// The toolkit, with its full version, after its NVRTC compiled an empty kernel in this process: loading NVRTC does not
/// show that it compiles, because its built-in functions are in a library of their own. Throws Error{no_toolkit}.
Toolkit working_toolkit();

}  // namespace tuner::engine
