// A template that never ends.
#pragma tuner kernel(breaks_compiler)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000000)
#pragma tuner grid(1) block(32)
#pragma tuner param(DEPTH, 1; default 1)
#pragma tuner out(y, int32, 1)
#ifndef DEPTH
#define DEPTH 1
#endif

template <int N>
struct Endless {
  static constexpr int value = Endless<N + 1>::value + 1;
};

extern "C" __global__ void breaks_compiler(int* y) { *y = Endless<DEPTH>::value; }
