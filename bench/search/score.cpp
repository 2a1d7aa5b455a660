// What the search strategies are worth on a folder of recorded spaces; prints markdown for docs/results/.
//   TUNER_SPACES_DIR=FOLDER bench_search_score [REPEATS [SECTION...]]
// REPEATS (default 100) are for the default strategy; the others get a fifth of them. Sections, all of them by default:
//   strategies auto batch permuted noise seconds warm misleading
// Which recordings are of the same kernel is read from them. Two GPUs count as of one vendor if their names begin with
// the same word and that word has no digit: "NVIDIA …" and "NVIDIA …", but not two names that are bare model numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "bench/search/recordings.hpp"
#include "search/strategy/strategy.hpp"

namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

constexpr std::array<std::size_t, 4> kMarks{25, 50, 100, 200};
constexpr std::size_t kWarmMark = 10;

/// `tuner simulate … --json`.
json simulate(const Words& files, const Words& options) {
  const tuner::bench::ScratchFolder scratch;
  Words words{"simulate", "--json"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), options.begin(), options.end());
  const tuner::bench::CommandRun run = tuner::bench::run_command(tuner::bench::tuner_command(scratch.path(), words));
  if (run.exit_code != 0) throw std::runtime_error("tuner simulate failed");
  return json::parse(run.output);
}

struct Figure {
  double mean = 0, error = 0;
};

Figure figure(const json& estimate) {
  return {estimate.at("mean"), estimate.at("standard_error")};
}
std::string text(const Figure& figure) {
  return fmt::format("{:.3f} ± {:.3f}", figure.mean, figure.error);
}

const json& at(const json& score, std::size_t mark) {
  for (const json& entry : score.at("at")) {
    if (entry.at("evaluations") == mark) return entry;
  }
  throw std::runtime_error(fmt::format("no figures at {} evaluations", mark));
}
Figure fraction(const json& score, std::size_t mark) {
  return figure(at(score, mark).at("fraction"));
}
Figure difference(const Figure& a, const Figure& b) {
  return {a.mean - b.mean, std::hypot(a.error, b.error)};
}

constexpr const char* kTitles = " @25 | @50 | @100 | @200 | hit95@100 | score_f200 | to 95 % | CPU µs mean | p99 |";
constexpr const char* kRule = "---|---|---|---|---|---|---|---|---|";

std::string cells(const json& score) {
  std::string result;
  for (const std::size_t mark : kMarks) result += fmt::format(" {:.3f} |", fraction(score, mark).mean);
  result += fmt::format(" {:.3f} | {} | {:.0f} |", figure(at(score, 100).at("hit95")).mean,
                        text(figure(score.at("score"))), figure(score.at("to_95")).mean);
  const json& cpu = score.at("suggestion_us");
  return result + fmt::format(" {:.1f} | {:.1f} |", cpu.at("mean").get<double>(), cpu.at("p99").get<double>());
}

class Report {
 public:
  Report(std::vector<std::string> files, std::size_t repeats) : files_(std::move(files)), repeats_(repeats) {}

  void strategies() {
    fmt::print("\n## Every strategy, {} recordings, {} runs each\n\n", files_.size(), fewer());
    each_strategy({"--strategy", fmt::format("{}", fmt::join(tuner::search::strategy_names(), ","))});
  }

