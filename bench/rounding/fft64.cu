// Fourier transforms of 32,768 signals of 64 complex numbers, by butterflies in shared memory, 32 threads each.
// What varies: the factors exact, approximate, or as powers of the first, and the signals of a block.
// The mistake: the last butterfly of the last stage turns the other way: a tenth of two of 64 results.
#pragma tuner kernel(fft64)
#pragma tuner problem(signals: size = 32768) problem_constraint(signals % 8 == 0)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(FACTOR, exact, fast, power) param(MISTAKE, 0, 1)
#pragma tuner grid(signals * 32 // BLOCK) block(BLOCK)
#pragma tuner in(signal, float2, signals * 64, normal(0, 1), normal(0, 1)) out(spectrum, float2, signals * 64)

__device__ float2 times(float2 a, float2 b) {
  return float2{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// The k-th power of the `half`-th root of -1.
__device__ float2 factor(int k, int half) {
  float2 w;
#if FACTOR == FACTOR_exact
  sincospif(-static_cast<float>(k) / half, &w.y, &w.x);
#elif FACTOR == FACTOR_fast
  __sincosf(-3.14159265f * k / half, &w.y, &w.x);
#else
  float2 root;
  sincospif(-1.0f / half, &root.y, &root.x);
  w = float2{1, 0};
  for (int i = 0; i < k; ++i) w = times(w, root);
#endif
  return w;
}

__global__ void fft64(const float2* signal, float2* spectrum) {
  __shared__ float2 values[BLOCK * 2];
  const int thread = threadIdx.x % 32;
  const int first = (blockIdx.x * BLOCK + threadIdx.x) / 32 * 64;
  float2* const own = values + threadIdx.x / 32 * 64;
  for (int i = thread; i < 64; i += 32) own[__brev(i) >> 26] = signal[first + i];
  for (int half = 1; half < 64; half *= 2) {
    __syncwarp();
    const int k = thread % half, low = thread / half * 2 * half + k;
    float2 w = factor(k, half);
    if (MISTAKE && half == 32 && k == 31) w.y = -w.y;
    const float2 a = own[low], b = times(w, own[low + half]);
    own[low] = float2{a.x + b.x, a.y + b.y};
    own[low + half] = float2{a.x - b.x, a.y - b.y};
  }
  __syncwarp();
  for (int i = thread; i < 64; i += 32) spectrum[first + i] = own[i];
}
