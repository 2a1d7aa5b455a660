// The charges of particles on a grid: each goes to the four nodes around it, the more the nearer (cloud in cell), as
// plasma codes do in every step. Particles are sorted by tiles of 16 x 16 cells, PER_TILE in each; their places in a
// tile have 8 bits of a cell's number and 8 of a fraction. All of it is integers, so that the order does not matter.
//
//   PARTS   blocks that share a tile
//   SUMS    global  each particle adds to the grid
//           shared  the block adds up its tile in shared memory, and then adds that to the grid
//   COPIES  of the tile in shared memory, so that fewer threads meet at a node
//   OWNER   whose the copies are: neighbouring lanes', or neighbouring warps'
//   LAYOUT  of the copies: one behind the other, or a node's side by side
//   PAD     words behind each row of a tile
//   WIDTH   particles in one load
//   UNROLL  loads of a thread under way
//   FLUSH   all       each node is added
//           nonzero   only those that got something
//           interior  those that no other block has, without an atomic addition
//   LOAD    `streaming` leaves the caches to the grid
#pragma tuner kernel(charge_deposit)
#pragma tuner problem(tiles_x : size = 128, tiles_y : size = 64, PER_TILE : constant = 2048)
#pragma tuner problem_constraint(1 <= tiles_x <= 1024) problem_constraint(1 <= tiles_y <= 1024)
#pragma tuner problem_constraint(32 <= PER_TILE <= 16384 && PER_TILE % 32 == 0)

#pragma tuner param(BLOCK, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(PARTS, 1, 2, 4, 8; default 1)
#pragma tuner param(SUMS, global, shared; default global)
#pragma tuner param(COPIES, 1, 2, 4, 8; default 1)
#pragma tuner param(OWNER, lanes, warps; default lanes)
#pragma tuner param(LAYOUT, apart, interleaved; default apart)
#pragma tuner param(PAD, 0, 1; default 0)
#pragma tuner param(WIDTH, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2, 4; default 1)
#pragma tuner param(FLUSH, all, nonzero, interior; default all)
#pragma tuner param(LOAD, plain, streaming; default plain)

// A thread has a particle at least. Only one block of a tile owns its interior.
#pragma tuner constraint(PER_TILE % (PARTS * WIDTH) == 0)
#pragma tuner constraint(PARTS * WIDTH * UNROLL * BLOCK <= max(PER_TILE, 1024))
#pragma tuner constraint(SUMS == shared || COPIES == 1 && PAD == 0 && FLUSH == all)
#pragma tuner constraint(COPIES > 1 || OWNER == lanes && LAYOUT == apart)
#pragma tuner constraint(OWNER == lanes || BLOCK >= 32 * COPIES)
#pragma tuner constraint(LAYOUT == apart || PAD == 0)
#pragma tuner constraint(FLUSH != interior || PARTS == 1)
#pragma tuner constraint(FLUSH != nonzero || PARTS >= 4)
#pragma tuner constraint(COPIES <= 2 || BLOCK >= 128)

#pragma tuner let(PARTICLES = tiles_x * tiles_y * PER_TILE)
#pragma tuner let(NODES = (16 * tiles_x + 1) * (16 * tiles_y + 1))
#pragma tuner grid(tiles_x * PARTS, tiles_y) block(BLOCK)
#pragma tuner in(x, uint16, PARTICLES, index(4096)) in(y, uint16, PARTICLES, index(4096))
#pragma tuner in(charge, uint16, PARTICLES, index(8)) inout(density, int32, NODES, index(100))
#pragma tuner work(bytes = 6 * PARTICLES + 8 * NODES)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define PER_TILE 2048
#define BLOCK 256
#define PARTS 1
#define SUMS_global 0
#define SUMS_shared 1
#define SUMS SUMS_global
#define COPIES 1
#define OWNER_lanes 0
#define OWNER_warps 1
#define OWNER OWNER_lanes
#define LAYOUT_apart 0
#define LAYOUT_interleaved 1
#define LAYOUT LAYOUT_apart
#define PAD 0
#define WIDTH 1
#define UNROLL 1
#define FLUSH_all 0
#define FLUSH_nonzero 1
#define FLUSH_interior 2
#define FLUSH FLUSH_all
#define LOAD_plain 0
#define LOAD_streaming 1
#define LOAD LOAD_plain
#endif

