__global__ void heat(const float* u, float* v, int nx, int ny, int nz, float c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  size_t i = ((size_t)z * ny + y) * nx + x;
  v[i] = u[i] + c * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - (size_t)nx * ny] + u[i + (size_t)nx * ny] - 6 * u[i]);
}
