// A sparse matrix times a vector: 2,048 rows, of which row r has r + 1 elements.
// What varies: the lanes of a warp that share a row, and one chain of sums or two for each.
// The mistake: a row's elements behind the 2,000th are left out: up to 48 of 2,048, a seventh of the result's spread.
#pragma tuner kernel(csr_triangle)
#pragma tuner problem(rows: size = 2048) let(ELEMENTS = rows * (rows + 1) // 2)
#pragma tuner param(BLOCK, 64, 128; default 128) param(LANES, 2, 8, 32; default 32) param(CHAINS, 1, 2)
#pragma tuner param(MISTAKE, 0, 1)
#pragma tuner grid(rows * LANES // BLOCK) block(BLOCK)
#pragma tuner in(column, int32, ELEMENTS, index(rows)) in(value, float, ELEMENTS, normal(0, 1))
#pragma tuner in(x, float, rows, normal(0, 1)) out(y, float, rows)

__global__ void csr_triangle(const int* column, const float* value, const float* x, float* y) {
  const int row = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
  const int begin = row * (row + 1) / 2, end = begin + (MISTAKE ? min(row + 1, 2000) : row + 1);
  float sum = 0, other = 0;
  for (int i = begin + lane; i < end; i += LANES * CHAINS) {
    sum += value[i] * x[column[i]];
    const int next = i + LANES;
    if (CHAINS == 2 && next < end) other += value[next] * x[column[next]];
  }
  sum += other;
  for (int distance = LANES / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (lane == 0) y[row] = sum;
}
