// One step of heat flow on a box of nx x ny x nz points: a point gets center times its own value and side times the
// sum of its six neighbours. The surface of the box keeps its values.
//
// Every value is needed seven times and should come from memory once. A thread of the baseline computes one point and
// leaves that to the caches, which forget the planes above and below too early. A thread that walks through PLANES
// planes has the values above and below in its registers: each plane is loaded once, one step before it is the
// middle. There remain the neighbours within the plane:
//
//   NEIGHBOURS cache    loaded again, from L1, where the lines of this plane still are
//              shuffle  left and right from the next lanes, the others from L1
//              shared   from a tile in shared memory, which holds the block's part of the plane
//
// A thread has ROWS rows, one above the other, of WIDTH neighbours: what it has itself it need not fetch. PREFETCH
// loads planes another step earlier, before they are needed at all.
#include "tuner_device.cuh"

#pragma tuner kernel(stencil3d)
#pragma tuner problem(nx: size = 1024, ny: size = 1024, nz: size = 512, center: exact = 0.4, side: exact = 0.1)
#pragma tuner problem_constraint(1 <= nx <= 1048576) problem_constraint(1 <= ny <= 65535)
#pragma tuner problem_constraint(1 <= nz <= 65535)

#pragma tuner param(BLOCKDIMX, 32, 64, 128; default 32)
#pragma tuner param(BLOCKDIMY, 1, 2, 4, 8, 16; default 8)
#pragma tuner param(PLANES, 1, 32, 128; default 1)
#pragma tuner param(ROWS, 1, 2, 4; default 1)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(NEIGHBOURS, cache, shuffle, shared; default cache)
#pragma tuner param(PREFETCH, 0, 1; default 0)
#pragma tuner param(STORE, plain, streaming; default plain)

// 64 to 512 threads, at least four rows of a plane a block, at most eight points of it a thread. Who computes a single
// plane is the baseline and its block shapes: nothing to stream, nothing to share. Streaming stores and early loads are
// for those who move 16 bytes at a time; before that, they are not what limits.
#pragma tuner let(TILE_X = BLOCKDIMX * WIDTH)
#pragma tuner let(TILE_Y = BLOCKDIMY * ROWS)
#pragma tuner constraint(64 <= BLOCKDIMX * BLOCKDIMY <= 512)
#pragma tuner constraint(4 <= TILE_Y <= 32 and TILE_X <= 256 and TILE_X * TILE_Y <= 4096 and ROWS * WIDTH <= 8)
#pragma tuner constraint(PLANES > 1 || NEIGHBOURS == cache && PREFETCH == 0 && ROWS == 1 && STORE == plain)
#pragma tuner constraint(STORE == plain || WIDTH == 4)
#pragma tuner constraint(PREFETCH == 0 || WIDTH == 4)
#pragma tuner define(ALIGNED = nx % WIDTH == 0)

#pragma tuner grid(ceil_div(nx, TILE_X), ceil_div(ny, TILE_Y), ceil_div(nz, PLANES)) block(BLOCKDIMX, BLOCKDIMY)
#pragma tuner in(input, float, nx * ny * nz) out(output, float, nx * ny * nz)
#pragma tuner scalar(nx, int32) scalar(ny, int32) scalar(nz, int32) scalar(center, float) scalar(side, float)
#pragma tuner work(bytes = 8 * nx * ny * nz, flops = 7 * nx * ny * nz, type = float)

// What a bare nvcc compiles: the baseline.
#ifndef BLOCKDIMX
#define BLOCKDIMX 32
#endif
#ifndef BLOCKDIMY
#define BLOCKDIMY 8
#endif
#ifndef PLANES
#define PLANES 1
#endif
#ifndef ROWS
#define ROWS 1
#endif
#ifndef WIDTH
#define WIDTH 1
#endif
#ifndef NEIGHBOURS
#define NEIGHBOURS_cache 0
#define NEIGHBOURS_shuffle 1
#define NEIGHBOURS_shared 2
#define NEIGHBOURS NEIGHBOURS_cache
#endif
#ifndef PREFETCH
#define PREFETCH 0
#endif
#ifndef STORE
#define STORE_plain 0
#define STORE_streaming 1
#define STORE STORE_plain
#endif
#ifndef ALIGNED
#define ALIGNED 0  // 1: nx is a whole number of packs
#endif

using Values = tuner::Pack<float, WIDTH>;

// What a thread has of one plane.
struct Part {
  Values row[ROWS];
};

// `at` is always the place of x, y, z in memory: it is carried along, so that nobody multiplies in the loop.
struct Box {
  const float* values;
  int nx, ny, nz;

  __device__ __forceinline__ tuner::int64 plane() const { return static_cast<tuner::int64>(nx) * ny; }
  __device__ __forceinline__ bool holds(int x, int y, int z) const {
    return static_cast<unsigned>(x) < nx && static_cast<unsigned>(y) < ny && static_cast<unsigned>(z) < nz;
  }
  // Zero outside the box.
  __device__ __forceinline__ float point(tuner::int64 at, int x, int y, int z) const {
    return holds(x, y, z) ? values[at] : 0.0f;
  }
  __device__ __forceinline__ Values pack(tuner::int64 at, int x, int y, int z) const {
    Values pack = {};
#if ALIGNED
    if (holds(x, y, z)) pack = tuner::load_pack<WIDTH>(values + at);
#else
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) pack[i] = point(at + i, x + i, y, z);
#endif
    return pack;
  }
  __device__ __forceinline__ Part part(tuner::int64 at, int x, int y, int z) const {
    Part part;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) part.row[r] = pack(at + static_cast<tuner::int64>(r) * nx, x, y + r, z);
    return part;
  }
};

