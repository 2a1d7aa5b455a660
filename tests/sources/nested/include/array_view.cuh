#pragma once

#include <cstddef>
#include <utility>

template <typename T>
class ArrayView {
 public:
  __host__ __device__ ArrayView(T* data, std::size_t size) : data_(data), size_(size) {}
  __host__ __device__ T& operator[](std::size_t i) const { return data_[i]; }
  __host__ __device__ std::size_t size() const { return size_; }

 private:
  T* data_;
  std::size_t size_;
};
