#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tuner::bench {

/// A well-known implementation of what one of our kernels does, ready to run on the same data.
struct Peer {
  std::string name;                      ///< "cuBLAS 13.0.2 sgemm"
  std::function<void(CUstream)> launch;  ///< once; throws std::runtime_error if it cannot be launched
};

// All work in the primary context, which is current. Addresses stay valid while the peer is used. Each throws
// std::runtime_error where the library is not there: cuBLAS is opened when it is first needed, as $TUNER_CUBLAS or
// libcublas.so.13 or .12; CUB is built in if nvcc was found when the program was configured.

/// In cuBLAS's default mode, which uses no tensor cores for floats: c = alpha * a * b + beta * c for matrices stored
/// row after row, as sgemm.cu computes it.
Peer cublas_sgemm(CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int m, int n, int k, float alpha, float beta);
/// The sum of n floats, as reduce.cu computes it: cub::DeviceReduce::Sum with temporary memory of its own.
Peer cub_sum(CUdeviceptr values, CUdeviceptr total, std::int64_t n);
/// The driver's copy from device to device, with which transpose.cu is compared: it moves as many bytes.
Peer device_copy(CUdeviceptr from, CUdeviceptr to, std::size_t bytes);

/// Compares the peer's result with our kernel's, both copied to the host: |x - y| <= atol + rtol * |y| with the
/// tolerances of the kernel's description. "agree (largest relative difference 3e-07)", or which element does not.
/// A copy's result is not compared.
std::string compare_results(std::span<const float> of_peer, std::span<const float> of_kernel, double rtol, double atol);

}  // namespace tuner::bench
