// What portfolios and rules are worth on measured matrices: which configuration takes how long on which problem.
//
//   bench_search_sizes dump DATABASE KERNEL               a matrix, as size_matrix.hpp has it
//   bench_search_sizes mean FILE...                       of matrices: the geometric means
//   bench_search_sizes judge [SPLITS SEED] KERNEL_FILE=FILE[=RACED]...
//
// A dump has every winner, and what was measured on at least half of the problems. To judge is to print of each matrix
// the portfolios and the best of all subsets, and what rules lose on sizes left out, over so many random halves (5).
// Rules are learned from FILE. What a choice loses is read in RACED, the same problems' matrix that
// bench_search_sizes_raced has made, if there is one. All were measured on an H200, whose limits say which
// configurations a size allows.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bench/program.hpp"
#include "bench/search/size_matrix.hpp"
#include "cache/store/sqlite_store.hpp"
#include "search/portfolio/portfolio.hpp"
#include "search/rule/learner.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/sizes/configuration_facts.hpp"
#include "tuner/engine/sizes/learn_sizes.hpp"
#include "tuner/engine/sizes/stored_sizes.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {
namespace {

constexpr double kWithin = 0.02;

void dump(const std::string& database, const std::string& kernel) {
  const auto store = cache::SqliteStore::open({.path = database, .access = cache::Access::read_only});
  const std::vector<cache::Decision> decisions = store->list_decisions({.kernel_name = kernel});
  if (decisions.empty()) throw Error(Errc::bad_usage, "There is no decision for `" + kernel + "`.");
  const engine::StoredSizes sizes = engine::stored_sizes(*store, decisions.front().key);
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < sizes.configurations.size(); ++i) {
    std::size_t measured = 0;
    for (const auto& row : sizes.times_ns) measured += row[i] ? 1 : 0;
    if (sizes.is_winner(i) || 2 * measured >= sizes.decisions.size()) columns.push_back(i);
  }
  SizeMatrix dumped;
  for (const std::size_t i : columns) dumped.configurations.push_back(sizes.configurations[i]);
  print_configurations(dumped);
  for (std::size_t p = 0; p < sizes.decisions.size(); ++p) {
    std::vector<std::optional<double>> times_ns;
    for (const std::size_t i : columns) times_ns.push_back(sizes.times_ns[p][i]);
    print_row(sizes.decisions[p].key.problem, times_ns);
  }
}

/// Of matrices that were measured on one GPU. What one of them lacks has no mean.
void print_mean(const std::vector<std::string>& files) {
  std::vector<SizeMatrix> matrices;
  for (const std::string& file : files) matrices.push_back(read_size_matrix(file));
  const SizeMatrix& first = matrices.front();
  for (std::size_t i = 1; i < matrices.size(); ++i) {
    if (matrices[i].problems != first.problems || matrices[i].configurations != first.configurations)
      throw Error(Errc::bad_usage,
                  fmt::format("{} and {} have different problems or configurations.", files[0], files[i]));
  }
  print_configurations(first);
  for (std::size_t p = 0; p < first.problems.size(); ++p) {
    std::vector<std::optional<double>> means;
    for (std::size_t c = 0; c < first.configurations.size(); ++c) {
      double sum = 0;
      for (const SizeMatrix& matrix : matrices) sum += std::log(matrix.times_ns[p][c].value_or(NAN));
      const double mean = std::exp(sum / static_cast<double>(matrices.size()));
      means.push_back(std::isnan(mean) ? std::nullopt : std::optional(mean));
    }
    print_row(first.problems[p], means);
  }
}

/// What choices lose on the problems of a matrix, where that was measured.
class Truth {
 public:
  /// `matrix` may have more configurations than `of` and must have its problems.
  Truth(const SizeMatrix& matrix, const SizeMatrix& of) : losses_(matrix.times_ns) {
    const auto place = [](const std::vector<std::string>& all, const std::string& one) {
      return static_cast<std::size_t>(std::find(all.begin(), all.end(), one) - all.begin());
    };
    for (const std::string& problem : of.problems) {
      rows_.push_back(place(matrix.problems, problem));
      if (rows_.back() == matrix.problems.size())
        throw Error(Errc::bad_usage, "The raced matrix lacks the problem " + problem + ".");
    }
    for (const std::string& configuration : of.configurations)
      columns_.push_back(place(matrix.configurations, configuration));
  }

  double loss(std::size_t problem, std::size_t configuration) const {
    const std::size_t column = columns_[configuration];
    return column < losses_.configurations() ? losses_.loss(rows_[problem], column) : search::LossMatrix::kUnknown;
  }

 private:
  search::LossMatrix losses_;
  std::vector<std::size_t> rows_, columns_;
};

