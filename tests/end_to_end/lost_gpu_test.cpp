// A GPU that goes away while it is used.
#include <doctest/doctest.h>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

const std::string kRight = "KIND == right && VARIANT in (0, 6, 7, 12)";

/// Nobody may be blamed for what the GPU did.
void check_rows(const Tuner& user) {
  for (const Row& row : user.rows()) {
    CAPTURE(row.configuration);
    CAPTURE(row.message);
    CHECK(row.outcome == class_of(row.configuration));
  }
}

}  // namespace

TEST_CASE("a GPU that is gone for good ends the session clearly; what was measured before is stored") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=3 lost_after=60";
  const TuneReport told = user.tune({kRight});
  CHECK(told.exit_code == 6);
  CHECK(told.winner.empty());
  CHECK(contains(told.err, "GPU 0 was given up"));
  CHECK(contains(told.err, "nvidia-smi"));
  CHECK(user.count_rows() > 0);
  CHECK(user.count_rows() < 16);
  check_rows(user);
  CHECK(user.all_processes_end());
}

TEST_CASE("a GPU that comes back costs nobody anything") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=3 lost_after=60 back_after=1";
  const TuneReport told = user.tune({kRight});
  INFO(told.err);
  CHECK(told.exit_code == 0);
  CHECK(told.winner == kFastest);
  CHECK(user.count_rows() == 16);
  check_rows(user);
  CHECK(user.count_in_journal("context") >= 3);
}
