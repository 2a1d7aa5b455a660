#include "tuner/engine/searching/inquiry.hpp"

#include <doctest/doctest.h>

#include <set>

#include "cache/store/memory_store.hpp"
#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

/// An inquiry whose candidates are measured at once, by hand.
struct Questions {
  explicit Questions(SessionOptions its_options, Inquiry::Workers workers = {})
      : options(std::move(its_options)), inquiry(task, options, workers, {}, candidates, incumbents, earlier) {}

  void answer(EntryId entry, double time_ns = 1000) { measure(candidates, entry, std::vector<double>(5, time_ns)); }

  const Task task = make_task();  // eleven configurations
  const SessionOptions options;
  Candidates candidates{task, {}};
  Incumbents incumbents{task, candidates};
  EarlierSessions earlier;
  Inquiry inquiry;
};

TEST_CASE("without rules a strategy is asked for as many as can be worked on, until it has no more") {
  Questions questions({.strategy = "exhaustive"});
  CHECK(questions.inquiry.wanted(4) == 4);
  std::size_t asked = questions.inquiry.ask(4).size();
  CHECK(asked == 4);
  while (!questions.inquiry.exhausted()) asked += questions.inquiry.ask(4).size();
  CHECK(asked == questions.task.space().size());
  CHECK(questions.inquiry.asked_all());
  CHECK(questions.inquiry.total() == asked);
}

TEST_CASE("a search that counts waits for results before it asks for more") {
  Questions questions({.strategy = "random", .budget = {.evaluations = 8}});
  REQUIRE(questions.inquiry.wanted(100) == 2);  // a quarter of them
  const std::vector<EntryId> entries = questions.inquiry.ask(2);
  CHECK(questions.inquiry.wanted(100) == 0);
  questions.answer(entries[1]);
  CHECK_FALSE(questions.inquiry.tell_next());  // the first one's result comes first
  questions.answer(entries[0]);
  CHECK(questions.inquiry.tell_next()->entry == entries[0]);
  CHECK(questions.inquiry.wanted(100) == 1);
  // Only once one more is asked for is the next one told, whenever it was measured.
  CHECK_FALSE(questions.inquiry.tell_next());
  questions.inquiry.ask(1);
  CHECK(questions.inquiry.tell_next()->entry == entries[1]);
}

TEST_CASE("more GPUs have more under way, and no more than the budget is asked for") {
  Questions questions({.strategy = "random", .budget = {.evaluations = 8}}, {.gpus = 4});
  CHECK(questions.inquiry.wanted(100) == 4);
  CHECK(questions.inquiry.wanted(3) == 3);
  questions.inquiry.ask(8);
  CHECK(questions.inquiry.wanted(100) == 0);
  CHECK(questions.inquiry.exhausted());
  CHECK_FALSE(questions.inquiry.asked_all());
}

TEST_CASE("a result that a rule waits for ends the search, and the first rule met is the one that is named") {
  Questions questions({.strategy = "exhaustive", .budget = {.target_ns = 500}});
  const EntryId entry = questions.inquiry.ask(1).front();
  questions.answer(entry, 400);
  CHECK_FALSE(questions.inquiry.is_ended());
  while (!questions.inquiry.exhausted()) questions.inquiry.ask(4);
  CHECK(questions.inquiry.tell_next()->entry == entry);
  REQUIRE(questions.inquiry.is_ended());
  const std::string why = questions.inquiry.why_stopped(false);
  questions.inquiry.end("something else");
  CHECK(questions.inquiry.why_stopped(true) == why);
  CHECK_FALSE(questions.inquiry.tell_next());
}

/// Its rows with a toolkit are damaged.
struct HalfReadable : cache::MemoryStore {
  std::vector<cache::Trial> find_reusable(const cache::Run& run) const override {
    if (!run.conditions.toolkit.empty()) throw Error(Errc::store_damaged, "Half of it cannot be read.");
    return MemoryStore::find_reusable(run);
  }
};

TEST_CASE("of rows that could be read by halves one half was used, but not the cost of a result that it had") {
  Questions questions({.strategy = "exhaustive"});
  const EntryId entry = questions.inquiry.ask(1).front();
  cache::Trial settling = questions.candidates[entry].trial;
  settling.outcome = Outcome::launch_refused;  // it never reached a compiler
  settling.result_cost_ms = 5;
  HalfReadable store;
  store.record_trials({&settling, 1});
  EarlierSessions whole;
  whole.read_trials(store, settling, "");
  REQUIRE(whole.result_cost_ms() == 5.0);
  CHECK_THROWS_AS(questions.earlier.read_trials(store, settling, "13.0.88"), Error);
  questions.answer(entry);
  CHECK_FALSE(questions.inquiry.settle_cost(entry));
  CHECK_FALSE(questions.candidates[entry].trial.result_cost_ms);
}

}  // namespace
}  // namespace tuner::engine
