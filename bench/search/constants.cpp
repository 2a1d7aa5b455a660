// How well the model's constants carry over to kernels on which they were not chosen; prints markdown for
// docs/results/.
//   TUNER_SPACES_DIR=FOLDER bench_search_constants FAMILY=PREFIX,... [REPEATS [CHOICE_REPEATS]]
// A recording belongs to the first family of which its file's name begins with a prefix; each belongs to one. Every
// family is scored with those constants of the grid below that are the best on all other families, over CHOICE_REPEATS
// (default 20) runs a recording: by the mean over recordings of the score, which asks how soon, plus the share of runs
// within 5 % of the optimum in the end, which asks how surely. So few runs do not tell points of the grid apart that
// are about as good, so a point is judged by the mean of itself and of all that differ from it in one constant. What
// is printed has REPEATS (default 60) runs of other seeds; the choice is the same however many they are.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "bench/program.hpp"
#include "bench/search/recordings.hpp"
#include "search/strategy/model.hpp"
#include "search/strategy/prng.hpp"
#include "tuner/cli/simulate/simulate_space.hpp"

namespace {

using tuner::cli::SimulatedSpace;
using tuner::search::ModelConstants;
using tuner::search::Score;

struct Family {
  std::string name;
  std::vector<std::string> prefixes;
};
struct Recording {
  SimulatedSpace space;
  std::size_t family;
};
/// Of one set of constants on one recording.
struct Result {
  Score score;
  double suggestion_us = 0;
};

/// Every combination of these that looks at no more configurations for a proposal than `kMostLookedAt`: what may be
/// chosen is bounded by what a proposal costs.
constexpr std::array<std::size_t, 3> kSamples{6, 10, 16};
constexpr std::array<std::size_t, 3> kBases{5, 8, 12};
constexpr std::array<std::size_t, 2> kNeighbours{32, 128};
constexpr std::array<std::size_t, 2> kRandom{50, 100};  ///< and walks, four for each five
constexpr std::array<std::size_t, 2> kPatience{16, 25};
constexpr std::array<std::size_t, 2> kGlimpse{6, 12};
constexpr std::size_t kMostLookedAt = 820;

constexpr std::size_t kChoiceRuns = std::size_t{1} << 20;  ///< the first of the runs by which constants are chosen

std::vector<ModelConstants> grid() {
  std::vector<ModelConstants> result;
  for (const std::size_t sample : kSamples) {
    for (const std::size_t bases : kBases) {
      for (const std::size_t neighbours : kNeighbours) {
        for (const std::size_t random : kRandom) {
          const std::size_t walks = random * 4 / 5;
          if (bases * neighbours + walks + random > kMostLookedAt) continue;
          for (const std::size_t patience : kPatience) {
            for (const std::size_t glimpse : kGlimpse) {
              result.push_back({.sample = sample,
                                .bases = bases,
                                .neighbours = neighbours,
                                .walks = walks,
                                .random = random,
                                .patience = patience,
                                .glimpse = glimpse});
            }
          }
        }
      }
    }
  }
  return result;
}

/// Walks go with the random ones.
bool differ_in_at_most_one(const ModelConstants& a, const ModelConstants& b) {
  const int differing = int{a.sample != b.sample} + int{a.bases != b.bases} + int{a.neighbours != b.neighbours} +
                        int{a.random != b.random} + int{a.patience != b.patience} + int{a.glimpse != b.glimpse};
  return differing <= 1;
}

struct Choice {
  ModelConstants constants;
  double merit = 0;  ///< the mean of theirs and of those of all points that differ from them in one constant
};

Choice best_of(const std::vector<ModelConstants>& points, const std::vector<double>& merits) {
  Choice best{points.front(), -std::numeric_limits<double>::infinity()};
  for (const ModelConstants& point : points) {
    double sum = 0, count = 0;
    for (std::size_t other = 0; other < points.size(); ++other) {
      if (!differ_in_at_most_one(point, points[other])) continue;
      sum += merits[other];
      ++count;
    }
    if (sum / count > best.merit) best = {point, sum / count};
  }
  return best;
}

std::string text(const ModelConstants& constants) {
  return fmt::format("sample {}, bases {}, neighbours {}, walks {}, random {}, patience {}, glimpse {}",
                     constants.sample, constants.bases, constants.neighbours, constants.walks, constants.random,
                     constants.patience, constants.glimpse);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Family read_family(const std::string& word) {
  const std::vector<std::string> sides = split(word, '=');
  if (sides.size() != 2) throw std::runtime_error(word + " is no FAMILY=PREFIX,...");
  return {sides[0], split(sides[1], ',')};
}

std::size_t family_of(const std::string& name, const std::vector<Family>& families) {
  for (std::size_t i = 0; i < families.size(); ++i) {
    for (const std::string& prefix : families[i].prefixes) {
      if (name.starts_with(prefix)) return i;
    }
  }
  throw std::runtime_error(name + " belongs to no family; name one that has a prefix of it");
}

/// Runs `first` to `first + count - 1` of one set of constants on one recording. The runs of a number have the same
/// seed whatever the constants are.
Result run(const SimulatedSpace& space, const ModelConstants& constants, std::size_t first, std::size_t count) {
  std::vector<std::vector<double>> curves;
  double sum_us = 0;
  std::size_t suggestions = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    tuner::search::Prng seeds(space.fingerprint + i);
    const auto model = tuner::search::make_model(space.task->space(), seeds.next(), constants);
    const tuner::search::SimulatedRun run =
        tuner::search::simulate(*model, space.recorded, {.budget = space.yardstick.budget()});
    curves.push_back(space.yardstick.fractions(run.visits));
    sum_us = std::accumulate(run.suggestion_us.begin(), run.suggestion_us.end(), sum_us);
    suggestions += run.suggestion_us.size();
  }
  return {tuner::search::score_of(space.yardstick, curves), sum_us / static_cast<double>(suggestions)};
}

/// `work(0)` to `work(count - 1)`, on every core.
template <typename Work>
void in_parallel(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (std::size_t item = next++; item < count; item = next++) work(item);
    });
  }
}

