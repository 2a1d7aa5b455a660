#include "tuner/engine/searching/incumbents.hpp"

#include <doctest/doctest.h>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

struct Beginning {
  explicit Beginning(Task its_task = make_task()) : task(std::move(its_task)) { incumbents.add_baseline(); }

  /// As if an earlier session had decided so.
  std::optional<EntryId> add_previous(const std::string& configuration, const std::string& version = {}) {
    cache::Decision decision;
    decision.key = task.key("cold");
    decision.configuration = configuration;
    decision.reuse_hash = task.reuse_hash() + version;
    store.record_decision(decision);
    return incumbents.add_previous(store, decision.key);
  }

  const Task task;
  Candidates candidates{task, {}};
  Incumbents incumbents{task, candidates};
  cache::MemoryStore store;
};

TEST_CASE("an earlier winner is measured again, and needs no second place where it is the baseline") {
  Beginning beginning;
  const auto previous = beginning.add_previous(kFastest);
  REQUIRE(previous);
  CHECK(beginning.candidates[*previous].trial.configuration == kFastest);
  CHECK_FALSE(beginning.incumbents.others_are_finished());
  measure(beginning.candidates, *previous, std::vector<double>(5, 1000));
  CHECK(beginning.incumbents.others_are_finished());
  CHECK(beginning.incumbents.raceable_previous() == previous);
  CHECK(beginning.incumbents.need(*previous));

  Beginning same;
  CHECK_FALSE(same.add_previous(kBaseline));
  CHECK(same.incumbents.earlier_decision());
}

TEST_CASE("a winner of another version of the kernel, or that the space no longer has, is not measured") {
  Beginning beginning;
  CHECK_FALSE(beginning.add_previous(kFastest, "-old"));
  CHECK_FALSE(beginning.incumbents.earlier_decision());
  CHECK_FALSE(Beginning().add_previous("BLOCK=7,UNROLL=1"));
}

TEST_CASE("a winner that `where` excludes is measured all the same") {
  CHECK(Beginning(make_task({"BLOCK == 64"})).add_previous(kFastest));
}

TEST_CASE("what a program uses is one more entry, unless it is the baseline or the earlier winner") {
  Beginning same;
  const auto previous = same.add_previous(kFastest);
  CHECK_FALSE(same.incumbents.add_serving(kFastest));
  measure(same.candidates, *previous, std::vector<double>(5, 1000));
  CHECK(same.incumbents.raceable_serving() == previous);

  Beginning other;
  CHECK(other.incumbents.add_serving(kNext));
  CHECK_FALSE(other.incumbents.raceable_serving());  // before it has run
  for (const std::string& nothing : {std::string(), std::string("BLOCK=7"), kBaseline}) {
    CHECK_FALSE(Beginning().incumbents.add_serving(nothing));
  }
}

}  // namespace
}  // namespace tuner::engine
