#include "bench/search/size_matrix.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "tuner/error.hpp"

namespace tuner::bench {

namespace {

std::optional<double> read_time(const std::string& file, const std::string& problem, const std::string& text) {
  if (text == "-") return std::nullopt;
  double time = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  if (error == std::errc() && end == text.data() + text.size() && time > 0 && time < 1e300) return time;
  throw Error(Errc::bad_usage, fmt::format("{}: `{}` at {} is no time in nanoseconds.", file, text, problem));
}

}  // namespace

SizeMatrix read_size_matrix(const std::string& file) {
  SizeMatrix matrix;
  std::ifstream in(file);
  if (!in) throw Error(Errc::bad_usage, file + " cannot be read.");
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
    while (std::getline(fields, field, '\t')) row.push_back(read_time(file, matrix.problems.back(), field));
    if (row.size() == matrix.configurations.size()) continue;
    throw Error(Errc::bad_usage, fmt::format("{}: {} times at {}, of {} configurations.", file, row.size(),
                                             matrix.problems.back(), matrix.configurations.size()));
  }
  if (matrix.problems.empty()) throw Error(Errc::bad_usage, file + " has no problem with times.");
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
