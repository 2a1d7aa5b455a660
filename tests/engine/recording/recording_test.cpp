#include "tuner/engine/recording/recording.hpp"

#include <doctest/doctest.h>

#include <atomic>

#include "cache/store/memory_store.hpp"
#include "tests/engine/session/fake_lanes.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/engine/recording/recorded_lane.hpp"
#include "tuner/engine/recording/recorder.hpp"
#include "tuner/engine/session/session.hpp"

namespace tuner::engine {
namespace {

using test::TemporaryFolder;

constexpr const char* kForeign = R"(#space 1
#kernel copy
#gpu Some GPU
#problem_size [4096, 4096]
#source elsewhere
#param X 1,2,4
#param Y 0,1
#restriction X + Y <= 4
#count cartesian=6 valid_configs=5
X,Y,status,time_ms,rel_sd,compile_ms,verify_ms,bench_ms
1,0,ok,0.5,0.01,100,,3
1,1,ok,0.25,,100,,3
2,0,compile_error,,,50,,
2,1,run_error,,,90,,
4,0,ok,0.125,,80,,3
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("a foreign recording is read with its failures and its space") {
  const TemporaryFolder folder;
  const Recording recording = read_recording(folder.write("copy.csv", kForeign));
  CHECK(recording.kernel == "copy");
  CHECK(recording.device.name == "Some GPU");
  REQUIRE(recording.trials.size() == 5);
  CHECK(recording.trials[0].time_ns == doctest::Approx(5e5));
  CHECK(recording.trials[2].outcome == Outcome::compile_error);
  CHECK(recording.trials[3].message == "recorded as run_error");
  CHECK(recorded_task(recording).space().size() == 5);
}

TEST_CASE("one row with a time that is none made the whole recording useless") {
  const TemporaryFolder folder;
  for (const std::string time : {"nan", "inf", "0", "-0.125"}) {
    CAPTURE(time);
    const auto file = folder.write("odd.csv", replaced(kForeign, "4,0,ok,0.125", "4,0,ok," + time));
    const Recording recording = read_recording(file);
    REQUIRE(recording.trials.size() == 5);
    CHECK(recording.trials.back().outcome == Outcome::launch_refused);
    CHECK(recording.trials.back().message == "recorded with a time of " + time);
    CHECK(recording.trials.back().time_ns == 0);
    CHECK(recorded_task(recording).space().size() == 5);
  }
  const Recording blank = read_recording(folder.write("odd.csv", replaced(kForeign, "4,0,ok,0.125", "4,0,ok,")));
  CHECK(blank.trials.back().message == "recorded without a time");
}

TEST_CASE("a recording that is damaged says where and how") {
  const TemporaryFolder folder;
  struct Damage {
    const char *what, *by, *complaint;
  };
  const Damage all[] = {
      {"#space 1", "#space 9", "broken.csv:1: format version `9`"},
      {"#space 1\n", "", "#space 1"},
      {"4,0,ok,0.125", "4,0,ok,fast", "broken.csv:15: `fast` is not a number"},
      {"4,0,ok,0.125", "8,0,ok,0.125", "`8` is not among the declared values of X"},
      {"4,0,ok,0.125,,80,,3\n", "", "5 configurations, but 4 are recorded"},
      {"4,0,ok,0.125,,80,,3", "4,0,o", "fields"},
      {"4,0,ok,0.125", "1,0,ok,0.125", "recorded twice"},
      {"4,0,ok,0.125", "4,1,ok,0.125", "violates"},
      {"4,0,ok", "4,0,fine", "`fine` is not a status"},
      {"#kernel copy\n", "", "no `#kernel` line"},
      {"#gpu Some GPU\n", "", "no `#gpu` line"},
      {"#source", "#mode hot\n#source", "not `hot`"},
      {"#source", "#device {\"sm_count\":\"x\"}\n#source", "`sm_count` of `#device` must be a number"},
      {"#source", "#baseline Z=1\n#source", "the line `#baseline`"},
  };
  for (const Damage& damage : all) {
    CAPTURE(damage.complaint);
    const auto file = folder.write("broken.csv", replaced(kForeign, damage.what, damage.by));
    const std::string message = test::error_of(Errc::bad_recording, [&] { recorded_task(read_recording(file)); });
    CHECK(message.find(damage.complaint) != std::string::npos);
  }
  CHECK_THROWS_AS(read_recording(folder.path() / "nowhere.csv"), Error);
  CHECK_THROWS_WITH_AS(read_recording(folder.path()), doctest::Contains("is a folder"), Error);
}

constexpr const char* kRecorded = R"(
#pragma tuner kernel(scale)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCK, 32, 64, 128; default 64)
#pragma tuner param(LOAD, scalar, vector; default scalar)
#pragma tuner option(FMA, "--fmad=true", "--fmad=false")
#pragma tuner let(TILE = BLOCK * (LOAD == vector ? 4 : 1))
#pragma tuner constraint(TILE <= 256)
#pragma tuner grid(ceil_div(n, TILE)) block(BLOCK)
#pragma tuner inout(x, float, n) scalar(n, int32)
#pragma tuner work(bytes = 8 * n)
__global__ void scale(float* x, int n) {}
)";

Behaviour behaviour(const std::string& configuration) {
  Behaviour result;
  result.time_ns = configuration.find("LOAD=vector") != std::string::npos ? 60000 : 100000;
  if (configuration.find("BLOCK=32,") != std::string::npos) result.run = Outcome::guard_violation;
  if (configuration.find("BLOCK=128,") != std::string::npos) result.time_ns *= 1.1;
  return result;
}

TEST_CASE("a session that was recorded ends on the same winner when it is replayed, twice to the byte") {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "scale.csv";
  const std::atomic<bool> stop = false;
  const Task task(parse_descriptions(kRecorded, "scale.cu").front(), {{"n", 4096}}, known_device("H200"));
  Observer silent;
  Recorder recorder(silent, task);
  TuneReport recorded;
  {
    FakeCompileLane compile(behaviour);
    FakeDeviceLane device(known_device("H200"), behaviour);
    cache::MemoryStore store;
    recorded = run_session(task, {.early_kill = false}, {compile, device, store, nullptr, recorder, stop});
    RecordingFile written(file, Replace::nothing);
    recorder.write(written, recorded);
  }

  const auto replay = [&](std::uint64_t seed) {
    const Recording recording = read_recording(file);
    const Task again = recorded_task(recording);
    CHECK(again.space().size() == task.space().size());
    CHECK(again.key("cold") == task.key("cold"));
    const RecordedRows rows(recording, again);
    RecordedCompileLane compile(recording, rows);
    RecordedDeviceLane device(recording, rows);
    cache::MemoryStore store;
    Observer none;
    return run_session(again, {.seed = seed, .origin = cache::Origin::replay},
                       {compile, device, store, nullptr, none, stop});
  };
  const TuneReport first = replay(0);
  CHECK(first.decision.configuration == recorded.decision.configuration);
  CHECK(first.decision.baseline == recorded.decision.baseline);
  CHECK(*first.decision.speedup == doctest::Approx(*recorded.decision.speedup));
  CHECK(first.decision.counters.at("failed_guard_violation") ==
        recorded.decision.counters.at("failed_guard_violation"));
  CHECK(to_json(first, false) == to_json(replay(0), false));
  CHECK(replay(17).decision.configuration == recorded.decision.configuration);
}

TEST_CASE("a recording reads back as it was written, compressed or not") {
  const TemporaryFolder folder;
  Recording recording = read_recording(folder.write("copy.csv", kForeign));
  recording.trials[2].message = "error: expected \"a\", found b";
  recording.trials[0].samples_ns = {500000.25, 1e6 / 3, 7};
  recording.trials[0].race_ns = {1, 2, 3};
  recording.lets = {{"TILE", "X * 2"}};
  recording.device.sm_count = 132;
  write_recording(recording, folder.path() / "plain.csv");
  write_recording(recording, folder.path() / "packed.csv.gz");
  const Recording packed = read_recording(folder.path() / "packed.csv.gz");
  CHECK(packed.trials[2].message == recording.trials[2].message);
  CHECK(packed.trials[0].samples_ns == recording.trials[0].samples_ns);
  CHECK(packed.trials[0].race_ns == recording.trials[0].race_ns);
  CHECK(packed.device.sm_count == 132);
  CHECK(packed.lets == recording.lets);
  write_recording(packed, folder.path() / "again.csv");
  CHECK(test::read_bytes(folder.path() / "again.csv") == test::read_bytes(folder.path() / "plain.csv"));
}

TEST_CASE("a recording that is not complete is not written") {
  const TemporaryFolder folder;
  const Task task(parse_descriptions(kRecorded, "scale.cu").front(), {{"n", 4096}}, known_device("H200"));
  Observer silent;
  const Recorder recorder(silent, task);
  {
    RecordingFile file(folder.path() / "none.csv", Replace::nothing);
    CHECK_THROWS_WITH_AS(recorder.write(file, {}), doctest::Contains("0 of"), Error);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none.csv"));
}

}  // namespace
}  // namespace tuner::engine
