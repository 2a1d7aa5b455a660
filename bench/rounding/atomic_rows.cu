// Sums of 16 rows of 524,288 floats of both signs, to which each thread of a row adds its own by an atomic addition.
// What varies: 256 to 16,384 threads a row, and whether the lanes of a warp first add up theirs.
// The mistake: what the last warp of a row has is lost: a 23rd of the result's spread, and more with fewer threads.
#pragma tuner kernel(atomic_rows)
#pragma tuner problem(rows: size = 16, n: size = 524288)
#pragma tuner param(BLOCK, 128, 256) param(THREADS, 256, 4096, 16384) param(ADDS, thread, warp) param(MISTAKE, 0, 1)
#pragma tuner grid(THREADS // BLOCK, rows) block(BLOCK)
#pragma tuner in(x, float, rows * n, uniform(-1, 1)) inout(sums, float, rows, constant(0)) scalar(n, int32)

__global__ void atomic_rows(const float* x, float* sums, int n) {
  x += blockIdx.y * n;
  const int thread = blockIdx.x * BLOCK + threadIdx.x;
  float sum = 0;
  for (int i = thread; i < n; i += THREADS) sum += x[i];
  if (MISTAKE && thread >= THREADS - 32) return;
#if ADDS == ADDS_warp
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (thread % 32 == 0) atomicAdd(sums + blockIdx.y, sum);
#else
  atomicAdd(sums + blockIdx.y, sum);
#endif
}