#if WIDTH == 4
using Word = ushort4;
#elif WIDTH == 2
using Word = ushort2;
#else
using Word = unsigned short;
#endif

constexpr int unroll = UNROLL;                                 // nvcc expands no macros in `#pragma unroll`
constexpr int side = 17, row = side + PAD, tile = side * row;  // nodes of a tile

union Pack {
  Word word;
  unsigned short value[WIDTH];
};

__device__ __forceinline__ Pack load(const unsigned short* from) {
  Pack pack;
#if LOAD == LOAD_streaming
  pack.word = __ldcs(reinterpret_cast<const Word*>(from));
#else
  pack.word = __ldg(reinterpret_cast<const Word*>(from));
#endif
  return pack;
}

// Adds a particle to the four nodes around it. Words of a node are `step` apart, rows `row_step`.
__device__ __forceinline__ void deposit(int* to, int step, int row_step, int x, int y, int charge) {
  int* const node = to + (y >> 8) * row_step + (x >> 8) * step;
  const int right = x & 255, left = 256 - right, below = (y & 255) * charge, above = 256 * charge - below;
  atomicAdd(node, left * above);
  atomicAdd(node + step, right * above);
  atomicAdd(node + row_step, left * below);
  atomicAdd(node + row_step + step, right * below);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    charge_deposit(const unsigned short* __restrict__ x, const unsigned short* __restrict__ y,
                   const unsigned short* __restrict__ charge, int* __restrict__ density) {
  const int tiles_x = gridDim.x / PARTS, tile_x = blockIdx.x / PARTS, part = blockIdx.x % PARTS;
  const int grid_row = 16 * tiles_x + 1;
  int* const corner = density + 16 * blockIdx.y * grid_row + 16 * tile_x;

#if SUMS == SUMS_shared
  constexpr int step = LAYOUT == LAYOUT_interleaved ? COPIES : 1;
  constexpr int between = LAYOUT == LAYOUT_interleaved ? 1 : tile;  // copies
  __shared__ int sums[COPIES * tile];
  for (int i = threadIdx.x; i < COPIES * tile; i += BLOCK) sums[i] = 0;
  __syncthreads();
  const int copy = (OWNER == OWNER_lanes ? threadIdx.x : threadIdx.x / 32) % COPIES;
  int* const to = sums + copy * between;
  constexpr int row_step = row * step;
#else
  constexpr int step = 1;
  int* const to = corner;
  const int row_step = grid_row;
#endif

  constexpr int count = PER_TILE / PARTS;
  const long long first = (static_cast<long long>(blockIdx.y) * tiles_x + tile_x) * PER_TILE + part * count;
#pragma unroll unroll
  for (int i = threadIdx.x * WIDTH; i < count; i += BLOCK * WIDTH) {
    const Pack xs = load(x + first + i), ys = load(y + first + i), charges = load(charge + first + i);
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) deposit(to, step, row_step, xs.value[w], ys.value[w], charges.value[w]);
  }

#if SUMS == SUMS_shared
  __syncthreads();
  for (int i = threadIdx.x; i < side * side; i += BLOCK) {
    const int node_x = i % side, node_y = i / side;
    int sum = 0;
#pragma unroll
    for (int c = 0; c < COPIES; ++c) sum += sums[(node_y * row + node_x) * step + c * between];
    int* const node = corner + node_y * grid_row + node_x;
#if FLUSH == FLUSH_nonzero
    if (sum == 0) continue;
#elif FLUSH == FLUSH_interior
    if (node_x % 16 != 0 && node_y % 16 != 0) {
      *node += sum;
      continue;
    }
#endif
    atomicAdd(node, sum);
  }
#endif
}
