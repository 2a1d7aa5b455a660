// An image of 1,024 x 1,024 floats under a filter of 7 x 7 weights of both signs; what lies outside is 0.
// What varies: taps by rows, by columns, a sum for each row, or Kahan's sum.
// The mistake: the last of 49 taps is missing, about 1/7 of the result's spread.
#pragma tuner kernel(convolution)
#pragma tuner problem(n: size = 1024)
#pragma tuner param(BLOCK, 64, 128, 256; default 128) param(SUM, rows, columns, each_row, kahan) param(MISTAKE, 0, 1)
#pragma tuner grid(n // BLOCK, n) block(BLOCK)
#pragma tuner constant(weight, float, 49, normal(0, 1))
#pragma tuner in(image, float, n * n, normal(0, 1)) out(filtered, float, n * n) scalar(n, int32)

__constant__ float weight[49];

__global__ void convolution(const float* image, float* filtered, int n) {
  const int x = blockIdx.x * BLOCK + threadIdx.x, y = blockIdx.y;
  float sum = 0;
  [[maybe_unused]] float other = 0;  // the sum of a row, or what Kahan's sum has lost
  for (int first = 0; first < 7; ++first) {
    for (int second = 0; second < 7; ++second) {
      const int row = SUM == SUM_columns ? second : first, column = SUM == SUM_columns ? first : second;
      const int from_x = x + column - 3, from_y = y + row - 3;
      if (from_x < 0 || from_x >= n || from_y < 0 || from_y >= n || (MISTAKE && row == 6 && column == 6)) continue;
      const float term = __fmul_rn(weight[row * 7 + column], image[from_y * n + from_x]);
#if SUM == SUM_each_row
      other += term;
#elif SUM == SUM_kahan
      const float rest = term - other, more = sum + rest;
      other = (more - sum) - rest;
      sum = more;
#else
      sum += term;
#endif
    }
#if SUM == SUM_each_row
    sum += other;
    other = 0;
#endif
  }
  filtered[y * n + x] = sum;
}
