#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/rule/features.hpp"
#include "search/strategy/prng.hpp"

namespace tuner::search::test {

/// A kernel as a model of its time: problems, and the time of every configuration on each, with the noise of
/// measurements.
struct Family {
  std::string name;
  std::vector<PropertyValues> problems;
  std::vector<std::vector<std::optional<double>>> times_ns;
};

class FamilyMaker {
 public:
  FamilyMaker(std::uint64_t seed, double noise) : prng_(seed), noise_(noise) {}

  // The learner's constants were chosen with these:
  Family stream(std::size_t count);   ///< n: launch overhead against waves, vectors where n % 4 == 0
  Family tiles(std::size_t count);    ///< m, n, k: tiles of a product, waves, parts of k
  Family rows(std::size_t count);     ///< rows, row_length: threads for a row, vectors
  Family regimes(std::size_t count);  ///< n: three algorithms of different order
  // These are for judging only:
  Family softmax(std::size_t count);    ///< rows, columns: in registers, in shared memory, or read twice
  Family stencil(std::size_t count);    ///< x, y, z: blocks of several shapes, whole tiles or guarded
  Family transpose(std::size_t count);  ///< height, width: tall, square and wide tiles
  Family scan(std::size_t count);       ///< n: one block, three launches, or one pass
  Family batched(std::size_t count);    ///< batch, m: a product a warp, a block or several blocks; m % 8

 private:
  std::int64_t size(double least, double most, double odd);
  double noisy(double time) { return time * std::exp(noise_ * gauss()); }
  double gauss();
  template <class Time>
  Family made(const char* name, std::vector<PropertyValues> problems, std::size_t configurations, Time time);

  Prng prng_;
  double noise_;
};

inline double FamilyMaker::gauss() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += prng_.unit();
  return sum;
}

/// Spread evenly over the logarithm: a power of two, a multiple of 64 or 8, or, with probability `odd`, any number.
inline std::int64_t FamilyMaker::size(double least, double most, double odd) {
  const double real = least * std::pow(most / least, prng_.unit());
  const double draw = prng_.unit();
  double step = 1;
  if (draw >= odd) step = draw < odd + (1 - odd) / 2 ? std::exp2(std::round(std::log2(real))) : real > 512 ? 64 : 8;
  return static_cast<std::int64_t>(std::max(1.0, std::round(real / step)) * step);
}

template <class Time>
Family FamilyMaker::made(const char* name, std::vector<PropertyValues> problems, std::size_t configurations,
                         Time time) {
  Family family{name, std::move(problems), {}};
  for (const PropertyValues& problem : family.problems) {
    family.times_ns.emplace_back();
    for (std::size_t i = 0; i < configurations; ++i) family.times_ns.back().emplace_back(noisy(time(problem, i)));
  }
  return family;
}

inline double property(const PropertyValues& problem, const char* name) {
  return problem.at(name).as_real();
}
inline double whole_waves(double blocks, double at_once) {
  const double full = std::floor(blocks / at_once);
  const double rest = blocks / at_once - full;
  return full + (rest > 0 ? 0.35 + 0.65 * rest : 0);
}

inline Family FamilyMaker::stream(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) problems.push_back({{"n", size(2e3, 2e8, 0.35)}});
  return made("stream", std::move(problems), 20, [](const PropertyValues& p, std::size_t c) {
    const double block = std::exp2(6 + static_cast<double>(c % 5)), items = c / 5 % 2 == 0 ? 1 : 8;
    const bool vectors = c >= 10;
    const double n = property(p, "n");
    const double blocks = std::ceil(n / (block * items * (vectors ? 4 : 1)));
    const double at_once = 132 * std::min(2048 / block, 32.0);
    double per_block = 600 + block * items * (vectors ? 4 : 1) * (items > 1 ? 0.30 : 0.33) * (block > 512 ? 1.1 : 1);
    if (vectors) per_block *= static_cast<std::int64_t>(n) % 4 == 0 ? 0.9 : 1.6;
    return 1500 + per_block * std::max(1.0, whole_waves(blocks, at_once));
  });
}

