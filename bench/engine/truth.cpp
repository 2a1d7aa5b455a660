#include "bench/engine/truth.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "tuner/engine/measure/statistics.hpp"

namespace tuner::bench {

namespace {

/// Mean of the middle four fifths.
double trimmed_mean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 10;
  double sum = 0;
  for (std::size_t i = cut; i < values.size() - cut; ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - 2 * cut);
}

}  // namespace

std::size_t Truth::best() const {
  return static_cast<std::size_t>(std::min_element(relative.begin(), relative.end()) - relative.begin());
}

double Truth::median_ns(std::size_t entry) const {
  std::vector<double> samples;
  for (const std::vector<double>& row : rows) samples.push_back(row[entry]);
  return engine::median(samples);
}

Truth find_truth(Laboratory& laboratory, const std::vector<engine::EntryId>& entries, int blocks,
                 std::chrono::seconds limit) {
  Truth truth;
  truth.entries = entries;
  laboratory.load(entries);
  for (int i = 0; i < 3; ++i) laboratory.run_block();  // warm-up
  const auto end = std::chrono::steady_clock::now() + limit;
  while (static_cast<int>(truth.rows.size()) < blocks && std::chrono::steady_clock::now() < end) {
    truth.rows.push_back(laboratory.run_block());
  }
  // What a block has in common (clock, temperature, neighbours) is its median, and is taken out.
  std::vector<std::vector<double>> differences(entries.size());
  for (const std::vector<double>& row : truth.rows) {
    const double common = std::log(engine::median(row));
    for (std::size_t i = 0; i < entries.size(); ++i) differences[i].push_back(std::log(row[i]) - common);
  }
  for (std::vector<double>& one : differences) truth.relative.push_back(trimmed_mean(std::move(one)));
  const double best = *std::min_element(truth.relative.begin(), truth.relative.end());
  for (double& one : truth.relative) one = std::exp(one - best);
  return truth;
}

void write_truth(const Truth& truth, const Laboratory& laboratory, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  for (const engine::EntryId entry : truth.entries) {
    const cache::Trial& trial = laboratory.candidates()[entry].trial;
    out << "configuration " << trial.configuration << " registers " << trial.facts.registers.value_or(0) << '\n';
  }
  out << "blocks " << truth.rows.size() << '\n';
  for (const std::vector<double>& row : truth.rows) {
    const std::vector<float> samples(row.begin(), row.end());
    out.write(reinterpret_cast<const char*>(samples.data()),
              static_cast<std::streamsize>(samples.size() * sizeof(float)));
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace tuner::bench
