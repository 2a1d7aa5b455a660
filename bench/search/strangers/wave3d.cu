// A step of a wave through rock, as seismologists compute it, in each point of a box of nx x ny x nz:
// next = 2 * now - before + speed * (the sum of now's second differences, with four neighbours on either side).
//
// `now` has a halo of four points on every side, the others have none. Each of its values is needed 25 times:
//
//   METHOD    points  a thread computes one point of each row it has, and leaves it to the caches
//             march   it goes through PLANES planes, with the nine values above and below it in registers
//             tile    likewise, and the block has its part of the plane in shared memory, halo included
//   ROWS      rows of a plane that a thread has, BLOCK_Y apart
//   PAD       words behind each row of the tile
//   PREFETCH  the value four planes ahead is loaded before this plane is computed
//   BLOCKS    of a multiprocessor, by the launch bounds; 0: as many as there are registers for
#pragma tuner kernel(wave3d)
#pragma tuner problem(nx: size = 384, ny: size = 320, nz: size = 256)
#pragma tuner problem_constraint(1 <= nx <= 8192) problem_constraint(1 <= ny <= 8192)
#pragma tuner problem_constraint(1 <= nz <= 8192)

#pragma tuner param(BLOCK_X, 16, 32, 64, 128; default 32)
#pragma tuner param(BLOCK_Y, 1, 2, 4, 8, 16; default 8)
#pragma tuner param(METHOD, points, march, tile; default points)
#pragma tuner param(PLANES, 1, 16, 32, 64; default 1)
#pragma tuner param(ROWS, 1, 2, 4; default 1)
#pragma tuner param(PAD, 0, 1, 8; default 0)
#pragma tuner param(PREFETCH, 0, 1; default 0)
#pragma tuner param(BLOCKS, 0, 2, 4; default 0)

// Marching through one plane would load nine for it. A flat tile is mostly halo, and wide rows need no padding.
#pragma tuner let(TILE_Y = BLOCK_Y * ROWS)
#pragma tuner constraint(64 <= BLOCK_X * BLOCK_Y <= 512)
#pragma tuner constraint((METHOD == points) == (PLANES == 1))
#pragma tuner constraint(METHOD != points || PREFETCH == 0 && ROWS <= 2)
#pragma tuner constraint(METHOD == tile ? 4 <= TILE_Y : PAD == 0)
#pragma tuner constraint(PAD == 0 || BLOCK_X <= 32)
#pragma tuner constraint(BLOCKS * BLOCK_X * BLOCK_Y <= 1024)

#pragma tuner grid(ceil_div(nx, BLOCK_X), ceil_div(ny, TILE_Y), ceil_div(nz, PLANES)) block(BLOCK_X, BLOCK_Y)
#pragma tuner in(now, float, (nx + 8) * (ny + 8) * (nz + 8), uniform(-1, 1))
#pragma tuner in(before, float, nx * ny * nz, uniform(-1, 1)) in(speed, float, nx * ny * nz, uniform(0.05, 0.2))
#pragma tuner out(next, float, nx * ny * nz, rtol 1e-4, atol 1e-5)
#pragma tuner scalar(nx, int32) scalar(ny, int32) scalar(nz, int32)
#pragma tuner work(bytes = 16 * nx * ny * nz, flops = 36 * nx * ny * nz, type = float)

#ifndef BLOCK_X  // what a bare nvcc compiles: the baseline
#define BLOCK_X 32
#define BLOCK_Y 8
#define METHOD_points 0
#define METHOD_march 1
#define METHOD_tile 2
#define METHOD METHOD_points
#define PLANES 1
#define ROWS 1
#define PAD 0
#define PREFETCH 0
#define BLOCKS 0
#endif

constexpr int halo = 4;

__device__ __forceinline__ float weight(int distance) {
  return distance == 0   ? -205.0f / 72
         : distance == 1 ? 8.0f / 5
         : distance == 2 ? -1.0f / 5
         : distance == 3 ? 8.0f / 315
                         : -1.0f / 560;
}

