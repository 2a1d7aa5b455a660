#pragma once

#include <cmath>

#include "types.cuh"

__device__ inline real softplus(real value) { return std::log1p(std::exp(value)); }
