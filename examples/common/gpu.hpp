#pragma once

// Shared by the examples, so that they can focus on the tuner: memory on the GPU, a stream, a message if there is no
// GPU. All of it uses the CUDA runtime.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace gpu {

inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(std::string("the CUDA runtime says: ") + cudaGetErrorString(code));
}

/// Elements in the GPU's memory.
template <class T>
class Array {
 public:
  explicit Array(std::size_t size) : size_(size) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit Array(const std::vector<T>& elements) : Array(elements.size()) { write(elements); }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  T* data() const { return data_; }
  void write(const std::vector<T>& elements) {
    check(cudaMemcpy(data_, elements.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> read(cudaStream_t stream = nullptr) const {
    std::vector<T> elements(size_);
    check(cudaMemcpyAsync(elements.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    return elements;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Says why nothing was run, and returns what test drivers take for "skipped".
inline int skip(const std::string& why) {
  std::printf("SKIPPED: nothing can be launched here: %s\n", why.c_str());
  return 77;
}

}  // namespace gpu
