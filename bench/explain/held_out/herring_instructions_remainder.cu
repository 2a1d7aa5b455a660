// A red herring: quotients and remainders of a stream that bandwidth limits. The divisor is known at run time, so each
// division takes many instructions, or the compiler knows it; either way most of the time no instruction is issued.
#pragma tuner kernel(divide)
#pragma tuner problem(blocks: size = 8448, DIVISOR: constant = 1009) problem_constraint(1 <= blocks <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(256)
#pragma tuner in(x, uint32, blocks * 4096, index(2000000000)) out(y, uint32, blocks * 4096)
#pragma tuner scalar(divisor, uint32, value DIVISOR)

#ifndef VARIANT
#define VARIANT 0
#endif
#ifndef DIVISOR
#define DIVISOR 1009
#endif

extern "C" __global__ void divide(const unsigned* x, unsigned* y, unsigned divisor) {
  const unsigned by = VARIANT == 0 ? divisor : DIVISOR;
  const int first = blockIdx.x * 1024 + threadIdx.x;
  uint4 kept[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) kept[i] = reinterpret_cast<const uint4*>(x)[first + i * 256];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const uint4 v = kept[i];
    reinterpret_cast<uint4*>(y)[first + i * 256] =
        make_uint4(v.x / by + v.x % by, v.y / by + v.y % by, v.z / by + v.z % by, v.w / by + v.w % by);
  }
}
