// A plain CUDA program whose launches are hard to store: see bench/capture_cases.sh.
//   capture_cases WAY
// Ends with 0 if its sums are right, however it was watched.
#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}
void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, static_cast<int>(result));
  std::exit(2);
}

__device__ int total = 0;
__constant__ int step = 1;
struct Pair {
  int* sums;
  const int* more;
};

constexpr unsigned kThreads = 256;

}  // namespace

extern "C" __global__ void adds(int* sums, const int* more, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) sums[i] += step * more[i];
  if (i == 0) ++total;
}
__global__ void adds_pair(Pair pair, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) pair.sums[i] += pair.more[i];
}
__global__ void adds_at(const Pair* pair, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) pair->sums[i] += pair->more[i];
}
__global__ void waits(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void frees(volatile int* flag) {
  *flag = 1;
}

namespace {

struct Numbers {
  explicit Numbers(int the_count) : count(the_count) {
    std::vector<int> ones(count, 1);
    check(cudaMalloc(&sums, count * sizeof(int)), "cudaMalloc");
    check(cudaMalloc(&more, count * sizeof(int)), "cudaMalloc");
    check(cudaMemset(sums, 0, count * sizeof(int)), "cudaMemset");
    check(cudaMemcpy(more, ones.data(), count * sizeof(int), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  unsigned blocks() const { return (count + kThreads - 1) / kThreads; }
  void launch(cudaStream_t stream = nullptr) { adds<<<blocks(), kThreads, 0, stream>>>(sums, more, count); }
  bool are(int expected) {
    std::vector<int> all(count);
    check(cudaMemcpy(all.data(), sums, count * sizeof(int), cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (const int each : all) {
      if (each != expected) return false;
    }
    return true;
  }
  int count;
  int *sums = nullptr, *more = nullptr;
};

bool plain(int count) {
  Numbers numbers(count);
  for (int i = 0; i < 20; ++i) numbers.launch();
  return numbers.are(20);
}

/// 100,000 launches of a few microseconds, for what watching one costs.
bool many() {
  Numbers numbers(1000);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100000; ++i) numbers.launch();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::printf("%.3f us a launch\n",
              std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 100000);
  return numbers.are(100000);
}

bool packed() {
  Numbers numbers(1000);
  cudaFunction_t function = nullptr;
  check(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&adds)), "cudaGetFuncBySymbol");
  struct {
    int* sums;
    const int* more;
    int count;
  } arguments{numbers.sums, numbers.more, numbers.count};
  std::size_t size = offsetof(std::remove_reference_t<decltype(arguments)>, count) + sizeof arguments.count;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  for (int i = 0; i < 3; ++i)
    check(cuLaunchKernel(function, numbers.blocks(), 1, 1, kThreads, 1, 1, 0, nullptr, nullptr, extra), "cuLaunchKernel");
  return numbers.are(3);
}

bool structured() {
  Numbers numbers(1000);
  for (int i = 0; i < 3; ++i) adds_pair<<<numbers.blocks(), kThreads>>>({numbers.sums, numbers.more}, numbers.count);
  return numbers.are(3);
}

bool per_thread() {
  Numbers numbers(1000);
  for (int i = 0; i < 3; ++i) numbers.launch(cudaStreamPerThread);
  check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
  return numbers.are(3);
}

/// The first launch waits for one that comes later, in another stream.
bool waiting() {
  int* flag = nullptr;
  check(cudaMalloc(&flag, sizeof(int)), "cudaMalloc");
  check(cudaMemset(flag, 0, sizeof(int)), "cudaMemset");
  cudaStream_t first = nullptr, second = nullptr;
  check(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "cudaStreamCreate");
  Numbers numbers(1000);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  numbers.launch(second);  // the code of these is loaded before anybody waits
  frees<<<1, 1, 0, second>>>(flag);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  waits<<<1, 1, 0, first>>>(flag);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaMemset(flag, 0, sizeof(int)), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  waits<<<1, 1, 0, first>>>(flag);
  numbers.launch(second);
  frees<<<1, 1, 0, second>>>(flag);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return numbers.are(2);
}

/// Another thread captures a stream again and again.
bool beside_capture() {
  Numbers numbers(1000), others(1000);
  std::atomic<bool> done = false;
  std::thread other([&] {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    for (int i = 0; i < 200; ++i) {
      cudaGraph_t graph = nullptr;
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
      others.launch(stream);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
      check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    }
    done = true;
  });
  int launches = 0;
  for (; !done; ++launches) {
    numbers.launch();
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  other.join();
  return numbers.are(launches) && others.are(0);
}

bool threads() {
  std::vector<std::thread> all;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t) {
    all.emplace_back([&] {
      Numbers numbers(1 << 16);
      for (int i = 0; i < 200; ++i) numbers.launch(cudaStreamPerThread);
      check(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
      if (numbers.are(200)) ++right;
    });
  }
  for (std::thread& each : all) each.join();
  return right == 8;
}

bool in_graph() {
  Numbers numbers(1000);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t runnable = nullptr;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  numbers.launch(stream);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&runnable, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < 5; ++i) check(cudaGraphLaunch(runnable, stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return numbers.are(5);
}

bool managed() {
  int* sums = nullptr;
  Numbers numbers(1000);
  check(cudaMallocManaged(&sums, 4000), "cudaMallocManaged");
  check(cudaMemset(sums, 0, 4000), "cudaMemset");
  adds<<<4, kThreads>>>(sums, numbers.more, 1000);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return sums[999] == 1;
}

/// The pointer to managed memory lies in other memory.
bool managed_inside() {
  Pair pair{};
  Pair* place = nullptr;
  Numbers numbers(1000);
  pair.more = numbers.more;
  check(cudaMallocManaged(&pair.sums, 4000), "cudaMallocManaged");
  check(cudaMemset(pair.sums, 0, 4000), "cudaMemset");
  check(cudaMalloc(&place, sizeof pair), "cudaMalloc");
  check(cudaMemcpy(place, &pair, sizeof pair, cudaMemcpyHostToDevice), "cudaMemcpy");
  adds_at<<<4, kThreads>>>(place, 1000);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return pair.sums[999] == 1;
}

bool pooled() {
  int* sums = nullptr;
  Numbers numbers(1000);
  check(cudaMallocAsync(&sums, 4000, nullptr), "cudaMallocAsync");
  check(cudaMemsetAsync(sums, 0, 4000, nullptr), "cudaMemset");
  adds<<<4, kThreads>>>(sums, numbers.more, 1000);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return true;
}

bool host_memory() {
  int* sums = nullptr;
  Numbers numbers(1000);
  check(cudaMallocHost(&sums, 4000), "cudaMallocHost");
  std::memset(sums, 0, 4000);
  adds<<<4, kThreads>>>(sums, numbers.more, 1000);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return sums[999] == 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "plain";
  bool right = false;
  if (way == "plain") right = plain(1000);
  if (way == "large") right = plain(8 << 20);  // two buffers of 32 MB
  if (way == "many") right = many();
  if (way == "packed") right = packed();
  if (way == "structured") right = structured();
  if (way == "per_thread") right = per_thread();
  if (way == "waiting") right = waiting();
  if (way == "beside_capture") right = beside_capture();
  if (way == "threads") right = threads();
  if (way == "in_graph") right = in_graph();
  if (way == "managed") right = managed();
  if (way == "managed_inside") right = managed_inside();
  if (way == "pooled") right = pooled();
  if (way == "host_memory") right = host_memory();
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
