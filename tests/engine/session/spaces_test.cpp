// Replays every recorded space of the folder given by TUNER_SPACES_DIR from end to end: the restrictions must select
// exactly the recorded rows, and an exhaustive session must end within the tie threshold of the fastest row.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "cache/store/memory_store.hpp"
#include "tests/support/skip.hpp"
#include "tuner/engine/recording/recorded_lane.hpp"
#include "tuner/engine/recording/recording.hpp"
#include "tuner/engine/session/session.hpp"

namespace tuner::engine {
namespace {

double fastest(const Recording& recording) {
  double best = std::numeric_limits<double>::infinity();
  for (const RecordedTrial& trial : recording.trials) {
    if (trial.outcome == Outcome::ok) best = std::min(best, trial.time_ns);
  }
  return best;
}

TEST_CASE("every recorded space replays to its fastest configuration") {
  const std::atomic<bool> stop = false;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::spaces_folder())) {
    if (!entry.path().string().ends_with(".csv.gz")) continue;
    ++files;
    CAPTURE(entry.path().string());
    const Recording recording = read_recording(entry.path());
    const Task task = recorded_task(recording);
    const RecordedRows rows(recording, task);
    RecordedCompileLane compile(recording, rows);
    RecordedDeviceLane device(recording, rows);
    cache::MemoryStore store;
    Observer silent;
    const TuneReport report =
        run_session(task, {.origin = cache::Origin::replay}, {compile, device, store, nullptr, silent, stop});
    CHECK(report.decision.time_ns <= 1.01 * fastest(recording));
    CHECK(report.decision.counters.at("asked") == static_cast<std::int64_t>(recording.trials.size()));
    CHECK(report.decision.counters.at("stored") == static_cast<std::int64_t>(recording.trials.size()));
  }
  CHECK(files > 0);
}

}  // namespace
}  // namespace tuner::engine
