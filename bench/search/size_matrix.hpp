#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tuner::bench {

/// How long configurations take on problems. As text: a configuration a line, then lines of problems with tabs before
/// the times of these configurations; - where there is none.
struct SizeMatrix {
  std::vector<std::string> configurations;
  std::vector<std::string> problems;
  std::vector<std::vector<std::optional<double>>> times_ns;  ///< [problem][configuration]
};

/// Throws Error{bad_usage} for a file that cannot be read, or is no such text.
SizeMatrix read_size_matrix(const std::string& file);

void print_configurations(const SizeMatrix& matrix);
void print_row(const std::string& problem, const std::vector<std::optional<double>>& times_ns);

}  // namespace tuner::bench
