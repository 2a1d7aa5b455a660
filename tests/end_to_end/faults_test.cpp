// Hundreds of bad candidates in one session.
#include <doctest/doctest.h>

#include <map>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

TEST_CASE("three hundred faults of every class cost their configurations, and nothing else") {
  const Tuner healthy;
  const TuneReport without = healthy.tune({"KIND == right"});
  REQUIRE(without.exit_code == 0);
  REQUIRE(without.winner == kFastest);

  Tuner user;
  user.compile_timeout = "10s";  // long for a busy machine, and short for what compiles forever
  const TuneReport told = user.tune({kSearched});
  check_winner(told, without.winner);
  CHECK(told.counters.at("asked") == 364);
  CHECK(told.counters.at("failed") == 300);
  CHECK(told.counters.at("stored") == 364);

  std::map<std::string, int> seen;
  for (const Row& row : user.rows()) {
    CAPTURE(row.configuration);
    CAPTURE(row.message);
    CHECK(++seen[row.configuration] == 1);
    CHECK((row.outcome == "ok") == row.message.empty());
  }
  CHECK(seen.size() == 364);
  user.check_outcomes();
  CHECK(user.all_processes_end());
}

TEST_CASE("a finalist that fails in the race, or on other inputs, leaves the race to the others") {
  const Tuner user;
  const TuneReport told =
      user.tune({"KIND == right && VARIANT in (11, 12) || KIND in (faults_racing, hangs_racing, "
                 "faults_elsewhere, wrong_elsewhere)"});
  check_winner(told, kFastest);
  std::map<std::string, std::string> last;
  for (const Row& row : user.rows()) last[row.configuration] = row.outcome;
  CHECK(last.size() == 13);  // with the baseline
  CHECK(last["FLAVOUR=0,KIND=faults_racing,VARIANT=0"] == "illegal_access");
  CHECK(last["FLAVOUR=0,KIND=hangs_racing,VARIANT=0"] == "run_timeout");
  CHECK(last["FLAVOUR=0,KIND=faults_elsewhere,VARIANT=0"] == "illegal_access");
  CHECK(last["FLAVOUR=0,KIND=wrong_elsewhere,VARIANT=0"] == "wrong_result");
  CHECK(user.all_processes_end());
}

TEST_CASE("a limit in which nothing at all can be compiled is said, and is not taken for a bug") {
  Tuner user;
  user.compile_timeout = "1ms";
  const TuneReport told = user.tune({"KIND == right"});
  CHECK(told.exit_code == 6);
  CHECK(contains(told.err, "--compile-timeout"));
  CHECK(user.all_processes_end());
}

TEST_CASE("a candidate that waits for the whole grid is told of, whatever its source calls the grid") {
  const Tuner user;
  user.folder().write("k.cu", R"(#include <cooperative_groups.h>
#pragma tuner kernel(two) problem(n: size = 1000) param(WAY, plain, grid) param(V, 1, 2) grid(4) block(256)
#pragma tuner in(values, double, n, uniform(0, 1)) out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64)
#pragma tuner scalar(n, int32)
#if WAY == WAY_grid
extern "C" __device__ const char tuner_fake[] = "FAKE:faults time=50000";
#elif V == 1
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=80000";
#else
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=90000";
#endif
template <typename G> __device__ void wait_all(G& group) { group.sync(); }
extern "C" __global__ void two(const double* values, double* doubled, int* counts, float* room, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) doubled[i] = 2 * values[i];
#if WAY == WAY_grid
  auto everything = cooperative_groups::this_grid();
  wait_all(everything);
#endif
  if (i < n) counts[i] += V > 0;
}
)");
  const Result result = user.run({"tune", "k.cu", "--workers", "1"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err);
  CHECK_MESSAGE(
      contains(result.err + result.out, "WAY=grid waits for the whole grid, which takes a cooperative launch"),
      result.err);
}
