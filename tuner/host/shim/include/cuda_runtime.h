#pragma once

// What kernels see of the runtime comes with the shim (cuda_shim.hpp).
#include "tuner/host/shim/vector_types.hpp"
