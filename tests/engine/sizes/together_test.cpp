#include "tuner/engine/sizes/together.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/engine/session/laboratory.hpp"
#include "tuner/engine/sizes/learn_sizes.hpp"
#include "tuner/engine/sizes/stored_sizes.hpp"

namespace tuner::engine {
namespace {

constexpr const char* kWide = R"(
#pragma tuner kernel(wide)
#pragma tuner problem(n: size)
#pragma tuner problem_constraint(1 <= n <= 1000000)
#pragma tuner param(A, 1, 2, 3, 4, 5, 6, 7, 8; default 1)
#pragma tuner param(B, 1, 2, 3, 4, 5, 6, 7, 8; default 1)
#pragma tuner param(C, 1, 2, 3, 4, 5, 6, 7, 8; default 1)
#pragma tuner param(D, 1, 2, 3, 4; default 1)
#pragma tuner grid(ceil_div(n, 64)) block(64)
#pragma tuner in(x, float, n) inout(y, float, n)
#pragma tuner scalar(n, int32)
__global__ void wide(const float* x, float* y, int n) {}
)";

int value_of(const std::string& configuration, char name) {
  return configuration[configuration.find(std::string(1, name) + '=') + 2] - '0';
}

/// Small problems like other values of A and B than large ones.
double time_of(const std::string& configuration, int n) {
  const int a = value_of(configuration, 'A'), b = value_of(configuration, 'B'), c = value_of(configuration, 'C');
  const int d = value_of(configuration, 'D');
  const int best = n < 5000 ? 2 : 7;
  return n * (1 + 0.1 * std::abs(a - best) + 0.1 * std::abs(b - best) + 0.04 * std::abs(c - 4) + 0.02 * (4 - d));
}

/// A room in which several problems are tuned together.
class Workshop {
 public:
  explicit Workshop(std::vector<int> sizes)
      : sizes_(std::move(sizes)), laboratory_(task(1000), [this](const std::string& configuration) {
          Behaviour behaviour;
          const bool is_candidate = !configuration.empty();
          behaviour.time_ns = is_candidate ? time_of(configuration, size_) : 1000;
          if (size_ == fails && is_candidate) behaviour.run = Outcome::illegal_access;
          return behaviour;
        }) {
    for (const int n : sizes_) problems_.push_back({{{"n", n}}, {}});
  }

  static Task task(int n) {
    return Task(parse_descriptions(kWide, "wide.cu").front(), {{"n", n}}, known_device("H200"));
  }

  bool tune(SessionOptions options = {.effort = Effort::normal}) {
    const Task kernel = task(1000);
    return tune_together({.kernel = kernel.description(),
                          .problems = problems_,
                          .options = options,
                          .store = laboratory_.store,
                          .run =
                              [&](std::size_t problem, const SessionOptions& session, std::size_t) {
                                size_ = sizes_[problem];
                                order.push_back(size_);
                                return std::optional(laboratory_.tune(task(size_), session));
                              },
                          .deliver = [&](TuneReport report, std::size_t) { reports.push_back(std::move(report)); }});
  }

  std::int64_t asked(int n) const {
    for (const TuneReport& report : reports) {
      if (report.problem == "n=" + std::to_string(n)) return report.decision.counters.at("asked");
    }
    return -1;
  }
  /// How much slower the stored winner is than the best of all.
  double loss(int n) const {
    const auto decision = laboratory_.store.find_decision(task(n).key("cold"));
    REQUIRE(decision);
    return time_of(decision->configuration, n) / n - 1;
  }
  Laboratory& laboratory() { return laboratory_; }

  std::vector<int> order;
  std::vector<TuneReport> reports;
  int fails = 0;

