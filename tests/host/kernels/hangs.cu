// Waits for a block that runs later.
#pragma tuner kernel(hangs)
#pragma tuner problem(n: size) problem_constraint(2 <= n <= 1000000)
#pragma tuner param(BLOCKDIMX, 64; default 64)
#pragma tuner grid(2) block(BLOCKDIMX)
#pragma tuner inout(flag, int32, 1, constant(0)) out(y, float, 1)
#ifndef BLOCKDIMX
#define BLOCKDIMX 64
#endif

extern "C" __global__ void hangs(volatile int* flag, float* y) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 1) *flag = 1;
  while (*flag == 0) {  // for ever
  }
  *y = 1;
}