inline Family FamilyMaker::tiles(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) {
    problems.push_back({{"m", size(64, 8192, 0.2)}, {"n", size(64, 8192, 0.2)}, {"k", size(64, 8192, 0.2)}});
  }
  return made("tiles", std::move(problems), 18, [](const PropertyValues& p, std::size_t c) {
    const double heights[] = {32, 64, 128}, widths[] = {32, 64, 128}, parts = c >= 9 ? 4 : 1;
    const double height = heights[c % 3], width = widths[c / 3 % 3];
    const double blocks = std::ceil(property(p, "m") / height) * std::ceil(property(p, "n") / width) * parts;
    const double efficiency = 1 / (1 + 24 / height + 24 / width);
    const double at_once = 132 * std::max(1.0, std::floor(16384 / (height * width)));
    const double steps = property(p, "k") / parts * height * width / (efficiency * at_once * 0.5);
    return 3000 + (parts > 1 ? 2500 + 0.0004 * property(p, "m") * property(p, "n") : 0) +
           whole_waves(blocks, at_once) * (400 + steps);
  });
}

inline Family FamilyMaker::rows(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) {
    problems.push_back({{"rows", size(1, 65536, 0.2)}, {"row_length", size(32, 131072, 0.3)}});
  }
  return made("rows", std::move(problems), 12, [](const PropertyValues& p, std::size_t c) {
    const double threads = std::exp2(5 + static_cast<double>(c % 6)), vector = c >= 6 ? 4 : 1;
    const double length = property(p, "row_length");
    const double at_once = 132 * 2048 / threads;
    const double rounds = std::ceil(length / (threads * vector));
    double row = 300 + rounds * (vector > 1 ? 55 : 22) + 40 * std::log2(threads);
    if (vector > 1 && static_cast<std::int64_t>(length) % 4 != 0) row *= 1.5;
    return 2000 + row * std::max(1.0, whole_waves(property(p, "rows"), at_once));
  });
}

inline Family FamilyMaker::regimes(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) problems.push_back({{"n", size(64, 1e6, 0.2)}});
  return made("regimes", std::move(problems), 6, [](const PropertyValues& p, std::size_t c) {
    const double n = property(p, "n"), variant = c % 2 == 0 ? 1 : 1.03;
    if (c < 2) return variant * (1500 + n * 3.0);
    if (c < 4) return variant * (5000 + n * 0.6);
    return variant * (30000 + n * 0.25);
  });
}

inline Family FamilyMaker::softmax(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) {
    problems.push_back({{"rows", size(16, 32768, 0.1)}, {"columns", size(64, 262144, 0.25)}});
  }
  return made("softmax", std::move(problems), 9, [](const PropertyValues& p, std::size_t c) {
    const double rows = property(p, "rows"), columns = property(p, "columns");
    const double threads = std::exp2(7 + static_cast<double>(c % 3) * 1.5);
    const double each = columns / threads;
    double bytes = 8 * columns, slow = 1;
    if (c < 3) slow = each > 32 ? 1 + each / 32 : 1;                         // spills
    if (c >= 3 && c < 6) slow = columns > 49152 ? 6 : 1.06 + columns / 4e5;  // fewer blocks at once
    if (c >= 6) bytes *= 1.45;
    const double at_once = 132 * 2048 / threads;
    const double row = 500 + 45 * std::log2(threads) + slow * bytes / threads * 3.2;
    return 1800 + std::max(row * std::max(1.0, whole_waves(rows, at_once)), slow * bytes * rows / 4000);
  });
}

