// Gravitational acceleration of each of n bodies. Each body is stored as x, y, z, mass.
#pragma tuner kernel(gravity)
#pragma tuner problem(n: size) problem_constraint(1 <= n)
#pragma tuner param(BLOCK, 64, 128, 256, 512, 1024; default 256)
#pragma tuner param(BODIES, 1, 2, 4)
#pragma tuner param(TILE, none, shared)
#pragma tuner param(UNROLL, 1, 2, 4, 8, 16; default 4)
#pragma tuner grid(ceil_div(n, BLOCK * BODIES)) block(BLOCK)
#pragma tuner in(bodies, float4, n) out(acceleration, float4, n, rtol 1e-3, atol 1) scalar(n, int32)
#pragma tuner work(flops = 20 * n * n)

extern "C" __global__ void gravity(const float4* bodies, float4* acceleration, int n) {
  const int first = blockIdx.x * BLOCK * BODIES + threadIdx.x;
  float4 me[BODIES];
  float x[BODIES] = {}, y[BODIES] = {}, z[BODIES] = {};
#pragma unroll
  for (int b = 0; b < BODIES; ++b) me[b] = bodies[min(first + b * BLOCK, n - 1)];

  for (int start = 0; start < n; start += BLOCK) {
    const int count = min(BLOCK, n - start);
#if TILE == TILE_shared
    __shared__ float4 tile[BLOCK];
    if (threadIdx.x < count) tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
    const float4* others = tile;
#else
    const float4* others = bodies + start;
#endif
#pragma unroll UNROLL
    for (int k = 0; k < count; ++k) {
      const float4 other = others[k];
#pragma unroll
      for (int b = 0; b < BODIES; ++b) {
        const float dx = other.x - me[b].x, dy = other.y - me[b].y, dz = other.z - me[b].z;
        const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
        const float pull = other.w * inverse * inverse * inverse;
        x[b] += pull * dx;
        y[b] += pull * dy;
        z[b] += pull * dz;
      }
    }
#if TILE == TILE_shared
    __syncthreads();  // all threads have read the tile before the next one overwrites it
#endif
  }

#pragma unroll
  for (int b = 0; b < BODIES; ++b) {
    const int i = first + b * BLOCK;
    if (i < n) acceleration[i] = make_float4(x[b], y[b], z[b], 0);
  }
}
