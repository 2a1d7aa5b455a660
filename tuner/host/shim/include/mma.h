#pragma once

#include <string.h>

#include <type_traits>

#include "tuner/host/shim/include/cuda_bf16.h"
#include "tuner/host/shim/include/cuda_fp16.h"
#include "tuner/host/shim/warp.hpp"

// Matrix fragments of a warp. Which lane holds which element is not the same as on a GPU, where it is not documented.

#define TUNER_SPOT int line = __builtin_LINE(), const char *file = __builtin_FILE()

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace tuner_detail {

template <typename T>
struct Stored {
  using type = T;
};
template <>
struct Stored<precision::tf32> {
  using type = float;
};

template <typename Use, int M, int N, int K>
struct Shape;
template <int M, int N, int K>
struct Shape<matrix_a, M, N, K> {
  static constexpr int rows = M, columns = K;
};
template <int M, int N, int K>
struct Shape<matrix_b, M, N, K> {
  static constexpr int rows = K, columns = N;
};
template <int M, int N, int K>
struct Shape<accumulator, M, N, K> {
  static constexpr int rows = M, columns = N;
};

/// What products are summed in.
template <typename T>
struct Sum {
  using type = T;
};
template <>
struct Sum<__half> {
  using type = float;
};

}  // namespace tuner_detail

/// A lane has the elements of the matrix, row after row, whose number modulo 32 is its own.
template <typename Use, int M, int N, int K, typename T, typename Layout = void>
struct fragment {
  using element_type = typename tuner_detail::Stored<T>::type;
  static constexpr int rows = tuner_detail::Shape<Use, M, N, K>::rows;
  static constexpr int columns = tuner_detail::Shape<Use, M, N, K>::columns;
  static constexpr int num_elements = rows * columns / 32;
  static_assert(rows * columns % 32 == 0, "the fragment has no shape that a GPU has");
  element_type x[num_elements];
};

namespace tuner_detail {

template <typename Fragment, typename Action>
void for_each(Action action) {
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const int number = i * 32 + tuner::host::lane();
    action(i, number / Fragment::columns, number % Fragment::columns);
  }
}
inline size_t place(int row, int column, unsigned stride, bool by_rows) {
  return by_rows ? static_cast<size_t>(row) * stride + static_cast<size_t>(column)
                 : static_cast<size_t>(column) * stride + static_cast<size_t>(row);
}
template <typename Fragment, typename T>
void load(Fragment& to, const T* from, unsigned stride, bool by_rows, int line, const char* file) {
  __syncwarp(0xffffffffu, line, file);
  for_each<Fragment>([&](int i, int row, int column) { to.x[i] = from[place(row, column, stride, by_rows)]; });
}

/// The whole matrix, to every lane.
template <typename Fragment>
struct Whole {
  using T = typename Fragment::element_type;
  static constexpr int bytes = Fragment::num_elements * static_cast<int>(sizeof(T));
  Whole(const Fragment& part, tuner::host::Spot spot) {
    constexpr int kWord = 8;
    for (int at = 0; at < bytes; at += kWord) {
      const size_t size = bytes - at < kWord ? bytes - at : kWord;
      unsigned long long own = 0, all[32];
      memcpy(&own, reinterpret_cast<const unsigned char*>(part.x) + at, size);
      tuner::host::warp_gather(0xffffffffu, spot, own, all);
      for (int lane = 0; lane < 32; ++lane) memcpy(parts[lane] + at, &all[lane], size);
    }
  }
  T at(int row, int column) const {
    const int number = row * Fragment::columns + column;
    T element;
    memcpy(&element, parts[number % 32] + number / 32 * sizeof(T), sizeof(T));
    return element;
  }
  unsigned char parts[32][bytes];
};

}  // namespace tuner_detail

template <typename Fragment, typename T>
void fill_fragment(Fragment& fragment, const T& value) {
  for (auto& element : fragment.x) element = static_cast<typename Fragment::element_type>(value);
}

template <typename Use, int M, int N, int K, typename T, typename Layout, typename From>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to, const From* from, unsigned stride, TUNER_SPOT) {
  tuner_detail::load(to, from, stride, std::is_same_v<Layout, row_major>, line, file);
}
template <int M, int N, int K, typename T, typename From>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const From* from, unsigned stride, layout_t layout,
                      TUNER_SPOT) {
  tuner_detail::load(to, from, stride, layout == mem_row_major, line, file);
}
template <int M, int N, int K, typename T, typename To>
void store_matrix_sync(To* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride, layout_t layout,
                       TUNER_SPOT) {
  __syncwarp(0xffffffffu, line, file);
  tuner_detail::for_each<fragment<accumulator, M, N, K, T>>([&](int i, int row, int column) {
    to[tuner_detail::place(row, column, stride, layout == mem_row_major)] = from.x[i];
  });
}

template <int M, int N, int K, typename Product, typename T, typename LayoutA, typename LayoutB, typename Start>
void mma_sync(fragment<accumulator, M, N, K, Product>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
              const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, Start>& c,
              bool = false, TUNER_SPOT) {
  using Sum = typename tuner_detail::Sum<Product>::type;
  const tuner_detail::Whole<fragment<matrix_a, M, N, K, T, LayoutA>> left(a, {file, line});
  const tuner_detail::Whole<fragment<matrix_b, M, N, K, T, LayoutB>> right(b, {file, line});
  tuner_detail::for_each<fragment<accumulator, M, N, K, Product>>([&](int i, int row, int column) {
    Sum sum = static_cast<Sum>(c.x[i]);
    for (int k = 0; k < K; ++k) sum += static_cast<Sum>(left.at(row, k)) * static_cast<Sum>(right.at(k, column));
    d.x[i] = static_cast<Product>(sum);
  });
}

/// Ten bits of the mantissa stay, rounded to the nearest.
inline float __float_to_tf32(float value) {
  unsigned bits = 0;
  memcpy(&bits, &value, sizeof bits);
  if (value == value) bits = (bits + 0x1000u) & ~0x1fffu;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

}  // namespace wmma
}  // namespace nvcuda

#undef TUNER_SPOT
