// Attention over short sequences, one for each of many heads: each query's weights are the softmax of its products with
// the LENGTH keys, and its result is the mean of the values by these weights. Queries, keys and values have DIMENSION
// numbers each.
//
//   LANES    threads that share a query: each has every LANES-th four of its numbers
//   QUERIES  of a thread: a key that was loaded serves all of them
//   STAGE    keys and values that the block has in shared memory at a time; 0: it reads them through the caches
//   CHUNK    keys between two looks at the greatest product yet
//   SOFTMAX  online  what was added up is scaled when a greater product comes
//            twice   all products are computed first for the greatest alone, and then again
//   POWERS   accurate or quick exponential functions
#pragma tuner kernel(short_attention)
#pragma tuner problem(heads : size = 4096, LENGTH : constant = 64, DIMENSION : constant = 64)
#pragma tuner problem_constraint(1 <= heads <= 65535) problem_constraint(LENGTH in (32, 64, 128))
#pragma tuner problem_constraint(DIMENSION in (32, 64, 128))

#pragma tuner param(BLOCK, 32, 64, 128, 256; default 128)
#pragma tuner param(LANES, 1, 2, 4, 8, 16; default 4)
#pragma tuner param(QUERIES, 1, 2, 4; default 1)
#pragma tuner param(STAGE, 0, 16, 64; default 0)
#pragma tuner param(CHUNK, 1, 4; default 1)
#pragma tuner param(SOFTMAX, online, twice; default online)
#pragma tuner param(POWERS, accurate, quick; default accurate)

// Registers hold the numbers and the sums of a thread's queries, and its products of a chunk.
#pragma tuner let(GROUPS = BLOCK // LANES)
#pragma tuner let(TILE = GROUPS * QUERIES)
#pragma tuner constraint(8 <= TILE <= LENGTH)
#pragma tuner constraint(4 * LANES <= DIMENSION)
#pragma tuner constraint(2 * QUERIES * DIMENSION // LANES <= 128)
#pragma tuner constraint(QUERIES * CHUNK <= 8)
#pragma tuner constraint(STAGE <= LENGTH)
#pragma tuner constraint(SOFTMAX == online || CHUNK == 4)
#pragma tuner constraint(8 * STAGE * DIMENSION <= 49152)

#pragma tuner grid(LENGTH // TILE, heads) block(BLOCK)
#pragma tuner in(query, float, heads * LENGTH * DIMENSION, normal(0, 1))
#pragma tuner in(key, float, heads * LENGTH * DIMENSION, normal(0, 1))
#pragma tuner in(value, float, heads * LENGTH * DIMENSION, uniform(0, 1))
#pragma tuner out(result, float, heads * LENGTH * DIMENSION)
#pragma tuner work(bytes = 16 * heads * LENGTH * DIMENSION, flops = 4 * heads * LENGTH * LENGTH * DIMENSION, \
                   type = float)

#ifndef BLOCK  // what a bare nvcc compiles: the baseline
#define LENGTH 64
#define DIMENSION 64
#define BLOCK 128
#define LANES 4
#define QUERIES 1
#define STAGE 0
#define CHUNK 1
#define SOFTMAX_online 0
#define SOFTMAX_twice 1
#define SOFTMAX SOFTMAX_online
#define POWERS_accurate 0
#define POWERS_quick 1
#define POWERS POWERS_accurate
#endif

constexpr int fours = DIMENSION / 4,
              share = fours / LANES;               // a row's and a thread's, of four numbers
constexpr int piece = STAGE > 0 ? STAGE : LENGTH;  // keys that are there together
constexpr int groups = BLOCK / LANES;

__device__ __forceinline__ float power(float x) {
#if POWERS == POWERS_quick
  return __expf(x);
#else
  return expf(x);
#endif
}

__device__ __forceinline__ float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// A query's part of a thread.
struct Query {
  float4 numbers[share], sum[share];
  float greatest, weights;

  __device__ __forceinline__ void load(const float4* from, int lane) {
    greatest = -1e30f, weights = 0;
#pragma unroll
    for (int i = 0; i < share; ++i) {
      const float4 four = __ldg(from + lane + i * LANES);
      constexpr float scale = DIMENSION == 32 ? 0.17677669f : DIMENSION == 64 ? 0.125f : 0.088388348f;
      numbers[i] = make_float4(scale * four.x, scale * four.y, scale * four.z, scale * four.w);
      sum[i] = make_float4(0, 0, 0, 0);
    }
  }

