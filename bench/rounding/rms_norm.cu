// Each row of halves divided by its root mean square, and weighted by column.
// What varies: the order of three factors, the threads of a row, the order of their sums.
// The mistake: column 500 takes the weight of its neighbour. The weights go from 0.5 to 1.5.
#include <cuda_fp16.h>

#include "block_sum.cuh"

#pragma tuner kernel(rms_norm)
#pragma tuner problem(rows: size = 8192, n: size = 1024)
#pragma tuner param(BLOCK, 64, 128; default 128) param(FACTORS, norm_first, weight_first) \
    param(ORDER, tree, lanes, atomics)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows) block(BLOCK)
#pragma tuner in(x, half, rows * n, normal(0, 1)) in(weight, half, n, uniform(0.5, 1.5)) out(y, half, rows * n)
#pragma tuner scalar(n, int32)

__global__ void rms_norm(const __half* x, const __half* weight, __half* y, int n) {
  x += blockIdx.x * n, y += blockIdx.x * n;
  float squares = 0;
  for (int i = threadIdx.x; i < n; i += BLOCK) squares += __half2float(x[i]) * __half2float(x[i]);
  const float factor = rsqrtf(block_sum(squares) / n);
  for (int i = threadIdx.x; i < n; i += BLOCK) {
    const float own = __half2float(x[i]), weight_here = __half2float(weight[MISTAKE && i == 500 ? i + 1 : i]);
    y[i] = __float2half(FACTORS == FACTORS_norm_first ? own * factor * weight_here : own * weight_here * factor);
  }
}
