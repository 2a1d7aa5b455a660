#pragma once

#include <string>
#include <string_view>

namespace tuner::engine {

/// Blanks `__device__` and `__host__` behind the `]` of lambdas, as in `[=] __device__ (int i) { ... }`. nvcc wants an
/// option for them that NVRTC does not have, and what stands in a function of the device is the device's without.
void blank_lambda_marks(std::string& text);

/// Whether there are any.
bool has_lambda_marks(std::string_view text);

}  // namespace tuner::engine
