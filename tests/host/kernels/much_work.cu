// Ends, but not on a CPU in its time: the largest problem only.
#pragma tuner kernel(much_work)
#pragma tuner problem(n: size, rounds: exact = 1)
#pragma tuner param(BLOCKDIMX, 64, 128; default 64)
#pragma tuner grid(ceil_div(n, BLOCKDIMX)) block(BLOCKDIMX)
#pragma tuner out(y, float, n) scalar(n, int32) scalar(rounds, int32)

__global__ void much_work(float* y, int n, int rounds) {
  const int i = blockIdx.x * BLOCKDIMX + threadIdx.x;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    sum += static_cast<float>(round % 3);
  }
#ifdef __SANITIZE_THREAD__  // and with rounds never, where races are looked for
  while (rounds > 1) __syncthreads();
#endif
  if (i < n) y[i] = sum + static_cast<float>(i);
}
