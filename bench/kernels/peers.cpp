#include "bench/kernels/peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tuner/driver/driver.hpp"

#if BENCH_HAS_CUB
/// cub_reduce.cu. Without temporary memory it only says how much it needs. Returns a cudaError_t.
extern "C" int bench_cub_sum(void* temporary, std::size_t* bytes, const float* values, float* total, std::int64_t n,
                             CUstream stream);
#endif

namespace tuner::bench {

namespace {

/// The few functions of cuBLAS that are used, and their constants, so that its header need not be there.
class Cublas {
 public:
  using Handle = void*;

  static const Cublas& get() {
    static const Cublas library;
    return library;
  }

  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*set_stream)(Handle, CUstream) = nullptr;
  int (*set_math_mode)(Handle, int) = nullptr;
  int (*sgemm)(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
               float*, int) = nullptr;
  std::string version;

  static constexpr int kNotTransposed = 0, kDefaultMath = 0;

  static void check(int status, const char* call) {
    if (status != 0) throw std::runtime_error(fmt::format("{} failed with cublasStatus_t {}", call, status));
  }

 private:
  Cublas() {
    std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12"};
    for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) {
      names.push_back(folder + names[0]);
      names.push_back(folder + names[1]);
    }
    if (const char* chosen = std::getenv("TUNER_CUBLAS")) names = {chosen};
    void* library = nullptr;
    std::string reason;
    for (const std::string& name : names) {
      library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
      const char* error = dlerror();
      reason += fmt::format("\n  {}", error == nullptr ? name : error);
    }
    if (library == nullptr)
      throw std::runtime_error("cuBLAS cannot be opened; name its file in $TUNER_CUBLAS" + reason);
    const auto find = [&](auto& function, const char* name) {
      void* const symbol = dlsym(library, name);
      if (symbol == nullptr) throw std::runtime_error(fmt::format("cuBLAS has no function {}", name));
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(create, "cublasCreate_v2");
    find(destroy, "cublasDestroy_v2");
    find(set_stream, "cublasSetStream_v2");
    find(set_math_mode, "cublasSetMathMode");
    find(sgemm, "cublasSgemm_v2");
    int (*property)(int, int*) = nullptr;
    find(property, "cublasGetProperty");
    int part[3] = {};
    for (int i = 0; i < 3; ++i) check(property(i, &part[i]), "cublasGetProperty");
    version = fmt::format("{}.{}.{}", part[0], part[1], part[2]);
  }
};

}  // namespace

Peer cublas_sgemm(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int m, int n, int k, float alpha, float beta) {
  const Cublas& cublas = Cublas::get();
  Cublas::Handle created = nullptr;
  Cublas::check(cublas.create(&created), "cublasCreate");
  // std::function copies what it holds.
  const std::shared_ptr<void> handle(created, [&cublas](void* old) { cublas.destroy(old); });
  Cublas::check(cublas.set_math_mode(created, Cublas::kDefaultMath), "cublasSetMathMode");
  const auto launch = [=, &cublas](CUstream stream) {
    Cublas::check(cublas.set_stream(handle.get(), stream), "cublasSetStream");
    // cuBLAS thinks in columns: what it takes for the product of b's and a's transposes is c's transpose.
    Cublas::check(cublas.sgemm(handle.get(), Cublas::kNotTransposed, Cublas::kNotTransposed, n, m, k, &alpha,
                               reinterpret_cast<const float*>(b), n, reinterpret_cast<const float*>(a), k, &beta,
                               reinterpret_cast<float*>(c), n),
                  "cublasSgemm");
  };
  return {fmt::format("cuBLAS {} sgemm", cublas.version), launch};
}

#if BENCH_HAS_CUB

Peer cub_sum(CUdeviceptr values, CUdeviceptr total, std::int64_t n) {
  const auto run = [=](void* temporary, std::size_t* bytes, CUstream stream) {
    const int error = bench_cub_sum(temporary, bytes, reinterpret_cast<const float*>(values),
                                    reinterpret_cast<float*>(total), n, stream);
    if (error != 0) throw std::runtime_error(fmt::format("cub::DeviceReduce::Sum failed with cudaError_t {}", error));
  };
  std::size_t bytes = 0;
  run(nullptr, &bytes, nullptr);
  const auto temporary = std::make_shared<cuda::DeviceMemory>(cuda::allocate(std::max<std::size_t>(bytes, 1)));
  return {"CUB DeviceReduce::Sum", [=](CUstream stream) {
            std::size_t size = bytes;
            run(reinterpret_cast<void*>(temporary->get()), &size, stream);
          }};
}

#else

Peer cub_sum(CUdeviceptr, CUdeviceptr, std::int64_t) {
  throw std::runtime_error("CUB is not built in: there was no nvcc when the program was configured");
}

#endif

Peer device_copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes) {
  return {"copy from device to device", [=](CUstream stream) {
            const CUresult result = cuda::driver().copy_on_device(to, from, bytes, stream);
            if (result != CUDA_SUCCESS) throw std::runtime_error("cuMemcpyDtoDAsync: " + cuda::error_text(result));
          }};
}

std::string compare_results(std::span<const float> of_peer, std::span<const float> of_kernel, double rtol,
                            double atol) {
  if (of_peer.size() != of_kernel.size()) {
    return fmt::format("differ: the peer has {} elements, the kernel {}", of_peer.size(), of_kernel.size());
  }
  double largest = 0;
  for (std::size_t i = 0; i < of_peer.size(); ++i) {
    const double x = of_peer[i], y = of_kernel[i];
    const double difference = std::abs(x - y);
    if (!(difference <= atol + rtol * std::abs(y))) {
      return fmt::format("differ: element {} is {} at the peer, {} here", i, x, y);
    }
    largest = std::max(largest, y == 0 ? difference : difference / std::abs(y));
  }
  return fmt::format("agree (largest relative difference {:.0e})", largest);
}

}  // namespace tuner::bench