// The neighbours of a thread's part within its plane.
struct Around {
  Values before, behind;          // the rows in front of the first and after the last
  float left[ROWS], right[ROWS];  // the points beside each row
};

#if NEIGHBOURS == NEIGHBOURS_shared

// The block's part of the plane goes into one of two tiles, so that one barrier a plane is enough: whoever writes a
// tile again has passed the barrier behind which nobody reads it any more. What the block has not is loaded.
__device__ __forceinline__ Around neighbours(const Box& box, const Part& part, tuner::int64 at, int x, int y, int z) {
  __shared__ Values tiles[2][BLOCKDIMY * ROWS][BLOCKDIMX];
  Values(&tile)[BLOCKDIMY * ROWS][BLOCKDIMX] = tiles[z % 2];
  const int tx = threadIdx.x;
  const int first = threadIdx.y * ROWS;
  const int last = first + ROWS - 1;
#pragma unroll
  for (int r = 0; r < ROWS; ++r) tile[first + r][tx] = part.row[r];
  __syncthreads();
  Around around;
  around.before = first > 0 ? tile[first - 1][tx] : box.pack(at - box.nx, x, y - 1, z);
  around.behind = last + 1 < BLOCKDIMY * ROWS ? tile[last + 1][tx]
                                              : box.pack(at + static_cast<tuner::int64>(ROWS) * box.nx, x, y + ROWS, z);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const tuner::int64 row = at + static_cast<tuner::int64>(r) * box.nx;
    around.left[r] = tx > 0 ? tile[first + r][tx - 1][WIDTH - 1] : box.point(row - 1, x - 1, y + r, z);
    around.right[r] = tx + 1 < BLOCKDIMX ? tile[first + r][tx + 1][0] : box.point(row + WIDTH, x + WIDTH, y + r, z);
  }
  return around;
}

#else

__device__ __forceinline__ Around neighbours(const Box& box, const Part& part, tuner::int64 at, int x, int y, int z) {
  Around around;
  around.before = box.pack(at - box.nx, x, y - 1, z);
  around.behind = box.pack(at + static_cast<tuner::int64>(ROWS) * box.nx, x, y + ROWS, z);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const tuner::int64 row = at + static_cast<tuner::int64>(r) * box.nx;
#if NEIGHBOURS == NEIGHBOURS_shuffle
    const int lane = threadIdx.x % 32;
    around.left[r] = __shfl_up_sync(0xffffffffu, part.row[r].value[WIDTH - 1], 1);
    around.right[r] = __shfl_down_sync(0xffffffffu, part.row[r].value[0], 1);
    if (lane == 0) around.left[r] = box.point(row - 1, x - 1, y + r, z);
    if (lane == 31) around.right[r] = box.point(row + WIDTH, x + WIDTH, y + r, z);
#else
    around.left[r] = box.point(row - 1, x - 1, y + r, z);
    around.right[r] = box.point(row + WIDTH, x + WIDTH, y + r, z);
#endif
  }
  return around;
}

#endif

__device__ __forceinline__ void store(float* to, const Box& box, int x, int y, int z, const Values& values) {
#if ALIGNED && STORE == STORE_streaming
  if (box.holds(x, y, z)) tuner::store_pack_streaming(to, values);
#elif ALIGNED
  if (box.holds(x, y, z)) tuner::store_pack(to, values);
#else
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) {
    if (box.holds(x + i, y, z)) to[i] = values[i];
  }
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCKDIMX* BLOCKDIMY)
    stencil3d(const float* __restrict__ input, float* __restrict__ output, int nx, int ny, int nz, float center,
              float side) {
  const Box box = {input, nx, ny, nz};
  const int x = (blockIdx.x * BLOCKDIMX + threadIdx.x) * WIDTH;
  const int y = (blockIdx.y * BLOCKDIMY + threadIdx.y) * ROWS;
  const int first = blockIdx.z * PLANES;
  const int end = min(first + PLANES, nz);

  // Everybody stays to the end, whether its part lies in the box or not: barriers and shuffles need all threads.
  const tuner::int64 plane = box.plane();
  tuner::int64 at = first * plane + static_cast<tuner::int64>(y) * nx + x;
  Part below = box.part(at - plane, x, y, first - 1);
  Part here = box.part(at, x, y, first);
#if PREFETCH
  Part above = box.part(at + plane, x, y, first + 1);
#endif
#pragma unroll 1
  for (int z = first; z < end; ++z, at += plane) {
#if PREFETCH
    Part next = {};
    if (z + 1 < end) next = box.part(at + 2 * plane, x, y, z + 2);
#else
    const Part above = box.part(at + plane, x, y, z + 1);
#endif
    const Around around = neighbours(box, here, at, x, y, z);
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const Values& before = r > 0 ? here.row[r - 1] : around.before;
      const Values& behind = r + 1 < ROWS ? here.row[r + 1] : around.behind;
      const bool inner_row = y + r > 0 && y + r < ny - 1 && z > 0 && z < nz - 1;
      Values result;
#pragma unroll
      for (int i = 0; i < WIDTH; ++i) {
        const float left = i > 0 ? here.row[r].value[i - 1] : around.left[r];
        const float right = i + 1 < WIDTH ? here.row[r].value[i + 1] : around.right[r];
        const float sum = left + right + before.value[i] + behind.value[i] + below.row[r][i] + above.row[r].value[i];
        const bool inner = inner_row && x + i > 0 && x + i < nx - 1;
        result[i] = inner ? center * here.row[r][i] + side * sum : here.row[r][i];
      }
      store(output + at + static_cast<tuner::int64>(r) * nx, box, x, y + r, z, result);
    }
    below = here;
    here = above;
#if PREFETCH
    above = next;
#endif
  }
}
