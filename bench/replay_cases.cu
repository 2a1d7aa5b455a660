// Small kernels of which it is known what `tuner replay` should say: see bench/replay_cases.sh.
//   replay_cases         lists them: name, verdict, and what becomes of each memory
//   replay_cases NAME    launches the kernel NAME twice on the same data
// Memory is named by the parameter that leads to it (1, or 1+8 for the word at byte 8 of parameter 1), `inner` if none
// does, or by its name if it is a variable. Numbers are the bytes that are written.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

constexpr int kThreads = 256;
constexpr int kBlocks = 400;
constexpr int kCount = kThreads * kBlocks;  // 102,400
constexpr int kScanned = 1024;
constexpr int kTile = 25600;  // of floats: 100 KB
constexpr int kSums = 64;
constexpr int kSide = 320;  // its square is kCount
constexpr int kNodes = 8;
constexpr int kRows = 4;

struct Arrays {
  const float* a;
  const float* b;
  float* sum;
  int count;
};
struct Node {
  float value;
  Node* next;
};
struct Ends {
  const float* in;
  float* out;
};
__constant__ Ends ends;
__device__ int total = 0;

__device__ int place() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void maps(const float* in, float* out, int count) {
  if (place() < count) out[place()] = 2 * in[place()];
}
__global__ void tails(const float* in, float* out, int count) {
  if (place() < count) out[place()] = 2 * in[place()];
}
__global__ void fours(const float4* in, float4* out, int count) {
  if (place() >= count) return;
  const float4 four = in[place()];
  out[place()] = {four.w, four.z, four.y, four.x};
}
__global__ void in_place(float* x, int count) {
  if (place() < count) x[place()] += 1;
}
__global__ void clamps(float* x, int count) {
  if (place() < count) x[place()] = fmaxf(x[place()], 0);
}
__global__ void sparse(const float* in, float* out, int count) {
  if (place() < count && place() % 1000 == 0) out[place()] = in[place()];
}
__global__ void pads(float* grid, int width, int pitch, int count) {
  if (place() < count && place() % pitch >= width) grid[place()] = 0;
}
__global__ void pitched(const float* in, float* out, std::size_t pitch, int width, int rows) {
  const int x = place() % width, y = place() / width;
  if (y < rows) out[y * (pitch / sizeof(float)) + x] = in[y * (pitch / sizeof(float)) + x];
}
__global__ void same_value(volatile float* x, int count) {
  if (place() < count) x[place()] = x[place()];
}
__global__ void fills(float* out, int count) {
  if (place() < count) out[place()] = 3;
}
__global__ void two_phases(const float* in, float* between, float* out) {
  between[place()] = 2 * in[place()];
  __syncthreads();
  out[place()] = between[blockIdx.x * blockDim.x + (threadIdx.x + 1) % blockDim.x];
}
__global__ void scans(const int* in, int* out) {
  __shared__ int sums[kScanned];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned step = 1; step < kScanned; step *= 2) {
    const int other = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += other;
    __syncthreads();
  }
  out[threadIdx.x] = sums[threadIdx.x];
}
__global__ void counts_values(const unsigned char* in, unsigned* bins, int count) {
  if (place() < count) atomicAdd(&bins[in[place()]], 1u);
}
__global__ void lowest(const int* in, int* out, int count) {
  if (place() < count) atomicMin(out, in[place()]);
}
__global__ void highest(const int* in, int* out, int count) {
  if (place() < count) atomicMax(out, in[place()]);
}
__global__ void adds_up(const float* in, float* sums, int count) {
  if (place() < count) atomicAdd(&sums[place() % kSums], in[place()]);
}
__global__ void appends(const int* in, int* out, unsigned* end, int count) {
  if (place() < count && in[place()] % 3 == 0) out[atomicAdd(end, 1u)] = in[place()];
}
__global__ void only_reads(const float* in, int* flag, int count) {
  float sum = 0;
  for (int i = 100 * place(); i < 100 * place() + 100 && i < count; ++i) sum += in[i];
  if (isnan(sum)) *flag = 1;
}
__global__ void does_nothing(float* x, int count) {}
__global__ void scatters(const int* places, const float* in, float* out, int count) {
  if (place() < count) out[places[place()]] = in[place()];
}
__global__ void gathers(const int* places, const float* in, float* out, int count) {
  if (place() < count) out[place()] = in[places[place()]];
}
__global__ void structure(Arrays arrays) {
  if (place() < arrays.count) arrays.sum[place()] = arrays.a[place()] + arrays.b[place()];
}
__global__ void pointer_arrays(const float* const* rows, float* const* doubled, int rows_count, int count) {
  for (int row = 0; row < rows_count; ++row)
    if (place() < count) doubled[row][place()] = 2 * rows[row][place()];
}
__global__ void walks(const Node* head, float* sum) {
  float so_far = 0;
  for (const Node* node = head; node != nullptr; node = node->next) so_far += node->value;
  *sum = so_far;
}
__global__ void through_constant(int count) {
  if (place() < count) ends.out[place()] = 2 * ends.in[place()];
}
__global__ void grows(const float* in, float* out, int count) {
  if (place() < count) out[place()] = 2 * in[place()];
  if (place() == 0) ++total;
}
__global__ void reverses_tiles(const float* in, float* out) {
  extern __shared__ float tile[];
  const int begin = static_cast<int>(blockIdx.x) * kTile;
  for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kThreads) tile[i] = in[begin + i];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kTile; i += kThreads) out[begin + i] = tile[kTile - 1 - i];
}
__global__ void whole_grid(const float* in, float* between, float* out, int count) {
  const int threads = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = place(); i < count; i += threads) between[i] = 2 * in[i];
  cooperative_groups::this_grid().sync();
  for (int i = place(); i < count; i += threads) out[i] = between[count - 1 - i];
}
/// Each block has what the other one of its cluster read.
__global__ void clusters(const float* in, float* out) {
#if __CUDA_ARCH__ >= 900
  __shared__ float tile[kThreads];
  const auto cluster = cooperative_groups::this_cluster();
  tile[threadIdx.x] = in[place()];
  cluster.sync();
  out[place()] = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1)[threadIdx.x];
  cluster.sync();
