#include "tests/kernel_sources/reference.hpp"

namespace {

using namespace tuner::host;

void reference(ReferenceRun& run) {
  const auto matrix = run.array<float>("matrix");
  const auto sums = run.array<float>("sums");
  const std::int64_t rows = run.size("rows"), columns = run.size("columns");
  std::vector<double> totals(sums.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t at = run.size("column_major") == 1 ? column * rows + row : row * columns + column;
      totals[run.size("axis") == 0 ? row : column] += matrix[at];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<float>(totals[i]);
}

const ReferenceRegistration registration{"row_sum", reference};

}  // namespace