// Values with their halo: x from -4 to nx + 3, and so on; zero where threads behind the box look further.
struct Field {
  const float* values;
  int nx, ny;

  __device__ __forceinline__ float operator()(int x, int y, int z) const {
    const long long row = static_cast<long long>(z + halo) * (ny + 2 * halo) + y + halo;
    return x < nx + halo && y < ny + halo ? __ldg(values + row * (nx + 2 * halo) + x + halo) : 0.0f;
  }
};

#if BLOCKS > 0
#define BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y, BLOCKS)
#else
#define BOUNDS __launch_bounds__(BLOCK_X* BLOCK_Y)
#endif

extern "C" __global__ void BOUNDS wave3d(const float* __restrict__ now, const float* __restrict__ before,
                                         const float* __restrict__ speed, float* __restrict__ next, int nx, int ny,
                                         int nz) {
  const Field field = {now, nx, ny};
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * BLOCK_X + tx, y = blockIdx.y * (BLOCK_Y * ROWS) + ty;
  const int first = blockIdx.z * PLANES, end = min(first + PLANES, nz);

  // column[r][i] is the value of plane z + i - 4.
  float column[ROWS][2 * halo + 1];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#pragma unroll
    for (int i = 0; i <= 2 * halo; ++i) {
      column[r][i] = first + i < nz + 2 * halo ? field(x, y + r * BLOCK_Y, first + i - halo) : 0;
    }
  }
#if METHOD == METHOD_tile
  __shared__ float tile[BLOCK_Y * ROWS + 2 * halo][BLOCK_X + 2 * halo + PAD];
#endif

#pragma unroll 1
  for (int z = first; z < end; ++z) {
#if PREFETCH
    float ahead[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) ahead[r] = z + 1 < end ? field(x, y + r * BLOCK_Y, z + halo + 1) : 0;
#endif
#if METHOD == METHOD_tile
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const int row = ty + r * BLOCK_Y;
      tile[row + halo][tx + halo] = column[r][halo];
      if (tx < halo) {
        tile[row + halo][tx] = field(x - halo, y + r * BLOCK_Y, z);
        tile[row + halo][tx + halo + BLOCK_X] = field(x + BLOCK_X, y + r * BLOCK_Y, z);
      }
    }
    for (int i = ty; i < halo; i += BLOCK_Y) {
      tile[i][tx + halo] = field(x, y - ty + i - halo, z);
      tile[i + halo + BLOCK_Y * ROWS][tx + halo] = field(x, y - ty + i + BLOCK_Y * ROWS, z);
    }
    __syncthreads();
    const auto value = [&](int dx, int dy, int r) { return tile[ty + r * BLOCK_Y + halo + dy][tx + halo + dx]; };
#else
    const auto value = [&](int dx, int dy, int r) { return field(x + dx, y + r * BLOCK_Y + dy, z); };
#endif
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      if (x < nx && y + r * BLOCK_Y < ny) {
        const float here = column[r][halo];
        float sum = 3 * weight(0) * here;
#pragma unroll
        for (int d = 1; d <= halo; ++d) {
          sum += weight(d) * (column[r][halo - d] + column[r][halo + d] + value(-d, 0, r) + value(d, 0, r) +
                              value(0, -d, r) + value(0, d, r));
        }
        const long long at = (static_cast<long long>(z) * ny + y + r * BLOCK_Y) * nx + x;
        next[at] = 2 * here - before[at] + speed[at] * sum;
      }
#pragma unroll
      for (int i = 0; i < 2 * halo; ++i) column[r][i] = column[r][i + 1];
#if PREFETCH
      column[r][2 * halo] = ahead[r];
#else
      if (z + 1 < end) column[r][2 * halo] = field(x, y + r * BLOCK_Y, z + halo + 1);
#endif
    }
  }
}