/// The size of the smallest subset that serves all, among those of at most `most` members; 0 if none does.
std::size_t smallest_by_brute_force(const search::LossMatrix& losses, std::size_t most) {
  std::set<std::vector<bool>> covers;
  for (std::size_t i = 0; i < losses.configurations(); ++i) {
    std::vector<bool> cover;
    for (std::size_t p = 0; p < losses.problems(); ++p) cover.push_back(losses.loss(p, i) <= kWithin);
    covers.insert(std::move(cover));
  }
  std::set<std::vector<bool>> reached{std::vector<bool>(losses.problems(), false)};
  for (std::size_t count = 1; count <= most; ++count) {
    std::set<std::vector<bool>> next;
    for (const std::vector<bool>& before : reached) {
      for (const std::vector<bool>& cover : covers) {
        std::vector<bool> both = before;
        for (std::size_t p = 0; p < both.size(); ++p) both[p] = both[p] || cover[p];
        if (std::find(both.begin(), both.end(), false) == both.end()) return count;
        next.insert(std::move(both));
      }
    }
    reached = std::move(next);
  }
  return 0;
}

struct Mean {
  double sum = 0;
  int count = 0;
  void add(double loss) {
    sum += loss;
    ++count;
  }
  void add(const Mean& other) {
    sum += other.sum;
    count += other.count;
  }
  std::string text() const { return count == 0 ? "-" : fmt::format("{:.1f} %", 100 * sum / count); }
};

/// Whether a program would be served the configuration for this problem.
bool is_valid(const std::shared_ptr<const KernelDescription>& kernel, const ProblemValues& problem,
              const std::string& configuration) {
  const Task task(kernel, problem, known_device("H200"), {}, {}, search::Listing::when_needed);
  return task.accepts(task.space().parse(configuration));
}

/// What was lost on sizes that were left out.
struct LeftOut {
  Mean nearest_far, rule_far;      ///< where the nearest loses more than kWithin
  Mean nearest_close, rule_close;  ///< where it does not
  Mean rule_alone;                 ///< where no size is near
  int unknown = 0;                 ///< where the choice of one of the two was not measured

  static constexpr double kUnknown = search::LossMatrix::kUnknown;

  void add(double nearest, double rule) {
    if (nearest == kUnknown || rule == kUnknown) {
      ++unknown;
      return;
    }
    (nearest > kWithin ? nearest_far : nearest_close).add(nearest);
    (nearest > kWithin ? rule_far : rule_close).add(rule);
  }
  void add_alone(double rule) {
    if (rule == kUnknown)
      ++unknown;
    else
      rule_alone.add(rule);
  }

  void add(const LeftOut& other) {
    nearest_far.add(other.nearest_far);
    rule_far.add(other.rule_far);
    nearest_close.add(other.nearest_close);
    rule_close.add(other.rule_close);
    rule_alone.add(other.rule_alone);
    unknown += other.unknown;
  }

  void print(const std::string& title) const {
    fmt::print("| {} | sizes | nearest | rule |\n|---|---|---|---|\n", title);
    fmt::print("| where the nearest loses over 2 % | {} | {} | {} |\n", nearest_far.count, nearest_far.text(),
               rule_far.text());
    fmt::print("| elsewhere | {} | {} | {} |\n", nearest_close.count, nearest_close.text(), rule_close.text());
    fmt::print("| where no size is near | {} | - | {} |\n", rule_alone.count, rule_alone.text());
    fmt::print("| where one of the two was not measured | {} | - | - |\n", unknown);
  }
};

struct Splits {
  int count = 5;
  unsigned seed = 1;
};

void print_portfolios(const std::string& file, const search::LossMatrix& losses) {
  const search::Portfolio smallest = search::smallest_portfolio(losses, kWithin);
  const std::size_t brute = smallest_by_brute_force(losses, smallest.members.size());
  fmt::print("\n{}: {} problems, {} configurations; within 2 %: {} configurations{}, by brute force {}\n", file,
             losses.problems(), losses.configurations(), smallest.members.size(), smallest.exact ? "" : " (not proven)",
             brute);
  fmt::print("| members | mean loss | worst |\n|---|---|---|\n");
  for (const search::Portfolio& portfolio : search::portfolio_curve(losses)) {
    fmt::print("| {} | {:.2f} % | {:.1f} % |\n", portfolio.members.size(), 100 * portfolio.mean_loss,
               100 * portfolio.worst_loss);
  }
}

