// A red herring: four chains of exponentials, and a careful way with twenty doubles for results that are no numbers, of
// which there are none. That way spills registers where eight blocks should fit, and does not where four should; four
// already keep the unit for exponentials busy.
#pragma tuner kernel(relax)
#pragma tuner problem(blocks: size = 4224, steps: size = 256) problem_constraint(1 <= blocks <= 100000)
#pragma tuner param(VARIANT, 0, 1)
#pragma tuner grid(blocks) block(256)
#pragma tuner in(x, float, blocks * 1024) out(y, float, blocks * 1024)
#pragma tuner scalar(steps, int32)

#ifndef VARIANT
#define VARIANT 0
#endif

extern "C" __global__ void __launch_bounds__(256, VARIANT == 0 ? 8 : 4) relax(const float* x, float* y, int steps) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
  float a[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = x[first + i * 256];
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] = exp2f(0.5f - a[i]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) y[first + i * 256] = a[i];
  if (!(a[0] + a[1] + a[2] + a[3] < 1000.0f)) {
    double careful[20];
#pragma unroll
    for (int i = 0; i < 20; ++i) careful[i] = x[(first + i * 256) % 1024];
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int i = 0; i < 20; ++i) careful[i] = 0.5 * careful[i] + 0.25 * careful[(i + 1) % 20];
    }
#pragma unroll
    for (int i = 4; i < 20; ++i) careful[i % 4] += careful[i];
#pragma unroll
    for (int i = 0; i < 4; ++i) y[first + i * 256] = static_cast<float>(careful[i]);
  }
}