inline Family FamilyMaker::stencil(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) {
    problems.push_back({{"x", size(16, 1024, 0.25)}, {"y", size(16, 1024, 0.1)}, {"z", size(4, 512, 0.1)}});
  }
  return made("stencil", std::move(problems), 16, [](const PropertyValues& p, std::size_t c) {
    const double width = std::exp2(4 + static_cast<double>(c % 4)),
                 height = std::exp2(1 + static_cast<double>(c / 4 % 2) * 2);
    const bool whole = c >= 8;
    const double x = property(p, "x"), y = property(p, "y"), z = property(p, "z");
    const double columns = std::ceil(x / width), lines = std::ceil(y / height);
    double each = 30 + width * height * 1.1 + 2 * (width + height) + (width < 32 ? 40 : 0);
    if (whole) each *= static_cast<std::int64_t>(x) % static_cast<std::int64_t>(width) == 0 ? 0.92 : 1.25;
    const double deep = z >= 64 ? 0.9 : 1.0;
    return 2200 + each * (height > 4 ? deep : 1) * std::max(8.0, whole_waves(columns * lines * z, 132 * 16) * 8);
  });
}

inline Family FamilyMaker::transpose(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) {
    const double area = std::pow(2.0, 16 + 10 * prng_.unit()), ratio = std::pow(2.0, 10 * prng_.unit() - 5);
    const double height = std::max(8.0, std::round(std::sqrt(area * ratio) / 8) * 8);
    const double width = std::max(8.0, std::round(std::sqrt(area / ratio) / 8) * 8);
    problems.push_back({{"height", static_cast<std::int64_t>(height)}, {"width", static_cast<std::int64_t>(width)}});
  }
  return made("transpose", std::move(problems), 10, [](const PropertyValues& p, std::size_t c) {
    const double lean = static_cast<double>(c % 5) - 2;  // from wide to tall
    const double height = property(p, "height"), width = property(p, "width");
    const double off = std::log2(height / width) / 2.5 - lean;
    const double bytes = 8 * height * width;
    const double blocks = c >= 5 ? 4 : 1;
    return 2000 / blocks + 900 * (blocks - 1) / 3 + bytes / (c >= 5 ? 2.9 : 3.0) * 1e-3 * (1 + 0.035 * off * off);
  });
}

inline Family FamilyMaker::scan(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) problems.push_back({{"n", size(256, 1e8, 0.3)}});
  return made("scan", std::move(problems), 15, [](const PropertyValues& p, std::size_t c) {
    const double n = property(p, "n"), threads = std::exp2(6 + static_cast<double>(c % 5));
    const double log = std::log2(threads);
    if (c < 5) return 1600 + 25 * log + std::ceil(n / threads / 4) * (30 + 4 * log);
    if (c < 10) return 7000 + 30 * log + n * (0.0055 + 0.3 / threads / threads);
    const double misaligned = static_cast<std::int64_t>(n) % 4 == 0 ? 1 : 1.15;
    return 4200 + 60 * std::log2(1 + n / threads / 8) + n * 0.0037 * misaligned * (1 + 0.06 * std::abs(log - 8));
  });
}

inline Family FamilyMaker::batched(std::size_t count) {
  std::vector<PropertyValues> problems;
  for (std::size_t i = 0; i < count; ++i) {
    problems.push_back({{"batch", size(1, 16384, 0.1)}, {"m", size(4, 512, 0.4)}});
  }
  return made("batched", std::move(problems), 12, [](const PropertyValues& p, std::size_t c) {
    const double batch = property(p, "batch"), m = property(p, "m");
    const double groups[] = {1, 4, 16};
    const double group = groups[c % 3];
    const bool wide = c / 3 % 2 == 1, split = c >= 6;
    double work = m * m * m * 0.02 / std::min(group, std::max(1.0, m * m / 64)) + 20 * group;
    if (wide) work *= static_cast<std::int64_t>(m) % 8 == 0 ? 0.8 : 1.4;
    const double blocks = batch * (split ? 4 : 1);
    if (split) work = work / 3.4 + 80;
    return 2100 + work * std::max(1.0, whole_waves(blocks * group, 132 * 16));
  });
}

}  // namespace tuner::search::test
