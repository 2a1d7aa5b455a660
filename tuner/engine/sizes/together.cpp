#include "tuner/engine/sizes/together.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "search/portfolio/portfolio.hpp"
#include "tuner/engine/sizes/crew.hpp"
#include "tuner/engine/sizes/experience.hpp"
#include "tuner/engine/sizes/learn_sizes.hpp"
#include "tuner/engine/sizes/stored_sizes.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

/// So many of what is best on other problems are tried first.
constexpr std::size_t kMostProven = 24;
/// What is measured in the end may change the portfolio, and so what is to be measured.
constexpr int kMostRounds = 2;
/// The shortlist that is measured everywhere is the portfolio that may lose this part of what the portfolio may: it has
/// more members, of which a rule can choose.
constexpr double kShortlist = 0.25;
/// Of what several seats do, so much for each begins with the longest. 16 problems of sgemm whose work differs by a
/// factor of up to two are evenly spread over four seats but for 2 %, instead of 13 % in the order of spread_order.
constexpr std::size_t kLastForEachSeat = 3;

class Tuning {
 public:
  explicit Tuning(const Together& together)
      : together_(together),
        experience_(together.kernel),
        weights_(weights_of(together.problems)),
        crew_(together.seats, {together.begin, together.refused, together.left}) {}

  bool run() {
    std::vector<ProblemValues> values;
    for (const GivenProblem& problem : together_.problems) values.push_back(problem.values);
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!together_.keeps_order) order = balanced(spread_order(together_.kernel, values));
    std::deque<Crew::Piece> searches;
    for (const std::size_t problem : order) {
      searches.push_back([=, this](std::size_t seat) { return attempt(problem, [&] { return tune(problem, seat); }); });
    }
    if (!crew_.work_off(std::move(searches))) return false;
    for (int round = 0; any_ && is_several() && round < kMostRounds; ++round) {
      const auto missing = untried();
      std::vector<std::size_t> incomplete;
      for (const auto& [problem, members] : missing) incomplete.push_back(problem);
      std::deque<Crew::Piece> measurements;
      for (const std::size_t problem : balanced(std::move(incomplete))) {
        measurements.push_back([=, this, &missing](std::size_t seat) {
          return attempt(problem, [&] { return measure(problem, missing.at(problem), seat); });
        });
      }
      if (!crew_.work_off(std::move(measurements))) return false;
    }
    return any_;
  }

 private:
  /// One alone has nobody to teach, and all its trials would be read for nothing.
  bool is_several() const { return together_.problems.size() > 1; }

  /// The longest first of those that are begun last; of all, where nothing is learnt from those before.
  std::vector<std::size_t> balanced(std::vector<std::size_t> problems) const {
    const std::vector<double>& work = together_.work;
    if (together_.seats == 1 || work.empty()) return problems;
    const std::size_t last =
        together_.options.warm_start ? std::min(problems.size(), kLastForEachSeat * together_.seats) : problems.size();
    std::stable_sort(problems.end() - static_cast<std::ptrdiff_t>(last), problems.end(),
                     [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
    return problems;
  }

  template <typename Action>
  bool attempt(std::size_t problem, Action action) {
    try {
      return action();
    } catch (const Error& error) {
      if (!concerns_one_problem(error.code())) throw;
      const std::lock_guard lock(mutex_);
      together_.failed(problem, error);
      return true;
    }
  }

  bool tune(std::size_t problem, std::size_t seat) {
    SessionOptions options = together_.options;
    if (options.warm_start) {
      const std::lock_guard lock(mutex_);
      options.proven = experience_.best_for(together_.problems[problem].values, kMostProven);
      options.known_problems = options.proven.empty() ? 0 : experience_.problems();
    }
    std::optional<TuneReport> report = together_.run(problem, options, seat);
    if (!report) return false;
    const std::lock_guard lock(mutex_);
    any_ = true;
    key_ = report->decision.key;
    const bool interrupted = report->interrupted;
    if (is_several()) learn(problem, report->decision.key);
    together_.deliver(*std::move(report), seat);
    return !interrupted;
  }

  /// If what was measured cannot be read, the problems that follow are searched on their own.
  void learn(std::size_t problem, const cache::DecisionKey& key) {
    try {
      experience_.add(together_.problems[problem].values, together_.store.find_trials(key));
    } catch (const Error&) {
      // The session has said what is wrong with the store.
    }
  }

  /// By the positions of the problems. What a problem's space lacks is asked for once.
  std::map<std::size_t, std::vector<std::string>> untried() {
    const StoredSizes sizes = stored_sizes(together_.store, key_, &weights_);
    const search::Portfolio shortlist =
        search::smallest_portfolio(sizes.losses(weights_), together_.within * kShortlist);
    std::map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < together_.problems.size(); ++i) {
      positions[problem_text(together_.problems[i].values)] = i;
    }
    std::map<std::size_t, std::vector<std::string>> missing;
    for (std::size_t i = 0; i < sizes.decisions.size(); ++i) {
      const std::size_t problem = positions.at(sizes.decisions[i].key.problem);
      for (const std::size_t member : shortlist.members) {
        const std::string& configuration = sizes.configurations[member];
        if (sizes.tried[i][member] || !asked_.insert({problem, configuration}).second) continue;
        missing[problem].push_back(configuration);
      }
    }
    return missing;
  }

  /// A session that tries these and nothing else.
  bool measure(std::size_t problem, const std::vector<std::string>& members, std::size_t seat) {
    SessionOptions options = together_.options;
    options.budget = {.evaluations = members.size()};
    options.effort.reset();
    options.strategy = "auto";
    options.takes_stored = false;
    options.proven = members;
    options.races_if_faster = true;
    std::optional<TuneReport> report = together_.run(problem, options, seat);
    if (!report || report->interrupted) return false;
    const std::lock_guard lock(mutex_);
    if (report->stored.has_decision) together_.deliver(*std::move(report), seat);
    return true;
  }

  const Together& together_;
  Experience experience_;
  const std::map<std::string, double> weights_;
  cache::DecisionKey key_;
  bool any_ = false;                                     ///< was tuned
  std::set<std::pair<std::size_t, std::string>> asked_;  ///< in the end
  std::mutex mutex_;  ///< of what seats share: what was learnt, `key_`, `any_`, and whoever is told something
  Crew crew_;         ///< the last: its threads use all of this
};

}  // namespace

bool concerns_one_problem(Errc code) {
  return code == Errc::baseline_failed || code == Errc::bad_problem || code == Errc::empty_space;
}

bool tune_together(const Together& together) {
  if (together.failed) return Tuning(together).run();
  std::optional<Error> first;
  Together told = together;
  told.failed = [&](std::size_t, const Error& error) {
    if (!first) first = error;
  };
  const bool done = Tuning(told).run();
  if (first) throw *first;
  return done;
}

}  // namespace tuner::engine