/// What rules lose that are learned from a half of the problems, on the other one.
LeftOut left_out(const std::string& kernel_file, const SizeMatrix& matrix, const search::LossMatrix& losses,
                 const Truth& truth, const Splits& splits) {
  std::vector<ProblemValues> every;
  for (const std::string& problem : matrix.problems) every.push_back(parse_problem(problem));
  const auto kernel = std::make_shared<const KernelDescription>(load_description(kernel_file, "", [](const auto&) {}));
  const auto near = [&](const ProblemValues& a, const ProblemValues& b) {
    return engine::near_distance(*kernel, a, b);
  };
  const search::ConfigurationFacts facts = engine::configuration_facts(*kernel, matrix.configurations);
  LeftOut result;
  std::mt19937 random(splits.seed);
  for (int split = 0; split < splits.count; ++split) {
    std::vector<std::size_t> order(losses.problems());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    const std::vector<std::size_t> known(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2));
    std::vector<ProblemValues> problems;
    for (const std::size_t p : known) problems.push_back(every[p]);
    const search::LossMatrix part = losses.of_problems(known);
    // As in use: a rule names what won somewhere.
    std::set<std::size_t> winners;
    for (std::size_t k = 0; k < known.size(); ++k) {
      if (const auto best = part.best(k)) winners.insert(*best);
    }
    const std::vector<std::size_t> allowed(winners.begin(), winners.end());
    const search::LearnedRule learned = search::learn_rule({problems, part, near, {}, allowed, facts});
    for (std::size_t i = known.size(); i < order.size(); ++i) {
      const std::size_t p = order[i];
      const auto serves = [&](std::size_t configuration) {
        return is_valid(kernel, every[p], matrix.configurations[configuration]);
      };
      std::optional<double> least;
      std::size_t nearest = 0;
      for (std::size_t k = 0; k < known.size(); ++k) {
        const auto far = near(problems[k], every[p]);
        if (!far || (least && *far >= *least) || !part.best(k) || !serves(*part.best(k))) continue;
        least = far;
        nearest = *part.best(k);
      }
      const auto leaf = learned.rule.choose(every[p]);
      const bool answers = leaf && serves(leaf->configuration);
      if (!least && !answers) continue;
      const std::size_t used = answers && !(leaf->nearest && least) ? leaf->configuration : nearest;
      if (least)
        result.add(truth.loss(p, nearest), truth.loss(p, used));
      else
        result.add_alone(truth.loss(p, used));
    }
  }
  return result;
}

/// What was left out of one matrix.
LeftOut judge(const std::string& kernel_file, const std::string& file, const std::string& raced, const Splits& splits) {
  const SizeMatrix matrix = read_size_matrix(file);
  const Truth truth(raced.empty() ? matrix : read_size_matrix(raced), matrix);
  const search::LossMatrix losses(matrix.times_ns);
  print_portfolios(file, losses);
  LeftOut result = left_out(kernel_file, matrix, losses, truth, splits);
  result.print(fmt::format("left out, {} halves; times of {}", splits.count, raced.empty() ? file : raced));
  return result;
}

int judge_all(const std::vector<std::string>& words) {
  Splits splits;
  std::size_t first = 1;
  if (words.size() > 3 && words[1].find('=') == std::string::npos) {
    splits = {std::stoi(words[1]), static_cast<unsigned>(std::stoul(words[2]))};
    first = 3;
  }
  LeftOut all;
  for (std::size_t i = first; i < words.size(); ++i) {
    std::istringstream fields(words[i]);
    std::string kernel_file, file, raced;
    std::getline(std::getline(std::getline(fields, kernel_file, '='), file, '='), raced);
    if (file.empty())
      throw Error(Errc::bad_usage, "`" + words[i] + "` is not KERNEL_FILE=FILE or KERNEL_FILE=FILE=RACED.");
    all.add(judge(kernel_file, file, raced, splits));
  }
  fmt::print("\n");
  all.print("all of these");
  const double far = all.nearest_far.sum > 0 ? all.rule_far.sum / all.nearest_far.sum : 1;
  const double close =
      all.rule_close.count > 0 ? (all.rule_close.sum - all.nearest_close.sum) / all.rule_close.count : 0;
  fmt::print("\nThe rule loses {:.2f} of what the nearest loses where that is over 2 %, and {:+.2f} % elsewhere.\n",
             far, 100 * close);
  return 0;
}

int run(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "" : words[0];
  if (command == "dump" && words.size() == 3) {
    dump(words[1], words[2]);
  } else if (command == "mean" && words.size() >= 2) {
    print_mean({words.begin() + 1, words.end()});
  } else if (command == "judge" && words.size() >= 2) {
    return judge_all(words);
  } else {
    fmt::print(stderr,
               "usage: bench_search_sizes dump DATABASE KERNEL | mean FILE... | judge [SPLITS SEED] "
               "KERNEL_FILE=FILE[=RACED]...\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tuner::bench

int main(int count, char** words) {
  return tuner::bench::run_program("bench_search_sizes", [&] { return tuner::bench::run({words + 1, words + count}); });
}
