#include "tuner/engine/measure/decide.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Tied = std::vector<TieCandidate>;

TEST_CASE("fewest parameters differing from the baseline win, whatever the registers") {
  CHECK(choose_winner(Tied{{1, 2, 16, "a"}, {2, 1, 255, "z"}, {3, 3, 8, "a"}}) == 2);
}

TEST_CASE("the baseline wins every tie it is part of") {
  CHECK(choose_winner(Tied{{1, 1, 16, "a"}, {2, 0, 255, "z"}}) == 2);
}

TEST_CASE("a tied one that was clearly slower than the fastest wins only where it is alone") {
  const TieCandidate simple{.id = 1, .differing_parameters = 0, .relative_time = 1.008};
  const TieCandidate near{.id = 2, .differing_parameters = 2, .relative_time = 1.002};
  const TieCandidate fastest{.id = 3, .differing_parameters = 3, .relative_time = 1};
  CHECK(choose_winner(Tied{simple, near, fastest}) == 2);
  CHECK(choose_winner(Tied{simple}) == 1);
  CHECK(choose_winner(Tied{simple, near, fastest}, 0.01) == 1);
  CHECK(choose_winner(Tied{simple, near, fastest}, 0) == 3);
}

TEST_CASE("then fewest registers, then the smallest text, then the smallest id") {
  CHECK(choose_winner(Tied{{1, 1, 40, "a"}, {2, 1, 32, "z"}}) == 2);
  CHECK(choose_winner(Tied{{1, 1, 32, "b=1"}, {2, 1, 32, "a=2"}}) == 2);
  CHECK(choose_winner(Tied{{2, 1, 32, "a"}, {1, 1, 32, "a"}}) == 1);
}

TEST_CASE("the winner does not depend on the order of the tie set") {
  Tied tied{{1, 2, 32, "b"}, {2, 2, 32, "a"}, {3, 2, 64, "a"}, {4, 3, 16, "a"}};
  do {
    CHECK(choose_winner(tied) == 2);
  } while (std::next_permutation(tied.begin(), tied.end(),
                                 [](const TieCandidate& a, const TieCandidate& b) { return a.id < b.id; }));
}

TEST_CASE("a winner among no candidates is a bug of the caller") {
  CHECK_THROWS_AS(choose_winner({}), Error);
}

}  // namespace
}  // namespace tuner::engine
