// A plain CUDA program that knows nothing of the tuner: heat spreads on a plate for some steps. To look at what it
// launches, and to store launches of its kernel:
//   nvcc -O2 -o heat heat.cu
//   tuner capture -- ./heat
//   tuner capture --kernel spread -- ./heat && tuner show ./spread.capture
// To run these launches again, without the program:
//   tuner replay spread.capture
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

constexpr int kSteps = 200;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

__constant__ float conductivity;

__global__ void spread(const float* before, float* after, int size) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= size || y >= size) return;
  const int i = y * size + x;
  if (x == 0 || y == 0 || x == size - 1 || y == size - 1) {
    after[i] = before[i];  // the edge keeps its temperature
    return;
  }
  const float around = before[i - 1] + before[i + 1] + before[i - size] + before[i + size];
  after[i] = before[i] + conductivity * (around - 4 * before[i]);
}

int main(int argc, char** argv) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 2048;
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  std::vector<float> plate(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 20.0f);
  for (int x = 0; x < size; ++x) plate[static_cast<std::size_t>(x)] = 100.0f;

  const float value = 0.2f;
  float *before = nullptr, *after = nullptr;
  check(cudaMemcpyToSymbol(conductivity, &value, sizeof value), "cudaMemcpyToSymbol");
  check(cudaMalloc(&before, bytes), "cudaMalloc");
  check(cudaMalloc(&after, bytes), "cudaMalloc");
  check(cudaMemcpy(before, plate.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  const dim3 block(16, 16), grid((size + 15) / 16, (size + 15) / 16);
  for (int step = 0; step < kSteps; ++step) {
    spread<<<grid, block>>>(before, after, size);
    std::swap(before, after);
  }
  check(cudaMemcpy(plate.data(), before, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  const std::size_t below_edge = static_cast<std::size_t>(size) + static_cast<std::size_t>(size) / 2;
  std::printf("%.3f degrees below the hot edge\n", plate[below_edge]);
  check(cudaFree(before), "cudaFree");
  check(cudaFree(after), "cudaFree");
}