 private:
  std::vector<int> sizes_;
  int size_ = 1000;
  Laboratory laboratory_;
  std::vector<GivenProblem> problems_;
};

/// What the first of two seats takes while the second is at its only problem.
std::vector<int> order_of(const SessionOptions& options) {
  const std::vector<int> sizes{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200};
  std::vector<GivenProblem> problems;
  std::vector<double> work;
  for (const int n : sizes) {
    problems.push_back({{{"n", n}}, {}});
    work.push_back(n);
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int> first;
  const Task kernel = Workshop::task(1000);
  const Laboratory laboratory(Workshop::task(1000), [](const std::string&) { return Behaviour(); });
  const bool done = tune_together(
      {.kernel = kernel.description(),
       .problems = problems,
       .options = options,
       .store = laboratory.store,
       .seats = 2,
       .work = work,
       .run = [&](std::size_t problem, const SessionOptions&, std::size_t seat) -> std::optional<TuneReport> {
         std::unique_lock lock(mutex);
         if (seat == 0) first.push_back(sizes[problem]);
         changed.notify_all();
         if (seat != 0) changed.wait(lock, [&] { return first.size() + 1 == sizes.size(); });
         throw Error(Errc::bad_problem, "");
       },
       .deliver = [](const TuneReport&, std::size_t) {},
       .failed = [](std::size_t, const Error&) {}});
  CHECK_FALSE(done);
  REQUIRE(first.size() + 1 >= sizes.size());
  return first;
}

TEST_CASE("what several seats do last begins with the longest, and all of it where nothing is learnt of the first") {
  const std::vector<int> taught = order_of({});
  CHECK(std::is_sorted(taught.end() - 5, taught.end(), std::greater<>()));
  CHECK_FALSE(std::is_sorted(taught.begin(), taught.end(), std::greater<>()));
  const std::vector<int> untaught = order_of({.warm_start = false});
  CHECK(std::is_sorted(untaught.begin(), untaught.end(), std::greater<>()));
}

TEST_CASE("problems tuned together are searched the less the more are known, and lose nothing by it") {
  const std::vector<int> sizes{500, 1000, 2000, 4000, 8000, 16000, 32000, 64000};
  Workshop workshop(sizes);
  REQUIRE(workshop.tune());
  REQUIRE(workshop.reports.size() >= sizes.size());
  std::int64_t all = 0;
  for (const int n : sizes) {
    CAPTURE(n);
    CHECK(workshop.loss(n) <= 0.02);
    all += workshop.asked(n);
  }
  Workshop alone({1000});
  alone.tune();
  CHECK(all < static_cast<std::int64_t>(sizes.size()) * alone.asked(1000) * 3 / 4);
}

TEST_CASE("the portfolio has a member for each regime, measured on every problem, and a rule tells them apart") {
  Workshop workshop({500, 1000, 2000, 4000, 8000, 16000, 32000, 64000});
  REQUIRE(workshop.tune());
  const Task task = Workshop::task(1000);
  cache::Database& store = workshop.laboratory().store;
  const auto sizes = learn_sizes(task.description(), task.key("cold"), store);
  REQUIRE(sizes);
  CHECK(sizes->portfolio.members.size() == 2);
  CHECK(sizes->portfolio.worst_loss <= sizes->within);
  REQUIRE(sizes->curve.size() >= 2);
  CHECK(sizes->curve[0].mean_loss > sizes->curve[1].mean_loss);
  const StoredSizes stored = stored_sizes(store, task.key("cold"));
  for (const std::size_t member : sizes->portfolio.members) {
    const auto column =
        std::find(stored.configurations.begin(), stored.configurations.end(), sizes->configurations[member]) -
        stored.configurations.begin();
    for (const auto& tried : stored.tried) CHECK(tried[static_cast<std::size_t>(column)]);
  }

  CHECK_FALSE(store.find_sizes(task.key("cold"), cache::kAllSizes));
  record_sizes(*sizes, store);
  const auto text = store.find_sizes(task.key("cold"), cache::kAllSizes);
  REQUIRE(text);
  const KernelSizes read = sizes_from_json(*text);
  const auto rule = store.find_sizes(task.key("cold"), cache::kRuleOfSizes);
  REQUIRE(rule);
  CHECK(rule->size() < text->size());
  CHECK(sizes_from_json(*rule).rule.nodes.size() == sizes->rule.nodes.size());
  CHECK(read.configurations == sizes->configurations);
  CHECK(read.problems.size() == 8);
  for (const int n : {700, 3000, 6000, 50000}) {
    CAPTURE(n);
    const auto leaf = read.rule.choose({{"n", n}});
    REQUIRE(leaf);
    CHECK(time_of(read.configurations[leaf->configuration], n) / n - 1 <= 0.02);
  }
  CHECK_FALSE(read.rule.choose({{"n", 1'000'000}}));
}

TEST_CASE("of one problem nothing is known over sizes") {
  Workshop workshop({1000});
  workshop.tune();
  CHECK_FALSE(
      learn_sizes(Workshop::task(1000).description(), Workshop::task(1000).key("cold"), workshop.laboratory().store));
}

TEST_CASE("a problem that cannot be tuned is told in the end, and keeps no other from being tuned") {
  Workshop workshop({500, 1000, 2000});
  workshop.fails = 1000;
  CHECK_THROWS_AS(workshop.tune(), Error);
  CHECK(workshop.loss(500) <= 0.02);
  CHECK(workshop.loss(2000) <= 0.02);
  Workshop hopeless({1000});
  hopeless.fails = 1000;
  CHECK_THROWS_AS(hopeless.tune(), Error);
}

TEST_CASE("an interruption ends it, and what was measured stays") {
  Workshop workshop({500, 1000, 2000});
  workshop.laboratory().device.on_submit = [&] {
    workshop.laboratory().stop = workshop.laboratory().device.screened.size() >= 100;
  };
  CHECK_FALSE(workshop.tune());
  CHECK(workshop.order.size() < 3);
  CHECK_FALSE(workshop.laboratory().store.list_keys({}).empty());
}

TEST_CASE("without a warm start each problem is searched on its own") {
  Workshop workshop({1000, 2000});
  workshop.tune({.effort = Effort::normal, .warm_start = false});
  CHECK(workshop.asked(1000) >= 40);
  CHECK(workshop.asked(2000) >= 40);
}

}  // namespace
}  // namespace tuner::engine
