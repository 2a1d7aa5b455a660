#include "tuner/engine/recording/recording.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "cache/store/memory_store.hpp"
#include "tests/engine/session/fake_lanes.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/engine/recording/recorded_lane.hpp"
#include "tuner/engine/recording/recorder.hpp"
#include "tuner/engine/session/session.hpp"

namespace tuner::engine {
namespace {

/// A folder that goes away with the test.
struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("tuner_recording_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
  std::filesystem::path path;
};

std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

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

std::string message_of(const std::filesystem::path& file) {
  try {
    recorded_task(read_recording(file));
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_recording);
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("a foreign recording is read with its failures and its space") {
  const Folder folder;
  const Recording recording = read_recording(folder.write("copy.csv", kForeign));
  CHECK(recording.kernel == "copy");
  CHECK(recording.device.name == "Some GPU");
  REQUIRE(recording.trials.size() == 5);
  CHECK(recording.trials[0].time_ns == doctest::Approx(5e5));
  CHECK(recording.trials[2].outcome == Outcome::compile_error);
  CHECK(recording.trials[3].message == "recorded as run_error");
  CHECK(recorded_task(recording).space().size() == 5);
}

TEST_CASE("a recording that is damaged says where and how") {
  const Folder folder;
  const auto broken = [&](const std::string& from, const std::string& to) {
    return message_of(folder.write("broken.csv", replaced(kForeign, from, to)));
  };
  CHECK(broken("#space 1", "#space 9").find("broken.csv:1: format version `9`") != std::string::npos);
  CHECK(broken("#space 1\n", "").find("#space 1") != std::string::npos);
  CHECK(broken("4,0,ok,0.125", "4,0,ok,fast").find("broken.csv:15: `fast` is not a number") != std::string::npos);
  CHECK(broken("4,0,ok,0.125", "8,0,ok,0.125").find("`8` is not among the declared values of X") != std::string::npos);
  CHECK(broken("4,0,ok,0.125,,80,,3\n", "").find("5 configurations, but 4 are recorded") != std::string::npos);
  CHECK(broken("4,0,ok,0.125,,80,,3", "4,0,o").find("fields") != std::string::npos);
  CHECK(broken("4,0,ok,0.125", "1,0,ok,0.125").find("recorded twice") != std::string::npos);
  CHECK(broken("4,0,ok,0.125", "4,1,ok,0.125").find("violates") != std::string::npos);
  CHECK(broken("4,0,ok", "4,0,fine").find("`fine` is not a status") != std::string::npos);
  CHECK(broken("4,0,ok,0.125", "4,0,ok,-0.125").find("times above zero") != std::string::npos);
  CHECK(broken("#kernel copy\n", "").find("no `#kernel` line") != std::string::npos);
  CHECK(broken("#gpu Some GPU\n", "").find("no `#gpu` line") != std::string::npos);
  CHECK(broken("#source", "#mode hot\n#source").find("not `hot`") != std::string::npos);
  CHECK(broken("#source", "#device {\"sm_count\":\"x\"}\n#source").find("`sm_count` of `#device` must be a number") !=
        std::string::npos);
  CHECK(broken("#source", "#baseline Z=1\n#source").find("the line `#baseline`") != std::string::npos);
  CHECK_THROWS_AS(read_recording(folder.path / "nowhere.csv"), Error);
  CHECK_THROWS_WITH_AS(read_recording(folder.path), doctest::Contains("is a folder"), Error);
}

constexpr const char* kKernel = R"(
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
  const Folder folder;
  const std::filesystem::path file = folder.path / "scale.csv";
  const std::atomic<bool> stop = false;
  const Task task(parse_descriptions(kKernel, "scale.cu").front(), {{"n", 4096}}, known_device("H200"));
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
  const Folder folder;
  Recording recording = read_recording(folder.write("copy.csv", kForeign));
  recording.trials[2].message = "error: expected \"a\", found b";
  recording.trials[0].samples_ns = {500000.25, 1e6 / 3, 7};
  recording.trials[0].race_ns = {1, 2, 3};
  recording.lets = {{"TILE", "X * 2"}};
  recording.device.sm_count = 132;
  write_recording(recording, folder.path / "plain.csv");
  write_recording(recording, folder.path / "packed.csv.gz");
  const Recording packed = read_recording(folder.path / "packed.csv.gz");
  CHECK(packed.trials[2].message == recording.trials[2].message);
  CHECK(packed.trials[0].samples_ns == recording.trials[0].samples_ns);
  CHECK(packed.trials[0].race_ns == recording.trials[0].race_ns);
  CHECK(packed.device.sm_count == 132);
  CHECK(packed.lets == recording.lets);
  write_recording(packed, folder.path / "again.csv");
  CHECK(contents(folder.path / "again.csv") == contents(folder.path / "plain.csv"));
}

TEST_CASE("a recording that is not complete is not written") {
  const Folder folder;
  const Task task(parse_descriptions(kKernel, "scale.cu").front(), {{"n", 4096}}, known_device("H200"));
  Observer silent;
  const Recorder recorder(silent, task);
  {
    RecordingFile file(folder.path / "none.csv", Replace::nothing);
    CHECK_THROWS_WITH_AS(recorder.write(file, {}), doctest::Contains("0 of"), Error);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path / "none.csv"));
}

}  // namespace
}  // namespace tuner::engine
