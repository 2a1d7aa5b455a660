// Tunes real kernels on a real GPU through the real program. Where there is none it says so and is skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/task/npy_file.hpp"
#include "tests/support/description_mistakes.hpp"
#include "tests/support/temporary_folder.hpp"

using tuner::test::contains;
using tuner::test::TemporaryFolder;

namespace {

std::string setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

std::string program() {
  return setting("TUNER_PROGRAM", TUNER_PROGRAM);
}
std::filesystem::path source_folder() {
  return setting("TUNER_SOURCE_FOLDER", TUNER_SOURCE_FOLDER);
}

struct Result {
  int exit_code = 0;
  std::string output, errors;
  nlohmann::json report() const {
    const nlohmann::json object = nlohmann::json::parse(output, nullptr, false);
    REQUIRE_MESSAGE(object.is_object(), output, errors);
    return object["reports"][0];
  }
};

Result run(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string errors = (folder / "errors").string();
  const std::string command =
      fmt::format("TUNER_DB='{}' '{}' {} 2>'{}'", folder.path().string(), program(), arguments, errors);
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 65536> buffer;
  std::size_t count = 0;
  while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) result.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.errors = tuner::test::read_bytes(errors);
  return result;
}

Result tune(const TemporaryFolder& folder, const std::string& kernel, const std::string& arguments) {
  return run(folder, fmt::format("tune '{}' --json {}", (source_folder() / kernel).string(), arguments));
}

std::map<std::string, int> failures(const nlohmann::json& report) {
  std::map<std::string, int> classes;
  for (const nlohmann::json& failure : report["failures"]) classes[failure["outcome"]] = failure["count"];
  return classes;
}

TEST_CASE("wrong candidates are rejected, each by its class") {
  const TemporaryFolder folder;
  const Result result = tune(folder, "tests/gpu/kernels/seeded_bugs.cu", "--problem n=1000003");
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const nlohmann::json report = result.report();
  const std::map<std::string, int> expected{{"wrong_result", 6},
                                            {"unwritten_output", 3},
                                            {"input_modified", 3},
                                            {"guard_violation", 3},
                                            {"nondeterministic", 3}};
  CHECK(failures(report) == expected);
  CHECK(contains(report["winner"]["configuration"], "BUG=none"));
  CHECK(report["winner"]["verified"] == true);
  CHECK(report["counters"]["stored"] == 21);
}

TEST_CASE(
    "candidates that fault, hang, cannot launch or do not compile are rows, and the winner is the same without them") {
  const TemporaryFolder folder;
  const std::string kernel = "tests/gpu/kernels/seeded_faults.cu";
  const Result result = tune(folder, kernel, "--problem n=1000003 --launch-timeout 500ms");
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const std::map<std::string, int> expected{{"compile_error", 3}, {"illegal_access", 9}, {"launch_refused", 3}};
  std::map<std::string, int> found = failures(result.report());
  // never_ends_later is timed and then hangs in the race, if it gets that far: two rows each.
  const int timeouts = found["run_timeout"];
  found.erase("run_timeout");
  CHECK(found == expected);
  CHECK(timeouts >= 4);
  CHECK(timeouts <= 6);
  CHECK(result.report()["counters"]["timed"] == 6);
  CHECK(result.report()["counters"]["stored"] == 24 + timeouts - 3);

  const TemporaryFolder another;
  const Result calm = tune(another, kernel, "--problem n=1000003 --where 'FAULT == none'");
  REQUIRE(calm.exit_code == 0);
  CHECK(calm.report()["winner"]["configuration"] == result.report()["winner"]["configuration"]);
}

