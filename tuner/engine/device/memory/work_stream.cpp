#include "tuner/engine/device/memory/work_stream.hpp"

#include <thread>

#include "tuner/engine/device/memory/still_running.hpp"

namespace tuner::engine {

void WorkStream::wait(std::chrono::milliseconds limit) {
  check(driver().record_event(done_.get(), stream_.get()), "cuEventRecord");
  wait_for(done_.get(), limit);
}

void WorkStream::wait_for(CUevent event, std::chrono::milliseconds limit) {
  // Short kernels are polled without a pause, so that the GPU is not left idle; long ones leave the core to the
  // compiler.
  constexpr std::chrono::microseconds kSpin{2000};
  constexpr std::chrono::microseconds kPause{100};
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const CUresult result = driver().query_event(event);
    if (result == CUDA_SUCCESS) return;
    if (result != CUDA_ERROR_NOT_READY) check(result, "cuEventQuery");
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > limit) {
      abandon_device();
      throw StillRunning(limit);
    }
    if (waited > kSpin) std::this_thread::sleep_for(kPause);
  }
}

void WorkStream::copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  if (bytes > 0) check(driver().copy_on_device(to, from, bytes, get()), "cuMemcpyDtoDAsync");
}

void WorkStream::download(std::span<std::byte> to, CUdeviceptr from) {
  wait(kOwnWorkLimit);
  if (!to.empty()) check(driver().copy_to_host(to.data(), from, to.size(), get()), "cuMemcpyDtoHAsync");
  wait(kOwnWorkLimit);
}

std::vector<std::byte> WorkStream::download(CUdeviceptr from, std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  download(result, from);
  return result;
}

void WorkStream::upload(CUdeviceptr to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  wait(kOwnWorkLimit);
  check(driver().copy_to_device(to, bytes.data(), bytes.size(), get()), "cuMemcpyHtoDAsync");
  wait(kOwnWorkLimit);
}

void WorkStream::set_bytes(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  if (bytes > 0) check(driver().set_bytes(to, value, bytes, get()), "cuMemsetD8Async");
}

}  // namespace tuner::engine
