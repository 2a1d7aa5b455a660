// Found in a folder for includes, and different for each variant.
#pragma once
__device__ inline int of_variant() { return size > 0 ? SHORT : -1; }
