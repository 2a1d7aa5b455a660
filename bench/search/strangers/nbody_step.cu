// A step of n bodies that attract each other: for each the sum of all others' pull, its new velocity and position.
//
// What limits is arithmetic, some 20 operations for each pair of bodies, as long as loads and loop counters stay small
// beside it and every multiprocessor has enough threads:
//
//   BODIES   of a thread: what it loads of another body serves all of them
//   SLICES   groups of BLOCK threads in a block that have the same bodies, and each a share of the others: more threads
//            than there are bodies for
//   SOURCE   of the other bodies: memory (and L1), or tiles in shared memory
//   TILES    bodies in such a tile for each thread of the block
//   UNROLL   pairs in one step of the loop
//   ROOT     1 / distance^3 by rsqrtf, or by a square root and a division
//   FAST     may the compiler use its approximations? Then the latter is no longer slow
#pragma tuner kernel(nbody_step)
#pragma tuner problem(n: size = 32768, dt: exact = 0.1, softening: exact = 0.01)
#pragma tuner problem_constraint(1 <= n <= 16777216) problem_constraint(softening > 0)

#pragma tuner param(BLOCK, 32, 64, 128, 256, 512; default 256)
#pragma tuner param(SLICES, 1, 2, 4, 8; default 1)
#pragma tuner param(BODIES, 1, 2, 4; default 1)
#pragma tuner param(SOURCE, memory, shared; default memory)
#pragma tuner param(TILES, 1, 2, 4; default 1)
#pragma tuner param(UNROLL, 1, 2, 4, 8, 16; default 1)
#pragma tuner param(ROOT, reciprocal, division; default division)
#pragma tuner option(FAST, "", "--use_fast_math")

// A tile is what all threads of the block have loaded; behind the last one, their sums take its place.
#pragma tuner let(THREADS = BLOCK * SLICES)
#pragma tuner let(TILE_BYTES = SOURCE == shared ? 16 * THREADS * TILES : 0)
#pragma tuner let(SUM_BYTES = SLICES > 1 ? 12 * BLOCK * BODIES * SLICES : 0)
#pragma tuner constraint(64 <= THREADS <= 512)
#pragma tuner constraint(SOURCE == shared || TILES == 1)
#pragma tuner constraint(UNROLL * BODIES <= 32)

#pragma tuner grid(ceil_div(n, BLOCK * BODIES)) block(BLOCK, SLICES) shared(max(TILE_BYTES, SUM_BYTES))
#pragma tuner in(position, float4, n, uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0, 2 / n))
#pragma tuner in(velocity, float4, n, normal(0, 0.1))
#pragma tuner out(new_position, float4, n, rtol 1e-5, atol 2e-6) out(new_velocity, float4, n, rtol 1e-5, atol 2e-6)
#pragma tuner scalar(n, int32) scalar(dt, float) scalar(softening, float)
#pragma tuner work(flops = 20 * n * n, type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define BLOCK 256
#define SLICES 1
#define BODIES 1
#define SOURCE_memory 0
#define SOURCE_shared 1
#define SOURCE SOURCE_memory
#define TILES 1
#define UNROLL 1
#define ROOT_reciprocal 0
#define ROOT_division 1
#define ROOT ROOT_division
#endif

// Adds the pull of `other`, whose mass is its fourth number, on a body at `at`. A body does not pull itself: its
// distance is zero.
__device__ __forceinline__ void add_pull(float3& sum, const float4& at, const float4& other, float softening) {
  const float x = other.x - at.x, y = other.y - at.y, z = other.z - at.z;
  const float square = x * x + y * y + z * z + softening * softening;
#if ROOT == ROOT_reciprocal
  const float inverse = rsqrtf(square);
  const float factor = other.w * inverse * inverse * inverse;
#else
  const float factor = other.w / (square * sqrtf(square));
#endif
  sum.x += factor * x;
  sum.y += factor * y;
  sum.z += factor * z;
}

extern "C" __global__ void __launch_bounds__(BLOCK* SLICES)
    nbody_step(const float4* __restrict__ position, const float4* __restrict__ velocity,
               float4* __restrict__ new_position, float4* __restrict__ new_velocity, int n, float dt, float softening) {
  extern __shared__ float4 shared_memory[];
  const int first = blockIdx.x * (BLOCK * BODIES) + threadIdx.x;
  [[maybe_unused]] const int slice = threadIdx.y;

  // What is behind the last body is the last once more, and never stored.
  float4 at[BODIES];
  float3 sum[BODIES] = {};
#pragma unroll
  for (int b = 0; b < BODIES; ++b) at[b] = position[min(first + b * BLOCK, n - 1)];

#if SOURCE == SOURCE_shared
  constexpr int share = BLOCK * TILES, tile = share * SLICES;
  const int thread = slice * BLOCK + threadIdx.x;
  for (int begin = 0; begin < n; begin += tile) {
#pragma unroll
    for (int t = thread; t < tile; t += BLOCK * SLICES) {
      shared_memory[t] = begin + t < n ? position[begin + t] : make_float4(0, 0, 0, 0);
    }
    __syncthreads();
#pragma unroll UNROLL
    for (int t = 0; t < share; ++t) {
      const float4 other = shared_memory[slice * share + t];
#pragma unroll
      for (int b = 0; b < BODIES; ++b) add_pull(sum[b], at[b], other, softening);
    }
    __syncthreads();
  }
#else
  const int share = (n + SLICES - 1) / SLICES;
  const int end = min((slice + 1) * share, n);
#pragma unroll UNROLL
  for (int t = slice * share; t < end; ++t) {
    const float4 other = __ldg(position + t);
#pragma unroll
    for (int b = 0; b < BODIES; ++b) add_pull(sum[b], at[b], other, softening);
  }
#endif

#if SLICES > 1
  float3* const sums = reinterpret_cast<float3*>(shared_memory);
#pragma unroll
  for (int b = 0; b < BODIES; ++b) sums[(slice * BODIES + b) * BLOCK + threadIdx.x] = sum[b];
  __syncthreads();
  if (slice > 0) return;
#pragma unroll
  for (int b = 0; b < BODIES; ++b) {
    for (int s = 1; s < SLICES; ++s) {
      const float3 more = sums[(s * BODIES + b) * BLOCK + threadIdx.x];
      sum[b].x += more.x;
      sum[b].y += more.y;
      sum[b].z += more.z;
    }
  }
#endif
#pragma unroll
  for (int b = 0; b < BODIES; ++b) {
    const int body = first + b * BLOCK;
    if (body >= n) break;
    float4 v = velocity[body];
    v.x += dt * sum[b].x;
    v.y += dt * sum[b].y;
    v.z += dt * sum[b].z;
    new_velocity[body] = v;
    new_position[body] = make_float4(at[b].x + dt * v.x, at[b].y + dt * v.y, at[b].z + dt * v.z, at[b].w);
  }
}
