#include "tuner/cli/terminal/progress_line.hpp"

#include <doctest/doctest.h>

using tuner::cli::progress_text;
using tuner::cli::Rate;

namespace {

tuner::engine::Observer::Progress halfway() {
  tuner::engine::Observer::Progress progress;
  progress.phase = "searching";
  progress.finished = 354;
  progress.total = 708;
  progress.failed = 4;
  progress.best_ns = 218432;
  return progress;
}

}  // namespace

TEST_CASE("progress shows count, rate, best, failures and what is left at this rate") {
  CHECK(progress_text(halfway(), 50, 100) == "searching 354/708  50/s  best 218.4 us  failed 4  ETA 7.08 s");
}

TEST_CASE("progress leaves out what is not known yet") {
  tuner::engine::Observer::Progress progress;
  progress.phase = "searching";
  CHECK(progress_text(progress, 0, 100) == "searching 0");
}

TEST_CASE("progress never exceeds the terminal's width") {
  CHECK(progress_text(halfway(), 50, 20).size() == 20);
}

TEST_CASE("the rate is that of the last seconds, not of the whole run") {
  Rate rate;
  CHECK(rate.per_second() == 0);
  for (int second = 0; second <= 10; ++second) rate.add(second, static_cast<std::uint64_t>(second));
  for (int second = 11; second <= 20; ++second) rate.add(second, static_cast<std::uint64_t>(10 + 100 * (second - 10)));
  CHECK(rate.per_second() == doctest::Approx(100));
}
