// Results of other tuners. The files in tests/data/foreign are invented, in the formats that those tuners write.
#include "tuner/engine/recording/foreign.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tuner::engine {
namespace {

using test::read_bytes;
using test::TemporaryFolder;

const std::filesystem::path kFolder = TUNER_FOREIGN_DATA;

const RecordedTrial& trial_of(const Recording& recording, const Task& task, const std::string& configuration) {
  const auto found = std::find_if(recording.trials.begin(), recording.trials.end(), [&](const RecordedTrial& trial) {
    return task.space().text(trial.configuration) == configuration;
  });
  REQUIRE(found != recording.trials.end());
  return *found;
}

TEST_CASE("a cache of Kernel Tuner, results of KTT and T4 that say the same are the same recording") {
  for (const char* name : {"kernel_tuner.json", "ktt.json", "t4.json"}) {
    CAPTURE(name);
    const Recording recording = read_recording(kFolder / name);
    const bool is_t4 = std::string(name) == "t4.json";
    CHECK(recording.kernel == (is_t4 ? "t4" : "scale"));
    CHECK(recording.device.name == (is_t4 ? "unknown GPU" : "Invented GPU"));
    const Task task = recorded_task(recording);
    CHECK(task.space().size() == 22);
    CHECK(task.space().cartesian_size() == 24);
    REQUIRE(task.baseline().has_value());
    CHECK(task.space().text(*task.baseline()) == "BLOCK=64,LAYOUT=blocked,UNROLL=1");
    const RecordedTrial& fastest = trial_of(recording, task, "BLOCK=256,LAYOUT=strided,UNROLL=4");
    CHECK(fastest.time_ns == doctest::Approx(90'000));
    CHECK(fastest.samples_ns == std::vector<double>{fastest.time_ns});
    CHECK(fastest.relative_deviation == doctest::Approx(std::string(name) == "ktt.json" ? 0 : 0.01).epsilon(0.001));
    CHECK(trial_of(recording, task, "BLOCK=64,LAYOUT=blocked,UNROLL=4").outcome == Outcome::compile_error);
    CHECK(trial_of(recording, task, "BLOCK=512,LAYOUT=blocked,UNROLL=1").outcome == Outcome::launch_refused);
    CHECK(trial_of(recording, task, "BLOCK=128,LAYOUT=blocked,UNROLL=4").outcome != Outcome::ok);
  }
  const Recording cache = read_recording(kFolder / "kernel_tuner.json");
  CHECK(cache.problem == "problem_size=16777216");
  CHECK(cache.date == "2025-03-01T12:51:00+00:00");
  CHECK(cache.trials.front().compile_ms == 310);
  const Recording ktt = read_recording(kFolder / "ktt.json");
  CHECK(ktt.trials.front().facts.registers == 14);
}

TEST_CASE("a cache that Kernel Tuner has not closed yet is read as far as it goes") {
  const TemporaryFolder folder;
  std::string text = read_bytes(kFolder / "kernel_tuner.json");
  text = text.substr(0, text.find("\n\"128,2,"));  // behind a comma, as while it is at work
  CHECK(recorded_task(read_recording(folder.write("open.json", text))).space().size() == 8);
  text.pop_back();
  CHECK(recorded_task(read_recording(folder.write("open.json", text))).space().size() == 8);
}

TEST_CASE("what Python writes beyond JSON does not matter where it is not needed") {
  const TemporaryFolder folder;
  const auto cache = [&](const std::string& members) {
    return folder.write(
        "small.json",
        R"({"kernel_name": "k", "device_name": "g", "problem_size": [4096, "n"], "tune_params_keys": ["A"],
                        "tune_params": {"A": [1, 2]}, "cache": {"1": {"time": 0.5}, "2": {)" +
            members + "}}}");
  };
  const Recording recording = read_recording(cache(R"("time": 0.25, "GFLOP/s": Infinity, "x": -Infinity, "y": NaN)"));
  CHECK(recording.trials.size() == 2);
  CHECK(recording.problem.empty());
  CHECK(read_recording(cache(R"("time": 1e20)")).trials.back().outcome == Outcome::launch_refused);
}

TEST_CASE("one row with an odd time or an unknown failure made the whole file useless") {
  const TemporaryFolder folder;
  const auto failed = [&](const std::string& text, const std::string& message) {
    const Recording recording = read_recording(folder.write("small.json", text));
    REQUIRE(recording.trials.size() == 2);
    CHECK(recording.trials.front().outcome == Outcome::ok);
    CHECK(recording.trials.back().outcome == Outcome::launch_refused);
    CHECK(recording.trials.back().message == message);
  };
  const std::string kernel_tuner = R"({"kernel_name": "k", "device_name": "g", "tune_params_keys": ["A"],
    "tune_params": {"A": [1, 2]}, "cache": {"1": {"time": 0.5, "times": [0.5, 0, NaN]}, "2": {"time": )";
  failed(kernel_tuner + "0}}}", "recorded with a time of 0");
  for (const std::string time : {"NaN", "Infinity", "-Infinity", "null", "-0.5"})
    failed(kernel_tuner + time + "}}}", "recorded with a time of " + time);
  failed(kernel_tuner + "\"OddConfig\"}}}", "recorded as OddConfig");
  const std::string ktt = R"({"Metadata": {"Device": "g", "TimeUnit": "Microseconds"}, "Results": [
    {"KernelName": "k", "Status": "Ok", "TotalDuration": 5, "Configuration": [{"Name": "A", "Value": 1}]},
    {"KernelName": "k", "Status": "Ok", "Configuration": [{"Name": "A", "Value": 2}], "TotalDuration": )";
  failed(ktt + "0}]}", "recorded with a time of 0");
  failed(ktt + "null}]}", "recorded with a time of null");
  std::string odd = ktt + "5}]}";
  odd.replace(odd.rfind("\"Ok\""), 4, "\"Odd\"");
  failed(odd, "recorded as Odd");
  const std::string t4 = R"({"results": [
    {"configuration": {"A": 1}, "invalidity": "correct", "times": {"runtimes": [0.5]}},
    {"configuration": {"A": 2}, "invalidity": "correct", "times": {"runtimes": )";
  failed(t4 + "[0, 0]}}]}", "recorded with a time of 0");
  failed(t4 + R"([0.5]}, "measurements": [{"name": "time", "value": NaN}]}]})", "recorded with a time of NaN");
  failed(t4 + R"([0.5]}, "measurements": [{"name": "time", "value": null}]}]})", "recorded with a time of null");
}

TEST_CASE("a number in a string was no number, and a text that reads as infinity was no text") {
  const TemporaryFolder folder;
  const Recording recording = read_recording(folder.write("small.json", R"({"results": [
    {"configuration": {"mode": "inf"}, "invalidity": "correct", "times": {},
     "measurements": [{"name": "time", "value": "2.5"}]},
    {"configuration": {"mode": "nan"}, "invalidity": "correct", "times": {"runtimes": ["0.5", 0.5]}}]})"));
  REQUIRE(recording.trials.size() == 2);
  CHECK(recording.trials.front().time_ns == doctest::Approx(2.5e6));
  CHECK(recording.trials.back().time_ns == doctest::Approx(0.5e6));
  CHECK(recorded_task(recording).space().parse(R"(mode="nan")").choice.front() == 1);
}

TEST_CASE("texts of nothing and of blanks were one value") {
  const TemporaryFolder folder;
  const Recording recording = read_recording(folder.write("small.json", R"({"kernel_name": "k", "device_name": "g",
    "tune_params_keys": ["A"], "tune_params": {"A": ["", " ", "  ", " 3"]}, "cache": {"": {"A": "", "time": 1},
    " ": {"A": " ", "time": 2}, "  ": {"A": "  ", "time": 3}, " 3": {"A": " 3", "time": 4}}})"));
  CHECK(recording.trials.size() == 4);
  const Task task = recorded_task(recording);
  REQUIRE(task.space().size() == 4);
  CHECK(task.space().parse(R"(A="  ")").choice.front() == 2);
  CHECK(task.space().text(task.space().parse(R"(A=" 3")")) == R"(A=" 3")");
}

TEST_CASE(
    "values are sorted where a file does not list them, numerals in strings are numbers, a repeated row counts once") {
  const TemporaryFolder folder;
  const auto row = [](const std::string& value, const std::string& time) {
    return R"({"configuration": {"A": )" + value + R"(}, "times": {"runtimes": [)" + time +
           R"(], "compilation": 7}, "invalidity": "correct", "correctness": 1})";
  };
  const Recording recording = read_recording(
      folder.write("A100.json", R"({"metadata": {"timeunit": "microseconds", "problem": "n=5"}, "results": [)" +
                                    row("\"16\"", "20, 40") + "," + row("2", "10") + "," + row("\"16\"", "5") + "," +
                                    row("\"fast\"", "50") + "]}"));
  CHECK(recording.kernel == "A100");
  REQUIRE(recording.parameters.size() == 1);
  CHECK(recording.parameters[0].values == std::vector<search::Value>{2, 16, "fast"});
  REQUIRE(recording.trials.size() == 3);
  CHECK(recording.trials[0].time_ns == doctest::Approx(30'000));
  CHECK(recording.trials[0].compile_ms == doctest::Approx(0.007));
  CHECK(recorded_task(recording).problem().at("n") == search::Value(5));
}

TEST_CASE("what is a fraction of a gigabyte as text is refused before it takes one as values") {
  const TemporaryFolder folder;
  std::string text = "{\"cache\": {\"1\": {\"time\": [";
  for (int i = 0; i < 6'000'000; ++i) text += "[],";
  const auto file = folder.write("bomb.json", text);
  CHECK(test::error_of(Errc::bad_recording, [&] { read_recording(file); }).find("has more values than 512 MiB hold") !=
        std::string::npos);
}

}  // namespace
}  // namespace tuner::engine
