namespace image {
namespace v2 {
static const int BLOCK_ROWS = 8;
__global__ void gray(const uchar4* pixels, unsigned char* gray, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * BLOCK_ROWS + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 p = pixels[y * width + x];
  gray[y * width + x] = (p.x * 77 + p.y * 151 + p.z * 28) >> 8;
}
}
void launch(const uchar4* pixels, unsigned char* out, int w, int h) {
  dim3 block(32, v2::BLOCK_ROWS);
  dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
  v2::gray<<<grid, block>>>(pixels, out, w, h);
}
}