/// Over the recordings of all other families.
double mean_without(const std::vector<Recording>& recordings, const std::vector<double>& merits, std::size_t family) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    if (recordings[i].family == family) continue;
    sum += merits[i];
    ++count;
  }
  return sum / static_cast<double>(count);
}

int judge(const std::vector<std::string>& words) {
  std::vector<Family> families;
  std::vector<std::size_t> numbers;
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos) {
      families.push_back(read_family(word));
    } else {
      numbers.push_back(std::max(1UL, std::stoul(word)));
    }
  }
  if (families.size() < 2) throw std::runtime_error("name two families or more, FAMILY=PREFIX,...");
  const std::size_t repeats = numbers.empty() ? 60 : numbers[0];
  const std::size_t choice_repeats = numbers.size() < 2 ? 20 : numbers[1];

  std::vector<Recording> recordings;
  for (const std::string& file : tuner::bench::recordings()) {
    SimulatedSpace space = tuner::cli::load_space(file, {});
    const std::size_t family = family_of(space.name, families);
    recordings.push_back({std::move(space), family});
  }

  for (std::size_t family = 0; family < families.size(); ++family) {
    const auto is_other = [&](const Recording& recording) { return recording.family != family; };
    if (std::none_of(recordings.begin(), recordings.end(), is_other))
      throw std::runtime_error("all recordings belong to " + families[family].name + "; none is left to choose by");
  }

  const std::vector<ModelConstants> points = grid();
  std::vector<std::vector<double>> merits(points.size(), std::vector<double>(recordings.size()));
  in_parallel(points.size() * recordings.size(), [&](std::size_t item) {
    const std::size_t point = item / recordings.size(), i = item % recordings.size();
    const Score score = run(recordings[i].space, points[point], kChoiceRuns, choice_repeats).score;
    merits[point][i] = score.score.mean + score.hit95.back().mean;
  });
  const auto choice_without = [&](std::size_t family) {
    std::vector<double> means;
    for (const std::vector<double>& merit : merits) means.push_back(mean_without(recordings, merit, family));
    return best_of(points, means);
  };
  std::vector<Choice> choices;
  for (std::size_t family = 0; family < families.size(); ++family) choices.push_back(choice_without(family));

  std::vector<Result> results(recordings.size());
  in_parallel(recordings.size(), [&](std::size_t i) {
    results[i] = run(recordings[i].space, choices[recordings[i].family].constants, 0, repeats);
  });

  std::vector<Score> all;
  double least = 1, least_fraction = 1, sum_us = 0;
  for (const Result& result : results) {
    all.push_back(result.score);
    least = std::min(least, result.score.score.mean);
    least_fraction = std::min(least_fraction, result.score.fraction.back().mean);
    sum_us += result.suggestion_us / static_cast<double>(results.size());
  }
  const Score mean = tuner::search::average(all);
  fmt::print("score_f200 {:.3f} ± {:.3f}, least {:.3f}; fraction at 200 {:.3f}, least {:.3f}; {:.0f} µs a suggestion\n",
             mean.score.mean, mean.score.standard_error, least, mean.fraction.back().mean, least_fraction, sum_us);
  fmt::print(
      "\n| family left out | chosen on the others, of {} points | score and share of runs within 5 %, "
      "with those around |\n|---|---|---|\n",
      points.size());
  for (std::size_t family = 0; family < families.size(); ++family) {
    fmt::print("| {} | {} | {:.3f} |\n", families[family].name, text(choices[family].constants), choices[family].merit);
  }
  const Choice everything = choice_without(families.size());
  fmt::print("| none | {} | {:.3f} |\n", text(everything.constants), everything.merit);
  fmt::print("\n| recording | score_f200 | @100 | @200 |\n|---|---|---|---|\n");
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    const Score& score = results[i].score;
    fmt::print("| {} | {:.3f} ± {:.3f} | {:.3f} | {:.3f} |\n", recordings[i].space.name, score.score.mean,
               score.score.standard_error, score.fraction[score.fraction.size() / 2 - 1].mean,
               score.fraction.back().mean);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_search_constants", [&] { return judge({argv + 1, argv + argc}); });
}