#endif
}
template <typename T>
__global__ void scales(const T* in, T* out, T factor, int count) {
  if (place() < count) out[place()] = factor * in[place()];
}
__global__ void halves(const float* in, __half* out, int count) {
  if (place() < count) out[place()] = __float2half(in[place()]);
}
__global__ void ping_pong(const float* from, float* to, int count) {
  if (place() < count) to[place()] = from[place()] / 2 + 1;
}
__global__ void range(const float* begin, const float* end, float* out) {
  if (place() < end - begin) out[place()] = 2 * begin[place()];
}
/// A wrong end is not hidden by the size of the grid.
__global__ void touching(const float* begin, const float* end, float* out) {
  for (std::ptrdiff_t i = place(); i < end - begin; i += gridDim.x * blockDim.x) out[i] = 2 * begin[i];
}
__global__ void packed(const float* a, const float* b, float* sum, int count) {
  if (place() < count) sum[place()] = a[place()] + b[place()];
}
__global__ void masks(const float* in, unsigned char* is_positive, int count) {
  if (place() < count) is_positive[place()] = in[place()] > 0;
}
__global__ void reads_clock(long long* out, int count) {
  if (place() < count) out[place()] = clock64();
}
/// Takes a tenth of a second before it looks.
__global__ void looks_late(const volatile float* in, float* out, int count, int steps) {
  float x = 1;
  for (int step = 0; step < steps; ++step) x = fmaf(x, 0.5F, 0.25F);
  if (place() < count) out[place()] = in[place()] + x;
}
__global__ void disturbs(float* out, int count, float value) {
  if (place() < count) out[place()] = value;
}
__global__ void transposes(float* matrix, int side) {
  const int x = place() % side, y = place() / side;
  if (y >= side || x <= y) return;
  const float other = matrix[x * side + y];
  matrix[x * side + y] = matrix[y * side + x];
  matrix[y * side + x] = other;
}

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

