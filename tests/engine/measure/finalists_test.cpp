#include "tuner/engine/measure/finalists.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace tuner::engine {
namespace {

using Indices = std::vector<std::size_t>;

Indices ids(const std::vector<Finalist>& finalists) {
  Indices result;
  for (const Finalist& one : finalists) result.push_back(one.id.index);
  return result;
}

TEST_CASE("candidates within a quarter of the best enter, fastest first") {
  const std::vector<Screened> pool{{0, 130}, {1, 100}, {2, 125}, {3, 110}, {4, 126}};
  CHECK(ids(choose_finalists(pool, {.at_least = 1}, std::nullopt)) == Indices{1, 3, 2});
}

TEST_CASE("a few enter however slow they are, so that somebody is next should the best fail") {
  const std::vector<Screened> pool{{0, 300}, {1, 100}, {2, 200}, {3, 400, true}, {4, 500}, {5, 600}};
  const std::vector<Finalist> finalists = choose_finalists(pool, {.within = 0.1, .at_least = 4}, std::nullopt);
  CHECK(ids(finalists) == Indices{1, 2, 0, 4});
  CHECK(finalists[3].qualified);
}

TEST_CASE("at most the limit enter by their time, equal times in the order of their ids") {
  const std::vector<Screened> pool{{7, 100}, {3, 100}, {5, 100}, {1, 101}};
  CHECK(ids(choose_finalists(pool, {.limit = 2}, std::nullopt)) == Indices{3, 5});
}

TEST_CASE("a censored candidate has no time to enter by") {
  const std::vector<Screened> pool{{0, 90, true}, {1, 100}, {2, 105, true}};
  CHECK(ids(choose_finalists(pool, {}, std::nullopt)) == Indices{1});
}

TEST_CASE("the baseline and the previous winner enter in any case and take no place away") {
  const std::vector<Screened> pool{{0, 900, true}, {1, 100}, {2, 101}, {3, 102}, {4, 140}};
  const std::vector<Finalist> finalists = choose_finalists(pool, {.limit = 2}, EntryId{0}, EntryId{4});
  CHECK(ids(finalists) == Indices{1, 2, 0, 4});
  CHECK(finalists[2].is_baseline);
  CHECK_FALSE(finalists[2].is_previous);
  CHECK(finalists[3].is_previous);
  CHECK(finalists[1].qualified);
  CHECK_FALSE(finalists[3].qualified);
  CHECK_FALSE(finalists[0].is_baseline);
}

TEST_CASE("a baseline that qualifies is marked where it stands, also when it is the previous winner") {
  const std::vector<Screened> pool{{0, 101}, {1, 100}};
  const std::vector<Finalist> finalists = choose_finalists(pool, {}, EntryId{0}, EntryId{0});
  CHECK(ids(finalists) == Indices{1, 0});
  CHECK(finalists[1].is_baseline);
  CHECK(finalists[1].is_previous);
}

TEST_CASE("an empty pool gives the baseline alone, or nothing") {
  CHECK(ids(choose_finalists({}, {}, EntryId{0})) == Indices{0});
  CHECK(choose_finalists({}, {}, std::nullopt).empty());
}

}  // namespace
}  // namespace tuner::engine
