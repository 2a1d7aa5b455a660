#include "tuner/engine/measure/decide.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using Tied = std::vector<TieCandidate>;

TEST_CASE("fewest parameters differing from the baseline win, whatever the registers") {
  CHECK(choose_winner(Tied{{2, 16, "a"}, {1, 255, "z"}, {3, 8, "a"}}) == 1);
}

TEST_CASE("the baseline wins every tie it is part of") {
  CHECK(choose_winner(Tied{{1, 16, "a"}, {0, 255, "z"}}) == 1);
}

TEST_CASE("a tied one that was clearly slower than the fastest wins only where it is alone") {
  const TieCandidate simple{.differing_parameters = 0, .relative_time = 1.008};
  const TieCandidate near{.differing_parameters = 2, .relative_time = 1.002};
  const TieCandidate fastest{.differing_parameters = 3, .relative_time = 1};
  CHECK(choose_winner(Tied{simple, near, fastest}) == 1);
  CHECK(choose_winner(Tied{simple}) == 0);
  CHECK(choose_winner(Tied{simple, near, fastest}, 0.01) == 0);
  CHECK(choose_winner(Tied{simple, near, fastest}, 0) == 2);
}

TEST_CASE("then fewest registers, then the smallest text, then the first") {
  CHECK(choose_winner(Tied{{1, 40, "a"}, {1, 32, "z"}}) == 1);
  CHECK(choose_winner(Tied{{1, 32, "b=1"}, {1, 32, "a=2"}}) == 1);
  CHECK(choose_winner(Tied{{1, 32, "a"}, {1, 32, "a"}}) == 0);
}

TEST_CASE("the winner does not depend on the order of the tie set") {
  Tied tied{{2, 32, "a"}, {2, 32, "b"}, {2, 64, "c"}, {3, 16, "d"}};
  do {
    CHECK(tied[choose_winner(tied)].text == "a");
  } while (std::next_permutation(tied.begin(), tied.end(),
                                 [](const TieCandidate& a, const TieCandidate& b) { return a.text < b.text; }));
}

TEST_CASE("a winner among no candidates is a bug of the caller") {
  CHECK_THROWS_AS(choose_winner({}), Error);
}

}  // namespace
}  // namespace tuner::engine
