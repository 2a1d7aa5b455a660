#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

template <typename T>
void transpose(ReferenceRun& run) {
  const std::int64_t rows = run.size("rows"), columns = run.size("columns");
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      run.array<T>("output")[column * rows + row] = run.array<T>("input")[row * columns + column];
    }
  }
}

const ReferenceRegistration registration{"transpose", transpose<float>, transpose<double>};

}  // namespace
