// Heat flow on a grid, described by hotspot.json: no directives, parameters as macros, no extern "C". A launch makes max_tfactor
// steps: a block loads its tile with a halo of that width into shared memory, and with each step a ring of the halo becomes stale.
__device__ inline int held(int at, int count) {
  return at < 0 ? 0 : at >= count ? count - 1 : at;
}

__global__ void heat(const float* __restrict__ power, const float* __restrict__ temp_src, float* temp_dst, float Rx_1, float Ry_1,
                     float Rz_1) {
  constexpr int halo = max_tfactor;
  constexpr int tile_w = block_size_x * tile_size_x;
  constexpr int tile_h = block_size_y * tile_size_y;
  constexpr int wide = tile_w + 2 * halo;
  constexpr int high = tile_h + 2 * halo;
  __shared__ float state[2][high][wide];
#if sh_power
  __shared__ float heat_in[high][wide];
#endif
  const int left = blockIdx.x * tile_w - halo;
  const int top = blockIdx.y * tile_h - halo;
  const int thread = threadIdx.y * block_size_x + threadIdx.x;
  const int threads = block_size_x * block_size_y;
  for (int i = thread; i < wide * high; i += threads) {
    const int at = held(top + i / wide, grid_height) * grid_width + held(left + i % wide, grid_width);
    state[0][i / wide][i % wide] = temp_src[at];
#if sh_power
    heat_in[i / wide][i % wide] = power[at];
#endif
  }
  __syncthreads();
  int now = 0;
  int stale = 0;
  for (int group = 0; group < max_tfactor; group += temporal_tiling_factor) {
#pragma unroll loop_unroll_factor_t
    for (int step = 0; step < temporal_tiling_factor; ++step) {
      for (int i = thread; i < wide * high; i += threads) {
        const int y = i / wide, x = i % wide;
        const int gx = left + x, gy = top + y;
        const bool fresh = y > stale && y < high - 1 - stale && x > stale && x < wide - 1 - stale;
        if (!fresh || gx < 0 || gy < 0 || gx >= grid_width || gy >= grid_height) continue;
        const float here = state[now][y][x];
        const float west = gx == 0 ? here : state[now][y][x - 1];
        const float east = gx == grid_width - 1 ? here : state[now][y][x + 1];
        const float north = gy == 0 ? here : state[now][y - 1][x];
        const float south = gy == grid_height - 1 ? here : state[now][y + 1][x];
#if sh_power
        const float source = heat_in[y][x];
#else
        const float source = power[gy * grid_width + gx];
#endif
        state[1 - now][y][x] = here + source * Rz_1 + (west + east - 2 * here) * Rx_1 + (north + south - 2 * here) * Ry_1;
      }
      __syncthreads();
      now = 1 - now;
      ++stale;
    }
  }
  for (int ty = 0; ty < tile_size_y; ++ty) {
    for (int tx = 0; tx < tile_size_x; ++tx) {
      const int x = threadIdx.x + tx * block_size_x;
      const int y = threadIdx.y + ty * block_size_y;
      const int gx = blockIdx.x * tile_w + x;
      const int gy = blockIdx.y * tile_h + y;
      if (gx < grid_width && gy < grid_height) temp_dst[gy * grid_width + gx] = state[now][halo + y][halo + x];
    }
  }
}
