// Loaded into a program before its CUDA runtime (LD_PRELOAD), which must be the shared one: writes down what the
// program does, independently of CUPTI. bench/capture_agreement.sh compares it with what `tuner capture` says and
// changes.
//   AGREEMENT_TIMES=FILE    nanoseconds of each kernel by a pair of events around every launch, which it waits for
//   AGREEMENT_COPIES=FILE   a hash of what every copy to the host brought
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Time {
  std::uint64_t launches = 0;
  double ns = 0;
};

// Programs launch from their own last destructors, so none of these ends before the process does.
std::mutex& mutex = *new std::mutex;
/// Mangled names, by the function on the host that stands for a kernel, and by what the runtime makes of it.
std::map<const void*, std::string>& names = *new std::map<const void*, std::string>;
std::map<std::string, Time>& times = *new std::map<std::string, Time>;

std::string name_of(const void* kernel) {
  const std::lock_guard lock(mutex);
  return names[kernel];
}

void write_times() {
  if (times.empty()) return;  // a shell that starts the program, say
  FILE* file = std::fopen(std::getenv("AGREEMENT_TIMES"), "a");
  if (!file) return;
  for (const auto& [name, time] : times)
    std::fprintf(file, "%s\t%llu\t%.0f\n", name.c_str(), static_cast<unsigned long long>(time.launches), time.ns);
  std::fclose(file);
}

template <typename Launch>
cudaError_t timed(const std::string& name, cudaStream_t stream, Launch launch) {
  static const bool is_wanted = std::getenv("AGREEMENT_TIMES") && std::atexit(write_times) == 0;
  if (!is_wanted) return launch();
  cudaEvent_t begin = nullptr, end = nullptr;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  const cudaError_t result = launch();
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  const std::lock_guard lock(mutex);
  Time& time = times[name];
  ++time.launches;
  time.ns += ms * 1e6;
  return result;
}

bool wants_copies() {
  static const bool wants = std::getenv("AGREEMENT_COPIES");
  return wants;
}

void write_copy(const void* to, std::size_t bytes) {
  static FILE* const file = std::fopen(std::getenv("AGREEMENT_COPIES"), "w");
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a over words, then over what is left
  const auto* at = static_cast<const unsigned char*>(to);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    hash = (hash ^ word) * 0x100000001b3;
  }
  for (; bytes > 0; --bytes, ++at) hash = (hash ^ *at) * 0x100000001b3;
  const std::lock_guard lock(mutex);
  if (file) std::fprintf(file, "%016llx\n", static_cast<unsigned long long>(hash));
}

bool is_to_host(cudaMemcpyKind kind, const void* to) {
  if (kind != cudaMemcpyDefault) return kind == cudaMemcpyDeviceToHost;
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, to) == cudaSuccess && attributes.type != cudaMemoryTypeDevice;
}

}  // namespace

extern "C" {

void __cudaRegisterFunction(void** module, const char* host, char* device, const char* name, int threads, uint3* tid,
                            uint3* bid, dim3* block, dim3* grid, int* warp) {
  {
    const std::lock_guard lock(mutex);
    names[host] = device;
  }
  static auto* next = real<decltype(__cudaRegisterFunction)>("__cudaRegisterFunction");
  next(module, host, device, name, threads, tid, bid, block, grid, warp);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  static auto* next = real<decltype(__cudaGetKernel)>("__cudaGetKernel");
  const cudaError_t result = next(kernel, host);
  const std::lock_guard lock(mutex);
  if (result == cudaSuccess) names[*kernel] = names[host];
  return result;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** parameters, size_t shared,
                               cudaStream_t stream) {
  static auto* next = real<decltype(__cudaLaunchKernel)>("__cudaLaunchKernel");
  return timed(name_of(kernel), stream, [&] { return next(kernel, grid, block, parameters, shared, stream); });
}

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** parameters, size_t shared,
                             cudaStream_t stream) {
  static auto* next = real<cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t)>("cudaLaunchKernel");
  return timed(name_of(host), stream, [&] { return next(host, grid, block, parameters, shared, stream); });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  static auto* next = real<decltype(cudaMemcpy)>("cudaMemcpy");
  const cudaError_t result = next(to, from, bytes, kind);
  if (wants_copies() && is_to_host(kind, to)) write_copy(to, bytes);
  return result;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  static auto* next = real<decltype(cudaMemcpyAsync)>("cudaMemcpyAsync");
  const cudaError_t result = next(to, from, bytes, kind, stream);
  if (wants_copies() && is_to_host(kind, to)) {
    cudaStreamSynchronize(stream);
    write_copy(to, bytes);
  }
  return result;
}
}
