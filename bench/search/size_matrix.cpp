#include "bench/search/size_matrix.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "tuner/error.hpp"

namespace tuner::bench {

SizeMatrix read_size_matrix(const std::string& file) {
  SizeMatrix matrix;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string field;
    std::getline(fields, field, '\t');
    if (fields.eof()) {
      matrix.configurations.push_back(field);
      continue;
    }
    matrix.problems.push_back(field);
    auto& row = matrix.times_ns.emplace_back();
    while (std::getline(fields, field, '\t')) {
      row.push_back(field == "-" ? std::nullopt : std::optional(std::stod(field)));
    }
  }
  for (const auto& row : matrix.times_ns) {
    if (row.size() != matrix.configurations.size()) throw Error(Errc::bad_usage, file + " lacks times.");
  }
  return matrix;
}

void print_configurations(const SizeMatrix& matrix) {
  for (const std::string& configuration : matrix.configurations) fmt::print("{}\n", configuration);
}

void print_row(const std::string& problem, const std::vector<std::optional<double>>& times_ns) {
  fmt::print("{}", problem);
  for (const std::optional<double>& time : times_ns) fmt::print("\t{}", time ? fmt::format("{:.0f}", *time) : "-");
  fmt::print("\n");
}

}  // namespace tuner::bench