  // All threads of a warp call it.
  __device__ __forceinline__ float product(const float4 (&key)[share]) const {
    float found = 0;
#pragma unroll
    for (int i = 0; i < share; ++i) found += dot(numbers[i], key[i]);
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
      found += __shfl_xor_sync(0xffffffffu, found, distance);
    }
    return found;
  }

  __device__ __forceinline__ void rise_to(float product) {
    if (product <= greatest) return;
    const float factor = power(greatest - product);
    greatest = product;
    weights *= factor;
#pragma unroll
    for (int i = 0; i < share; ++i) sum[i].x *= factor, sum[i].y *= factor, sum[i].z *= factor, sum[i].w *= factor;
  }

  __device__ __forceinline__ void add(float product, const float4 (&value)[share]) {
    const float weight = power(product - greatest);
    weights += weight;
#pragma unroll
    for (int i = 0; i < share; ++i) {
      sum[i].x += weight * value[i].x, sum[i].y += weight * value[i].y;
      sum[i].z += weight * value[i].z, sum[i].w += weight * value[i].w;
    }
  }

  __device__ __forceinline__ void store(float4* to, int lane) const {
    const float factor = 1 / weights;
#pragma unroll
    for (int i = 0; i < share; ++i) {
      to[lane + i * LANES] = make_float4(factor * sum[i].x, factor * sum[i].y, factor * sum[i].z, factor * sum[i].w);
    }
  }
};

// A thread's part of row k.
__device__ __forceinline__ void load_row(float4 (&row)[share], const float4* rows, int k, int lane) {
#pragma unroll
  for (int i = 0; i < share; ++i) {
#if STAGE > 0
    row[i] = rows[k * fours + lane + i * LANES];
#else
    row[i] = __ldg(rows + k * fours + lane + i * LANES);
#endif
  }
}

// The products of the queries with CHUNK keys from the first-th on.
__device__ __forceinline__ void multiply(float (&product)[QUERIES][CHUNK], const Query (&queries)[QUERIES],
                                         const float4* keys, int first, int lane) {
#pragma unroll
  for (int c = 0; c < CHUNK; ++c) {
    float4 key[share];
    load_row(key, keys, first + c, lane);
#pragma unroll
    for (int q = 0; q < QUERIES; ++q) product[q][c] = queries[q].product(key);
  }
}

#if STAGE > 0
__device__ __forceinline__ void stage(float4* to, const float4* from) {
  for (int i = threadIdx.x; i < STAGE * fours; i += BLOCK) to[i] = __ldg(from + i);
}
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    short_attention(const float4* __restrict__ query, const float4* __restrict__ key, const float4* __restrict__ value,
                    float4* __restrict__ result) {
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  const long long head = static_cast<long long>(blockIdx.y) * LENGTH * fours;
  const int first_query = blockIdx.x * groups * QUERIES + group;
#if STAGE > 0
  __shared__ float4 keys[STAGE * fours], values[STAGE * fours];
#endif

  Query queries[QUERIES];
#pragma unroll
  for (int q = 0; q < QUERIES; ++q) queries[q].load(query + head + (first_query + q * groups) * fours, lane);

#if SOFTMAX == SOFTMAX_twice
#pragma unroll 1
  for (int begin = 0; begin < LENGTH; begin += piece) {
#if STAGE > 0
    __syncthreads();
    stage(keys, key + head + begin * fours);
    __syncthreads();
#else
    const float4* const keys = key + head + begin * fours;
#endif
#pragma unroll 1
    for (int k = 0; k < piece; k += CHUNK) {
      float product[QUERIES][CHUNK];
      multiply(product, queries, keys, k, lane);
#pragma unroll
      for (int q = 0; q < QUERIES; ++q) {
#pragma unroll
        for (int c = 0; c < CHUNK; ++c) queries[q].greatest = fmaxf(queries[q].greatest, product[q][c]);
      }
    }
  }
#endif

#pragma unroll 1
  for (int begin = 0; begin < LENGTH; begin += piece) {
#if STAGE > 0
    __syncthreads();
    stage(keys, key + head + begin * fours);
    stage(values, value + head + begin * fours);
    __syncthreads();
#else
    const float4 *const keys = key + head + begin * fours, *const values = value + head + begin * fours;
#endif
#pragma unroll 1
    for (int k = 0; k < piece; k += CHUNK) {
      float product[QUERIES][CHUNK];
      multiply(product, queries, keys, k, lane);
#if SOFTMAX == SOFTMAX_online
#pragma unroll
      for (int q = 0; q < QUERIES; ++q) {
        float greatest = product[q][0];
#pragma unroll
        for (int c = 1; c < CHUNK; ++c) greatest = fmaxf(greatest, product[q][c]);
        queries[q].rise_to(greatest);
      }
#endif
#pragma unroll
      for (int c = 0; c < CHUNK; ++c) {
        float4 own_value[share];
        load_row(own_value, values, k + c, lane);
#pragma unroll
        for (int q = 0; q < QUERIES; ++q) queries[q].add(product[q][c], own_value);
      }
    }
  }
#pragma unroll
  for (int q = 0; q < QUERIES; ++q) queries[q].store(result + head + (first_query + q * groups) * fours, lane);
}