TEST_CASE("state that shows from the 5th, 50th or 500th launch on won, and a counter that is reset wins") {
  const TemporaryFolder folder;
  const std::string kernel = "tests/gpu/kernels/kept_state.cu";
  const Result result = tune(folder, kernel, "--problem n=4000003 --where 'STATE != counts'");
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const nlohmann::json report = result.report();
  INFO(report.dump(1));
  CHECK(contains(report["winner"]["configuration"], "STATE=resets"));
  CHECK(report["winner"]["verified"] == true);
  // Each would be faster, so each must have been found out: between two launches of the check, if need be.
  std::map<std::string, int> found = failures(report);
  CHECK(found["unwritten_output"] + found["nondeterministic"] == 6);
  CHECK(report["counters"]["timed"] == 10);
}

TEST_CASE("a kernel that counts its launches and does what it should in each of a thousand wins") {
  const TemporaryFolder folder;
  const Result result =
      tune(folder, "tests/gpu/kernels/kept_state.cu", "--problem n=4000003 --where 'STATE in (none, counts)'");
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  CHECK(failures(result.report()).empty());
  CHECK(contains(result.report()["winner"]["configuration"], "STATE=counts"));
  CHECK(result.report()["winner"]["verified"] == true);
}

TEST_CASE("prefetch is tuned at an awkward size, every strategy verified") {
  const TemporaryFolder folder;
  const Result result = tune(folder, "kernel_sources/prefetch.cu",
                             "--problem rows=97,row_length=10007 --strategy random --budget 200 --seed 5");
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const nlohmann::json report = result.report();
  for (const auto& [outcome, count] : failures(report)) CHECK(outcome == "launch_refused");
  const nlohmann::json& counters = report["counters"];
  CHECK(counters["asked"] == 200);
  CHECK(counters["timed"].get<int>() + counters["deduplicated"].get<int>() + counters["failed"].get<int>() >= 200);
  CHECK(report["winner"]["verified"] == true);
  CHECK(report["speedup"]["low"].get<double>() > 1.0);
}

TEST_CASE("a barrier in the loop and a warm cache change nothing about what is right") {
  const TemporaryFolder folder;
  const Result result =
      tune(folder, "kernel_sources/prefetch.cu",
           "--problem rows=64,row_length=5000,sync_in_loop=1 --mode warm --strategy random --budget 60");
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  for (const auto& [outcome, count] : failures(result.report())) CHECK(outcome == "launch_refused");
  CHECK(result.report()["mode"] == "warm");
}

TEST_CASE("foreign kernels are tuned as their T1 files describe them") {
  for (const char* name : {"hotspot", "convolution", "gemm"}) {
    CAPTURE(name);
    const TemporaryFolder folder;
    const Result result = tune(folder, fmt::format("tests/data/t1/{}.json", name), "--budget 150 --seed 3");
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    const nlohmann::json report = result.report();
    // Every configuration computes the same: what is refused may not be refused for its result.
    for (const auto& [outcome, count] : failures(report)) CHECK(outcome == "launch_refused");
    CHECK(report["counters"]["asked"] == 150);
    CHECK(report["winner"]["verified"] == true);
    CHECK(report["speedup"]["low"].get<double>() >= 1.0);
  }
}

TEST_CASE("kernels get what their data files hold, and constant memory what is described for it") {
  const TemporaryFolder folder;
  constexpr int kLength = 1000003;
  const std::filesystem::path kernel = folder / "real_data.cu";
  std::filesystem::copy_file(source_folder() / "tests/gpu/kernels/real_data.cu", kernel);
  folder.write("x, from 0.npy", tuner::test::npy_from<std::int32_t>("<i4", kLength, 0));
  folder.write("weights.npy", tuner::test::npy_from<std::int64_t>("<i8", 8, 1));
  const auto tune_it = [&] {
    return run(folder, fmt::format("tune '{}' --json --problem n={}", kernel.string(), kLength));
  };
  const Result result = tune_it();
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const nlohmann::json report = result.report();
  CHECK(failures(report).empty());
  CHECK(report["winner"]["verified"] == true);
  CHECK(report["counters"]["asked"] == 8);
  CHECK(report["data"].size() == 2);

  folder.write("weights.npy", tuner::test::npy_from<std::int64_t>("<i8", 8, 2));
  const Result other = tune_it();
  CHECK(other.exit_code == 1);  // nothing usable: the baseline, too, computes something else than the reference
  CHECK(failures(other.report()).contains("wrong_result"));
}

