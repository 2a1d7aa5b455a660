// A convolution of an image with a small filter, described by convolution.json. The filter comes twice, in constant memory and as an
// argument, and a parameter that is a word says which one is read.
__constant__ float d_filter[filter_height * filter_width];
__constant__ float weight;

__global__ void convolution_kernel(float* output_image, const float* input_image, const float* filter) {
  constexpr int image_width = 1021;
  constexpr int image_height = 515;
  constexpr int padded_width = image_width + filter_width - 1;
  constexpr int tile_w = block_size_x * tile_size_x + filter_width - 1;
  constexpr int tile_h = block_size_y * tile_size_y + filter_height - 1;
  // With padding the rows of the tile begin in different banks.
  __shared__ float tile[tile_h][tile_w + (use_padding && tile_w % 32 == 0 ? 1 : 0)];
  const int left = blockIdx.x * block_size_x * tile_size_x;
  const int top = blockIdx.y * block_size_y * tile_size_y;
  for (int y = threadIdx.y; y < tile_h; y += block_size_y) {
    for (int x = threadIdx.x; x < tile_w; x += block_size_x) {
      const bool inside = left + x < padded_width && top + y < image_height + filter_height - 1;
      tile[y][x] = inside ? input_image[(top + y) * padded_width + left + x] : 0.0f;
    }
  }
  __syncthreads();
  float sum[tile_size_y][tile_size_x] = {};
  for (int i = 0; i < filter_height; ++i) {
#pragma unroll
    for (int j = 0; j < filter_width; ++j) {
      for (int ty = 0; ty < tile_size_y; ++ty) {
        for (int tx = 0; tx < tile_size_x; ++tx) {
          sum[ty][tx] += tile[threadIdx.y + ty * block_size_y + i][threadIdx.x + tx * block_size_x + j] * where[i * filter_width + j];
        }
      }
    }
  }
  for (int ty = 0; ty < tile_size_y; ++ty) {
    for (int tx = 0; tx < tile_size_x; ++tx) {
      const int x = left + threadIdx.x + tx * block_size_x;
      const int y = top + threadIdx.y + ty * block_size_y;
      const float scaled = sum[ty][tx] * weight * static_cast<float>(scale);
      if (x < image_width && y < image_height) output_image[y * image_width + x] = scaled;
    }
  }
#ifdef kernel_tuner
  static_assert(grid_size_x * block_size_x * tile_size_x >= image_width, "the grid covers the image");
#endif
}