template <typename T>
T* memory_of(std::size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  check(cudaMemset(memory, 0x11, count * sizeof(T)), "cudaMemset");
  return memory;
}

template <typename T>
T* memory_with(const std::vector<T>& values) {
  T* const memory = memory_of<T>(values.size());
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

/// No zeros, because memory that was zeroed would look like these.
template <typename T = float>
T* numbers(int count = kCount) {
  std::vector<T> values(count);
  for (int i = 0; i < count; ++i) values[i] = static_cast<T>(1 + i % 1000);
  return memory_with(values);
}

int* permutation() {
  std::vector<int> places(kCount);
  for (long long i = 0; i < kCount; ++i) places[i] = static_cast<int>(i * 7919 % kCount);
  return memory_with(places);
}

template <typename Launch>
void twice(Launch launch) {
  for (int time = 0; time < 2; ++time) {
    launch();
    check(cudaGetLastError(), "a launch");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
}

template <typename T>
void set_all(T* memory, int byte, int count) {
  check(cudaMemset(memory, byte, count * sizeof(T)), "cudaMemset");
}

void run_sparse() {
  float *const in = numbers(), *const out = memory_of<float>(kCount);
  twice([&] { sparse<<<kBlocks, kThreads>>>(in, out, kCount); });
}
void run_clamps() {
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>((i % 2 == 0 ? 1 : -1) * (1 + i % 1000));
  float* const x = memory_with(values);
  twice([&] { clamps<<<kBlocks, kThreads>>>(x, kCount); });
}
void run_pitched() {
  constexpr int kWidth = 250, kHeight = 100;
  float *in = nullptr, *out = nullptr;
  std::size_t pitch = 0;
  check(cudaMallocPitch(&in, &pitch, kWidth * sizeof(float), kHeight), "cudaMallocPitch");
  check(cudaMallocPitch(&out, &pitch, kWidth * sizeof(float), kHeight), "cudaMallocPitch");
  check(cudaMemset(in, 0x42, pitch * kHeight), "cudaMemset");
  check(cudaMemset(out, 0x11, pitch * kHeight), "cudaMemset");
  twice([&] { pitched<<<kBlocks, kThreads>>>(in, out, pitch, kWidth, kHeight); });
}
void run_counts_values() {
  std::vector<unsigned char> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = static_cast<unsigned char>(i);
  unsigned char* const in = memory_with(values);
  unsigned* const bins = memory_of<unsigned>(256);
  twice([&] {
    set_all(bins, 0, 256);
    counts_values<<<kBlocks, kThreads>>>(in, bins, kCount);
  });
}
void run_adds_up() {
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = 1.0F / static_cast<float>(1 + i % 977);
  float *const in = memory_with(values), *const sums = memory_of<float>(kSums);
  twice([&] {
    set_all(sums, 0, kSums);
    adds_up<<<kBlocks, kThreads>>>(in, sums, kCount);
  });
}
void run_appends() {
  std::vector<int> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = i + 1;
  int *const in = memory_with(values), *const out = memory_of<int>(kCount);
  unsigned* const end = memory_of<unsigned>(1);
  twice([&] {
    set_all(end, 0, 1);
    appends<<<kBlocks, kThreads>>>(in, out, end, kCount);
  });
}
void run_pointer_arrays() {
  std::vector<const float*> rows;
  std::vector<float*> doubled;
  for (int row = 0; row < kRows; ++row) {
    rows.push_back(numbers());
    doubled.push_back(memory_of<float>(kCount));
  }
  const float** const rows_there = memory_with(rows);
  float** const doubled_there = memory_with(doubled);
  twice([&] { pointer_arrays<<<kBlocks, kThreads>>>(rows_there, doubled_there, kRows, kCount); });
}
void run_walks() {
  std::vector<Node*> places;
  for (int i = 0; i < kNodes; ++i) places.push_back(memory_of<Node>(1));
  for (int i = 0; i < kNodes; ++i) {
    const Node node{static_cast<float>(i + 1), i + 1 < kNodes ? places[i + 1] : nullptr};
    check(cudaMemcpy(places[i], &node, sizeof node, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  float* const sum = memory_of<float>(1);
  twice([&] { walks<<<1, 1>>>(places[0], sum); });
}
void run_through_constant() {
  const Ends here{numbers(), memory_of<float>(kCount)};
  check(cudaMemcpyToSymbol(ends, &here, sizeof here), "cudaMemcpyToSymbol");
  twice([&] { through_constant<<<kBlocks, kThreads>>>(kCount); });
}
void run_reverses_tiles() {
  constexpr int kBytes = kTile * sizeof(float);
  float *const in = numbers(), *const out = memory_of<float>(kCount);
  check(cudaFuncSetAttribute(reverses_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
        "cudaFuncSetAttribute");
  twice([&] { reverses_tiles<<<kCount / kTile, kThreads, kBytes>>>(in, out); });
}
void run_whole_grid() {
  const float* in = numbers();
  float *between = memory_of<float>(kCount), *out = memory_of<float>(kCount);
  int count = kCount;
  void* parameters[] = {&in, &between, &out, &count};
  twice([&] {
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&whole_grid), 64, kThreads, parameters, 0, nullptr),
          "cudaLaunchCooperativeKernel");
  });
}
void run_clusters() {
  const float* const in = numbers();
  float* const out = memory_of<float>(kCount);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2, attribute.val.clusterDim.y = 1, attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kBlocks, config.blockDim = kThreads;
  config.attrs = &attribute, config.numAttrs = 1;
  twice([&] { check(cudaLaunchKernelEx(&config, clusters, in, out), "cudaLaunchKernelEx"); });
}
void run_ping_pong() {
  float *from = numbers(), *to = memory_of<float>(kCount);
  twice([&] {
    ping_pong<<<kBlocks, kThreads>>>(from, to, kCount);
    std::swap(from, to);
  });
}
/// The next allocation does not begin where this one ends, because that is no multiple of 512.
void run_range() {
  constexpr int kFew = kCount - 100;
  float *const in = numbers(kFew), *const out = memory_of<float>(kFew);
  twice([&] { range<<<kBlocks, kThreads>>>(in, in + kFew, out); });
}
/// And here it does.
void run_touching() {
  float *const in = numbers(), *const out = memory_of<float>(kCount);
  if (out != in + kCount) std::fprintf(stderr, "touching: its memory does not lie side by side\n");
  twice([&] { touching<<<kBlocks, kThreads>>>(in, in + kCount, out); });
}
void run_packed() {
  float* const all = numbers(3 * kCount);
  twice([&] { packed<<<kBlocks, kThreads>>>(all, all + kCount, all + 2 * kCount, kCount); });
}
void run_lowest() {
  int *const in = numbers<int>(), *const out = memory_of<int>(1);
  set_all(out, 0x7f, 1);
  twice([&] { lowest<<<kBlocks, kThreads>>>(in, out, kCount); });
}
void run_highest() {
  int *const in = numbers<int>(), *const out = memory_of<int>(1);
  set_all(out, 0, 1);
  twice([&] { highest<<<kBlocks, kThreads>>>(in, out, kCount); });
}
void run_transposes() {
  std::vector<float> values(kCount);
  for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>(i + 1);
  float* const matrix = memory_with(values);
  twice([&] { transposes<<<kBlocks, kThreads>>>(matrix, kSide); });
}

/// Another process writes to memory of this one until the pipe is closed: no stream of this one could, because they are
/// idle while a launch is stored.
void disturb(int from_program) {
  cudaIpcMemHandle_t handle;
  if (read(from_program, &handle, sizeof handle) != sizeof handle) return;
  void* memory = nullptr;
  check(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
  for (int value = 1;; value = value % 1000 + 1) {
    disturbs<<<kScanned / kThreads, kThreads>>>(static_cast<float*>(memory), kScanned, static_cast<float>(value));
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    pollfd end{from_program, POLLIN, 0};
    if (poll(&end, 1, 0) != 0) return;
  }
}
void run_looks_late() {
  int to_other[2];
  if (pipe(to_other) != 0) std::exit(2);
  const pid_t other = fork();  // before this process uses CUDA
  if (other == 0) {
    close(to_other[1]);
    disturb(to_other[0]);
    std::exit(0);
  }
  close(to_other[0]);
  float *const in = numbers(kScanned), *const out = memory_of<float>(kScanned);
  cudaIpcMemHandle_t handle;
  check(cudaIpcGetMemHandle(&handle, in), "cudaIpcGetMemHandle");
  if (write(to_other[1], &handle, sizeof handle) != sizeof handle) std::exit(2);
  twice([&] { looks_late<<<kScanned / kThreads, kThreads>>>(in, out, kScanned, 40'000'000); });
  close(to_other[1]);
  waitpid(other, nullptr, 0);
}

struct Case {
  const char *name, *verdict, *memory;
  void (*run)();
};
const Case kCases[] = {
    {"maps", "exact", "1 in, 2 out all",
     [] {
       float *const in = numbers(), *const out = memory_of<float>(kCount);
       twice([&] { maps<<<kBlocks, kThreads>>>(in, out, kCount); });
     }},
    {"tails", "exact", "1 in, 2 out 409200",
     [] {
       float *const in = numbers(), *const out = memory_of<float>(kCount);
       twice([&] { tails<<<kBlocks, kThreads>>>(in, out, kCount - 100); });
     }},
    {"fours", "exact", "1 in, 2 out all",
     [] {
       auto *const in = reinterpret_cast<float4*>(numbers()), *const out = memory_of<float4>(kCount / 4);
       twice([&] { fours<<<kBlocks, kThreads>>>(in, out, kCount / 4); });
     }},
    {"in_place", "exact", "1 inout all",
     [] {
       float* const x = numbers();
       twice([&] { in_place<<<kBlocks, kThreads>>>(x, kCount); });
     }},
    {"clamps", "exact", "1 inout all", run_clamps},
    {"sparse", "exact", "1 in, 2 out 412", run_sparse},
    {"pads", "exact", "1 out 40960",
     [] {
       float* const grid = numbers();
       twice([&] { pads<<<kBlocks, kThreads>>>(grid, 90, 100, kCount); });
     }},
    {"pitched", "exact", "1 in, 2 out 100000", run_pitched},
    {"same_value", "exact", "1 inout",
     [] {
       float* const x = numbers();
       twice([&] { same_value<<<kBlocks, kThreads>>>(x, kCount); });
     }},
    {"fills", "exact", "1 out all",
     [] {
       float* const out = memory_of<float>(kCount);
       twice([&] { fills<<<kBlocks, kThreads>>>(out, kCount); });
     }},
    {"two_phases", "exact", "1 in, 2 out all, 3 out all",
     [] {
       float *const in = numbers(), *const between = memory_of<float>(kCount), *const out = memory_of<float>(kCount);
       twice([&] { two_phases<<<kBlocks, kThreads>>>(in, between, out); });
     }},
    {"scans", "exact", "1 in, 2 out all",
     [] {
       int *const in = numbers<int>(kScanned), *const out = memory_of<int>(kScanned);
       twice([&] { scans<<<1, kScanned>>>(in, out); });
     }},
    {"counts_values", "exact", "1 in, 2 inout all", run_counts_values},
    {"lowest", "exact", "1 in, 2 inout", run_lowest},
    {"highest", "exact", "1 in, 2 inout", run_highest},
    {"adds_up", "close", "1 in, 2 inout all", run_adds_up},
    {"appends", "same set", "1 in, 2 out 136532, 3 inout", run_appends},
    {"only_reads", "exact", "1 in, 2 in",
     [] {
       float* const in = numbers();
       int* const flag = memory_of<int>(1);
       twice([&] { only_reads<<<kBlocks, kThreads>>>(in, flag, kCount); });
     }},
    {"does_nothing", "exact", "1 in",
     [] {
       float* const x = numbers();
       twice([&] { does_nothing<<<kBlocks, kThreads>>>(x, kCount); });
     }},
    {"scatters", "exact", "1 in, 2 in, 3 out all",
     [] {
       int* const places = permutation();
       float *const in = numbers(), *const out = memory_of<float>(kCount);
       twice([&] { scatters<<<kBlocks, kThreads>>>(places, in, out, kCount); });
     }},
    {"gathers", "exact", "1 in, 2 in, 3 out all",
     [] {
       int* const places = permutation();
       float *const in = numbers(), *const out = memory_of<float>(kCount);
       twice([&] { gathers<<<kBlocks, kThreads>>>(places, in, out, kCount); });
     }},
    {"structure", "exact", "1 in, 1+8 in, 1+16 out all",
     [] {
       const Arrays arrays{numbers(), numbers(), memory_of<float>(kCount), kCount};
       twice([&] { structure<<<kBlocks, kThreads>>>(arrays); });
     }},
    {"pointer_arrays", "exact", "1 in, 2 in, inner in x 4, inner out all x 4", run_pointer_arrays},
    {"walks", "exact", "1 in, 2 out all, inner in x 7", run_walks},
    {"through_constant", "exact", "inner in, inner out all", run_through_constant},
    {"grows", "exact", "1 in, 2 out all, total inout",
     [] {
       float *const in = numbers(), *const out = memory_of<float>(kCount);
       twice([&] { grows<<<kBlocks, kThreads>>>(in, out, kCount); });
     }},
    {"reverses_tiles", "exact", "1 in, 2 out all", run_reverses_tiles},
    {"whole_grid", "exact", "1 in, 2 out all, 3 out all", run_whole_grid},
    {"clusters", "exact", "1 in, 2 out all", run_clusters},
    {"scales", "exact", "1 in, 2 out all",
     [] {
       double *const in = numbers<double>(), *const out = memory_of<double>(kCount);
       twice([&] { scales<<<kBlocks, kThreads>>>(in, out, 2.5, kCount); });
     }},
    {"halves", "exact", "1 in, 2 out all",
     [] {
       float* const in = numbers();
       __half* const out = memory_of<__half>(kCount);
       twice([&] { halves<<<kBlocks, kThreads>>>(in, out, kCount); });
     }},
    {"ping_pong", "exact", "1 in, 2 out all", run_ping_pong},
    {"range", "exact", "1/2 in, 3 out all", run_range},
    {"touching", "exact", "1 in, 2/3 out all", run_touching},
    {"packed", "exact", "1/2/3 inout 409600", run_packed},
    {"masks", "exact", "1 in, 2 out all",
     [] {
       float* const in = numbers();
       auto* const is_positive = memory_of<unsigned char>(kCount);
       twice([&] { masks<<<kBlocks, kThreads>>>(in, is_positive, kCount); });
     }},
    {"transposes", "exact", "1 inout 408320", run_transposes},
    {"reads_clock", "not repeatable", "1 any",
     [] {
       auto* const out = memory_of<long long>(kCount);
       twice([&] { reads_clock<<<kBlocks, kThreads>>>(out, kCount); });
     }},
    {"looks_late", "not repeatable", "1 in, 2 any", run_looks_late},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const Case& each : kCases) std::printf("%s\t%s\t%s\n", each.name, each.verdict, each.memory);
    return 0;
  }
  for (const Case& each : kCases) {
    if (std::strcmp(each.name, argv[1]) != 0) continue;
    each.run();
    return 0;
  }
  std::fprintf(stderr, "no kernel %s\n", argv[1]);
  return 2;
}