TEST_CASE("no mistake in a description that can be noticed makes a winner") {
  const TemporaryFolder folder;
  tuner::test::write_expected_files(folder.path());
  const std::string kernel = (folder / "blend.cu").string();
  const auto tune_text = [&](const std::string& text) {
    tuner::test::write_bytes(kernel, text);
    return run(folder, fmt::format("tune '{}' --json --problem n=1000", kernel));
  };
  for (const tuner::test::DescriptionMistake& mistake : tuner::test::description_mistakes()) {
    CAPTURE(mistake.name);
    const Result result = tune_text(mistake.text());
    INFO(result.output);
    INFO(result.errors);
    CHECK(result.exit_code != 0);
    CHECK(result.exit_code < 70);
    CHECK_FALSE(contains(run(folder, "list").output, "blend"));
  }
  const Result right = tune_text(tuner::test::described_kernel());
  INFO(right.errors);
  CHECK(right.exit_code == 0);
  CHECK(failures(right.report()).empty());
}

TEST_CASE("a reference that needs another launch is refused, and finds the wrong kernel once it has it") {
  const TemporaryFolder folder;
  const std::filesystem::path kernel = folder / "trap.cu";
  const auto result_with = [&](const std::string& command, const std::string& clauses) {
    std::string text = tuner::test::read_bytes(source_folder() / "tests/gpu/kernels/trap.cu");
    const std::string named = "reference(plain)";
    text.replace(text.find(named), named.size(), "reference(plain" + clauses + ")");
    tuner::test::write_bytes(kernel, text);
    return run(folder, fmt::format("{} '{}' --problem n=1000003", command, kernel.string()));
  };
  for (const std::string command : {"tune", "check"}) {
    const Result refused = result_with(command, "");
    CAPTURE(refused.output);
    CAPTURE(refused.errors);
    CHECK(refused.exit_code != 0);
    CHECK(contains(refused.output + refused.errors, "that the reference leaves unwritten"));
    const Result wrong = result_with(command, "; grid(ceil_div(n, 64)) block(64)");
    CAPTURE(wrong.output);
    CAPTURE(wrong.errors);
    CHECK(wrong.exit_code != 0);
    CHECK(contains(wrong.output + wrong.errors, "differ from the reference"));
  }
  CHECK_FALSE(contains(run(folder, "list").output, "scale"));
}

TEST_CASE("what was tuned is listed and shown afterwards") {
  const TemporaryFolder folder;
  REQUIRE(tune(folder, "tests/gpu/kernels/seeded_bugs.cu", "--problem n=5000 --where 'BUG == none'").exit_code == 0);
  CHECK(contains(run(folder, "list").output, "seeded_bugs"));
  CHECK(contains(run(folder, "show seeded_bugs").output, "BLOCKDIMX="));
}

TEST_CASE("a recording made here replays to the winner of the run that made it") {
  const TemporaryFolder folder;
  const std::string file = (folder / "recorded.csv").string();
  const Result recorded =
      tune(folder, "tests/gpu/kernels/seeded_bugs.cu", fmt::format("--problem n=1000003 --record '{}'", file));
  REQUIRE(recorded.exit_code == 0);
  const Result replayed = run(folder, fmt::format("tune --replay '{}' --json", file));
  INFO(replayed.errors);
  REQUIRE(replayed.exit_code == 0);
  CHECK(replayed.report()["winner"]["configuration"] == recorded.report()["winner"]["configuration"]);
  CHECK(failures(replayed.report()) == failures(recorded.report()));
}

}  // namespace

int main(int argc, char** argv) {
  const TemporaryFolder folder;
  const Result devices = run(folder, "devices");
  if (devices.exit_code != 0) {
    fmt::print("SKIPPED: no GPU that can be used: {}", devices.errors);
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
