// A sparse matrix in compressed rows (CSR) times a vector: y = A x.
//
//   METHOD  thread  a thread adds up a row: neighbouring threads read far apart
//           vector  LANES threads of a warp share a row and read side by side; long rows need many, short ones few
//           stream  the block reads all that its rows have, in pieces, side by side whatever the rows' lengths are,
//                   leaves the products in shared memory, and LANES threads add up each row from there
//   ROWS    rows that a group of LANES threads takes, one after the other
//   UNROLL  elements that a thread asks for before it needs the first; with `stream`, its share of a piece
//   MATRIX  how the matrix is read, which nobody needs twice: `streaming` leaves the caches to x
#pragma tuner kernel(csr_matvec)
#pragma tuner problem(rows: size = 1048576, columns: size = 1048576, mean: exact = 24, spread: exact = 20)
#pragma tuner problem_constraint(1 <= rows <= 67108864) problem_constraint(1 <= columns <= 67108864)
#pragma tuner problem_constraint(0 <= spread <= mean <= 1000) problem_constraint(rows * mean < 2147483648)

#pragma tuner param(METHOD, thread, vector, stream; default thread)
#pragma tuner param(BLOCK, 64, 128, 256, 512, 1024; default 128)
#pragma tuner param(LANES, 1, 2, 4, 8, 16, 32; default 1)
#pragma tuner param(ROWS, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2, 4, 8; default 1)
#pragma tuner param(MATRIX, plain, streaming; default plain)
#pragma tuner param(MIN_THREADS, 0, 1024, 2048; default 0)  // on a multiprocessor, by the launch bounds

// A group of one thread is what `thread` means, and its few registers bound nothing. Products in shared memory need no
// more than eight threads a row.
#pragma tuner let(ROWS_OF_BLOCK = BLOCK // LANES * ROWS)
#pragma tuner constraint((METHOD == thread) == (LANES == 1) || METHOD == stream)
#pragma tuner constraint(METHOD != stream || LANES <= 8 && UNROLL >= 2 && BLOCK <= 512)
#pragma tuner constraint(ROWS_OF_BLOCK <= 1024)
#pragma tuner constraint(MIN_THREADS == 0 || MIN_THREADS >= BLOCK && METHOD != thread)

#pragma tuner grid(ceil_div(rows, ROWS_OF_BLOCK)) block(BLOCK)
#pragma tuner in(row_start, int32, rows + 1, offsets(rows, mean, spread))
#pragma tuner in(column, int32, row_start_last, index(columns)) in(value, float, row_start_last, uniform(-1, 1))
#pragma tuner in(x, float, columns, uniform(0, 1)) out(y, float, rows, rtol 1e-4, atol 1e-5 * max(1, mean))
#pragma tuner scalar(rows, int32)
#pragma tuner work(bytes = 8 * row_start_last + 8 * rows + 4 * columns, flops = 2 * row_start_last, type = float)
#pragma tuner reference(plain_csr_matvec; grid(ceil_div(rows, 128)) block(128))

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define METHOD_thread 0
#define METHOD_vector 1
#define METHOD_stream 2
#define METHOD METHOD_thread
#define BLOCK 128
#define LANES 1
#define ROWS 1
#define UNROLL 1
#define MATRIX_plain 0
#define MATRIX_streaming 1
#define MATRIX MATRIX_plain
#define MIN_THREADS 0
#endif

extern "C" __global__ void plain_csr_matvec(const int* row_start, const int* column, const float* value, const float* x,
                                            float* y, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += static_cast<double>(value[i]) * x[column[i]];
  y[row] = static_cast<float>(sum);
}

template <typename T>
__device__ __forceinline__ T load(const T* from) {
#if MATRIX == MATRIX_streaming
  return __ldcs(from);
#else
  return __ldg(from);
#endif
}

// The sum over a group of LANES threads, in its first. All threads of a warp call it.
__device__ __forceinline__ float sum_of_group(float value) {
#pragma unroll
  for (int distance = LANES / 2; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, distance, LANES);
  }
  return value;
}

#if MIN_THREADS > 0
#define BOUNDS __launch_bounds__(BLOCK, MIN_THREADS / BLOCK)
#else
#define BOUNDS __launch_bounds__(BLOCK)
#endif

extern "C" __global__ void BOUNDS csr_matvec(const int* __restrict__ row_start, const int* __restrict__ column,
                                             const float* __restrict__ value, const float* __restrict__ x,
                                             float* __restrict__ y, int rows) {
  constexpr int groups = BLOCK / LANES;
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const int first_row = blockIdx.x * groups * ROWS;

#if METHOD == METHOD_stream
  constexpr int piece = BLOCK * UNROLL;
  __shared__ float product[piece];
  const int end = row_start[min(first_row + groups * ROWS, rows)];
  float sum[ROWS] = {};
  for (int begin = row_start[first_row]; begin < end; begin += piece) {
    int of_x[UNROLL];
    float of_matrix[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      const int i = begin + u * BLOCK + threadIdx.x;
      of_x[u] = i < end ? load(column + i) : 0;
      of_matrix[u] = i < end ? load(value + i) : 0.0f;
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) product[u * BLOCK + threadIdx.x] = of_matrix[u] * __ldg(x + of_x[u]);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int row = first_row + r * groups + group;
      if (row < rows) {
        const int from = max(row_start[row], begin), to = min(row_start[row + 1], begin + piece);
        for (int i = from + lane; i < to; i += LANES) sum[r] += product[i - begin];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * groups + group;
    const float of_row = sum_of_group(sum[r]);
    if (lane == 0 && row < rows) y[row] = of_row;
  }
#else
#pragma unroll 1
  for (int r = 0; r < ROWS; ++r) {
    const int row = first_row + r * groups + group;
    const int begin = row < rows ? row_start[row] : 0, end = row < rows ? row_start[row + 1] : 0;
    float sum = 0;
    int i = begin + lane;
#if UNROLL > 1
    for (; i + (UNROLL - 1) * LANES < end; i += UNROLL * LANES) {
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) sum += load(value + i + u * LANES) * __ldg(x + load(column + i + u * LANES));
    }
#endif
    for (; i < end; i += LANES) sum += load(value + i) * __ldg(x + load(column + i));
    sum = sum_of_group(sum);
    if (lane == 0 && row < rows) y[row] = sum;
  }
#endif
}
