// A GPU that goes away while it is used.
#include <doctest/doctest.h>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

const std::string kRight = "KIND == right && VARIANT in (0, 6, 7, 12)";

}  // namespace

TEST_CASE("a GPU that is gone for good ends the session clearly; what was measured before is stored") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=3 lost_after=60";
  const TuneReport told = user.tune({kRight});
  CHECK(told.exit_code == 6);
  CHECK(told.winner.empty());
  check_has(told.err, {"GPU 0 was abandoned", "nvidia-smi"});
  CHECK(user.count_rows() > 0);
  CHECK(user.count_rows() < 16);
  user.check_outcomes();  // no configuration is blamed for what the GPU did
  CHECK(user.all_processes_end());
}

TEST_CASE("a GPU that comes back costs nobody anything") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=3 lost_after=60 back_after=1";
  const TuneReport told = user.tune({kRight});
  check_winner(told, kFastest);
  CHECK(user.count_rows() == 16);
  user.check_outcomes();  // no configuration is blamed for what the GPU did
  CHECK(user.count_in_journal("context") >= 3);
}