  void automatic() {
    const json& result = base();
    fmt::print("\n## The default strategy, {} runs each\n\n| recording | rows |{}\n|---|---|{}\n", repeats_, kTitles,
               kRule);
    const json& scores = result.at("strategies")[0];
    std::map<std::string, std::vector<std::size_t>> kernels;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const json& space = result.at("spaces")[i];
      kernels[space.at("kernel")].push_back(i);
      fmt::print("| {} | {} |{}\n", space.at("name").get<std::string>(), space.at("rows").get<std::size_t>(),
                 cells(scores.at("spaces")[i]));
    }
    fmt::print("| mean | |{}\n\n| kernel | recordings | @25 | @50 | @100 | score_f200 |\n|---|---|---|---|---|---|\n",
               cells(scores.at("mean")));
    for (const auto& [kernel, places] : kernels) {
      std::array<double, 3> sums{};
      Figure score;
      const auto count = static_cast<double>(places.size());
      for (const std::size_t i : places) {
        const json& one = scores.at("spaces")[i];
        for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += fraction(one, kMarks[m]).mean / count;
        score.mean += figure(one.at("score")).mean / count;
        score.error = std::hypot(score.error, figure(one.at("score")).error / count);
      }
      fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {} |\n", kernel, places.size(), sums[0], sums[1], sums[2],
                 text(score));
    }
  }

  void batch() { compare("In batches of 8", {{"8 at a time", {"--batch", "8"}}}); }
  void permuted() {
    compare("Parameters renamed and permuted", {{"permutation 1", {"--permute", "--seed", "1"}},
                                                {"permutation 2", {"--permute", "--seed", "2"}},
                                                {"the same names, seed 1", {"--seed", "1"}},
                                                {"the same names, seed 2", {"--seed", "2"}}});
  }
  void noise() { compare("Times disturbed as recorded", {{"noise", {"--noise"}}}); }

  void seconds() {
    fmt::print("\n## Charged for seconds: 200 units, of which one is what a configuration takes in the mean\n\n");
    each_strategy({"--cost", "seconds", "--strategy", "auto,random"});
  }

  void warm() {
    for (const std::size_t count : {5, 100}) warm(count);
  }

  void warm(std::size_t count) {
    fmt::print("\n## Told of the {} best of another GPU of the same vendor, {} runs each\n\n", count, repeats_);
    fmt::print(
        "| space | told of | @{} | @25 | @50 | @100 | @{} with a budget of {} |\n|---|---|---|---|---|---|---|\n",
        kWarmMark, kWarmMark, kWarmMark);
    const json spaces = base().at("spaces");
    std::array<double, 5> sums{};
    std::size_t pairs = 0;
    for (std::size_t to = 0; to < files_.size(); ++to) {
      for (std::size_t from = 0; from < files_.size(); ++from) {
        if (from == to || spaces[from].at("kernel") != spaces[to].at("kernel") ||
            !same_vendor(spaces[from].at("device"), spaces[to].at("device"))) {
          continue;
        }
        const Words told{"--promising", files_[from], "--promising-count", std::to_string(count)};
        const json long_run = scores_of(files_[to], told, 200);
        const json short_run = scores_of(files_[to], told, kWarmMark);
        const std::array<double, 5> found{long_run.at("fractions")[kWarmMark - 1], fraction(long_run, 25).mean,
                                          fraction(long_run, 50).mean, fraction(long_run, 100).mean,
                                          short_run.at("fractions")[kWarmMark - 1]};
        ++pairs;
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += found[i];
        fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n",
                   spaces[to].at("name").get<std::string>(), spaces[from].at("device").get<std::string>(), found[0],
                   found[1], found[2], found[3], found[4]);
        std::fflush(stdout);
      }
    }
    for (double& sum : sums) sum /= static_cast<double>(std::max<std::size_t>(pairs, 1));
    fmt::print("| mean of {} | | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", pairs, sums[0], sums[1], sums[2],
               sums[3], sums[4]);
  }

  void misleading() {
    fmt::print("\n## Told of the five slowest of the same space, {} runs each\n\n", repeats_);
    fmt::print("| space | @100 | told of nothing | difference |\n|---|---|---|---|\n");
    std::vector<Figure> differences;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const Figure told = fraction(scores_of(files_[i], {"--promising", files_[i] + ":worst"}, 200), 100);
      const Figure plain = fraction(base().at("strategies")[0].at("spaces")[i], 100);
      differences.push_back(difference(told, plain));
      fmt::print("| {} | {} | {} | {} |\n", base().at("spaces")[i].at("name").get<std::string>(), text(told),
                 text(plain), text(differences.back()));
    }
    Figure mean;
    for (const Figure& one : differences) {
      mean.mean += one.mean / static_cast<double>(differences.size());
      mean.error = std::hypot(mean.error, one.error / static_cast<double>(differences.size()));
    }
    fmt::print("| mean | | | {} |\n", text(mean));
  }

 private:
  json run(Words options, std::size_t repeats) const {
    options.insert(options.end(), {"--repeats", std::to_string(repeats)});
    return simulate(files_, options);
  }

  std::size_t fewer() const { return std::max<std::size_t>(repeats_ / 5, 1); }

  void each_strategy(const Words& options) const {
    const json result = run(options, fewer());
    fmt::print("| strategy |{}\n|---|{}\n", kTitles, kRule);
    for (const json& strategy : result.at("strategies")) {
      fmt::print("| {} |{}\n", strategy.at("strategy").get<std::string>(), cells(strategy.at("mean")));
    }
  }

  /// The default strategy on every recording with default settings, run when it is asked for first.
  const json& base() {
    if (base_.is_null()) base_ = run({}, repeats_);
    return base_;
  }

  /// The default strategy on one recording.
  json scores_of(const std::string& file, Words options, std::size_t budget) const {
    options.insert(options.end(), {"--repeats", std::to_string(repeats_), "--budget", std::to_string(budget)});
    return simulate({file}, options).at("strategies")[0].at("mean");
  }

  static bool same_vendor(const std::string& a, const std::string& b) {
    const std::string word = a.substr(0, a.find(' '));
    const bool is_model = std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return !is_model && word == b.substr(0, b.find(' '));
  }

  void compare(const char* title, const std::vector<std::pair<std::string, Words>>& variants) {
    fmt::print("\n## {}, {} runs each\n\n| run |{} score less plain | @100 less plain |\n|---|{}---|---|\n", title,
               repeats_, kTitles, kRule);
    const json& plain = base().at("strategies")[0].at("mean");
    fmt::print("| plain |{} | |\n", cells(plain));
    for (const auto& [name, options] : variants) {
      const json result = run(options, repeats_).at("strategies")[0].at("mean");
      fmt::print("| {} |{} {} | {} |\n", name, cells(result),
                 text(difference(figure(result.at("score")), figure(plain.at("score")))),
                 text(difference(fraction(result, 100), fraction(plain, 100))));
      std::fflush(stdout);
    }
  }

  std::vector<std::string> files_;
  std::size_t repeats_;
  json base_;
};

const std::vector<std::pair<std::string, void (Report::*)()>> kSections{{"strategies", &Report::strategies},
                                                                        {"auto", &Report::automatic},
                                                                        {"batch", &Report::batch},
                                                                        {"permuted", &Report::permuted},
                                                                        {"noise", &Report::noise},
                                                                        {"seconds", &Report::seconds},
                                                                        {"warm", &Report::warm},
                                                                        {"misleading", &Report::misleading}};

int score(const Words& words) {
  Report report(tuner::bench::recordings(), words.empty() ? 100 : std::max(1UL, std::stoul(words[0])));
  const Words wanted(words.begin() + (words.empty() ? 0 : 1), words.end());
  for (const std::string& name : wanted) {
    if (std::none_of(kSections.begin(), kSections.end(), [&](const auto& section) { return section.first == name; })) {
      throw std::runtime_error("there is no section " + name);
    }
  }
  for (const auto& [name, print] : kSections) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) (report.*print)();
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_search_score", [&] { return score({argv + 1, argv + argc}); });
}
