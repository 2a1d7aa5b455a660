// Tunes real kernels on a real GPU through the real program. Where there is none it says so and is skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/core/task/npy_file.hpp"
#include "tests/gpu/run_on_gpu.hpp"
#include "tests/support/description_mistakes.hpp"
#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"

using tuner::test::npy_from;
using tuner::test::read_bytes;
using tuner::test::write_bytes;

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

/// For databases.
using Folder = tuner::test::TemporaryFolder;

Result run(const Folder& folder, const std::string& arguments) {
  const std::string errors = folder / "errors";
  const std::string command =
      fmt::format("TUNER_DB='{}' '{}' {} 2>'{}'", folder.path().string(), program(), arguments, errors);
  Result result;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 65536> buffer;
  std::size_t count = 0;
  while ((count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) result.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.errors = read_bytes(errors);
  return result;
}

Result tune(const Folder& folder, const std::string& kernel, const std::string& arguments) {
  return run(folder, fmt::format("tune '{}' --json {}", (source_folder() / kernel).string(), arguments));
}

/// The report of a session that must succeed.
nlohmann::json tuned(const Folder& folder, const std::string& kernel, const std::string& arguments) {
  const Result result = tune(folder, kernel, arguments);
  REQUIRE_MESSAGE(result.exit_code == 0, result.errors);
  return result.report();
}

std::map<std::string, int> failures(const nlohmann::json& report) {
  std::map<std::string, int> classes;
  for (const nlohmann::json& failure : report["failures"]) classes[failure["outcome"]] = failure["count"];
  return classes;
}

/// Every configuration computes the same: none may be refused for its result.
void check_no_result_is_wrong(const nlohmann::json& report) {
  for (const auto& [outcome, count] : failures(report)) CHECK(outcome == "launch_refused");
}

/// The winner has this in its configuration, and was verified.
void check_winner(const nlohmann::json& report, const std::string& part) {
  CHECK(report["winner"]["configuration"].get<std::string>().find(part) != std::string::npos);
  CHECK(report["winner"]["verified"] == true);
}

TEST_CASE("vectors and structures by value hold what is described for them, byte by byte") {
  for (const char* kernel : {"vectors", "boxes", "padded", "arrays", "enums", "large", "aligned", "flags", "halves",
                             "templates", "constructors", "bits"}) {
    CAPTURE(kernel);
    const nlohmann::json report =
        tuned(Folder(), "tests/gpu/kernels/values.cu", fmt::format("--kernel {} --problem n=1000", kernel));
    CHECK(failures(report).empty());
    CHECK(report["winner"]["verified"] == true);
  }
  const Result wrong = tune(Folder(), "tests/gpu/kernels/values.cu", "--kernel tags --problem n=1000");
  CHECK(wrong.exit_code != 0);
  CHECK(wrong.errors.find("value 1 of `tag` is 1000, which its member cannot hold") != std::string::npos);
}

TEST_CASE("wrong candidates are rejected, each by its class") {
  const nlohmann::json report = tuned(Folder(), "tests/gpu/kernels/seeded_bugs.cu", "--problem n=1000003");
  const std::map<std::string, int> expected{{"wrong_result", 6},
                                            {"unwritten_output", 3},
                                            {"input_modified", 3},
                                            {"guard_violation", 3},
                                            {"nondeterministic", 3}};
  CHECK(failures(report) == expected);
  check_winner(report, "BUG=none");
  CHECK(report["counters"]["stored"] == 21);
}

TEST_CASE(
    "candidates that fault, hang, cannot launch or do not compile are rows, and the winner is the same without them") {
  const std::string kernel = "tests/gpu/kernels/seeded_faults.cu";
  const nlohmann::json report = tuned(Folder(), kernel, "--problem n=1000003 --launch-timeout 500ms");
  const std::map<std::string, int> expected{{"compile_error", 3}, {"illegal_access", 9}, {"launch_refused", 3}};
  std::map<std::string, int> found = failures(report);
  // never_ends_later is timed and then hangs in the race, if it gets that far: two rows each.
  const int timeouts = found["run_timeout"];
  found.erase("run_timeout");
  CHECK(found == expected);
  CHECK(timeouts >= 4);
  CHECK(timeouts <= 6);
  CHECK(report["counters"]["timed"] == 6);
  CHECK(report["counters"]["stored"] == 24 + timeouts - 3);

  const nlohmann::json calm = tuned(Folder(), kernel, "--problem n=1000003 --where 'FAULT == none'");
  CHECK(calm["winner"]["configuration"] == report["winner"]["configuration"]);
}

TEST_CASE("state that shows from the 5th, 50th or 500th launch on won, and a counter that is reset wins") {
  const nlohmann::json report =
      tuned(Folder(), "tests/gpu/kernels/kept_state.cu", "--problem n=4000003 --where 'STATE != counts'");
  INFO(report.dump(1));
  check_winner(report, "STATE=resets");
  // Each would be faster, so each must have been found out: between two launches of the check, if need be.
  std::map<std::string, int> found = failures(report);
  CHECK(found["unwritten_output"] + found["nondeterministic"] == 6);
  CHECK(report["counters"]["timed"] == 10);
}

TEST_CASE("a kernel that counts its launches and does what it should in each of a thousand wins") {
  const nlohmann::json report =
      tuned(Folder(), "tests/gpu/kernels/kept_state.cu", "--problem n=4000003 --where 'STATE in (none, counts)'");
  CHECK(failures(report).empty());
  check_winner(report, "STATE=counts");
}

TEST_CASE("prefetch is tuned at an awkward size, every strategy verified") {
  const nlohmann::json report = tuned(Folder(), "kernel_sources/prefetch.cu",
                                      "--problem rows=97,row_length=10007 --strategy random --budget 200 --seed 5");
  check_no_result_is_wrong(report);
  const nlohmann::json& counters = report["counters"];
  CHECK(counters["asked"] == 200);
  CHECK(counters["timed"].get<int>() + counters["deduplicated"].get<int>() + counters["failed"].get<int>() >= 200);
  CHECK(report["winner"]["verified"] == true);
  CHECK(report["speedup"]["low"].get<double>() > 1.0);
}

TEST_CASE("a barrier in the loop and a warm cache change nothing about what is right") {
  const nlohmann::json report =
      tuned(Folder(), "kernel_sources/prefetch.cu",
            "--problem rows=64,row_length=5000,sync_in_loop=1 --mode warm --strategy random --budget 60");
  check_no_result_is_wrong(report);
  CHECK(report["mode"] == "warm");
}

TEST_CASE("foreign kernels are tuned as their T1 files describe them") {
  for (const char* name : {"hotspot", "convolution", "gemm"}) {
    CAPTURE(name);
    const nlohmann::json report = tuned(Folder(), fmt::format("tests/data/t1/{}.json", name), "--budget 150 --seed 3");
    check_no_result_is_wrong(report);
    CHECK(report["counters"]["asked"] == 150);
    CHECK(report["winner"]["verified"] == true);
    CHECK(report["speedup"]["low"].get<double>() >= 1.0);
  }
}

TEST_CASE("kernels get what their data files hold, and constant memory what is described for it") {
  const Folder folder;
  constexpr int kLength = 1000003;
  const std::filesystem::path kernel = folder / "real_data.cu";
  std::filesystem::copy_file(source_folder() / "tests/gpu/kernels/real_data.cu", kernel);
  write_bytes(folder / "x, from 0.npy", npy_from<std::int32_t>("<i4", kLength, 0));
  write_bytes(folder / "weights.npy", npy_from<std::int64_t>("<i8", 8, 1));
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

  write_bytes(folder / "weights.npy", npy_from<std::int64_t>("<i8", 8, 2));
  const Result other = tune_it();
  CHECK(other.exit_code == 1);  // nothing usable: the baseline, too, computes something else than the reference
  CHECK(failures(other.report()).contains("wrong_result"));
}

TEST_CASE("a read beside one of five buffers is named with buffer, side and bytes, and a padding allows it") {
  struct Read {
    const char *side, *bytes, *which, *sentence;
  };
  for (const Read& read : {Read{"behind", "4", "first", "It reads 4 bytes behind `first`: "},
                           Read{"before", "4", "second", "It reads 4 bytes before `second`: "},
                           Read{"behind", "100", "third", "It reads 100 bytes behind `third`: "},
                           Read{"before", "100", "fourth", "It reads 100 bytes before `fourth`: "},
                           Read{"behind", "40000", "fifth", "It reads 40,000 bytes behind `fifth`: "},
                           Read{"before", "40000", "first", "It reads 40,000 bytes before `first`: "}}) {
    CAPTURE(read.sentence);
    const Folder folder;
    const std::string arguments = fmt::format("--where 'BLOCKDIMX == 128 && SIDE == {} && BYTES == {} && WHICH == {}'",
                                              read.side, read.bytes, read.which);
    const nlohmann::json told = tuned(folder, "tests/gpu/kernels/overread.cu", arguments);
    REQUIRE(failures(told) == std::map<std::string, int>{{"illegal_access", 1}});
    CHECK(told["failures"][0]["example_message"].get<std::string>().find(read.sentence) != std::string::npos);

    const nlohmann::json padded = tuned(folder, "tests/gpu/kernels/overread.cu",
                                        fmt::format("{} --pad {}={}", arguments, read.which, read.bytes));
    CHECK(failures(padded).empty());
    CHECK(padded["winner"]["verified"] == true);
  }
}

TEST_CASE("no mistake in a description that can be noticed makes a winner") {
  const Folder folder;
  tuner::test::write_expected_files(folder.path());
  const std::string kernel = folder / "blend.cu";
  const auto tune_text = [&](const std::string& text) {
    std::ofstream(kernel) << text;
    return run(folder, fmt::format("tune '{}' --json --problem n=1000", kernel));
  };
  for (const tuner::test::DescriptionMistake& mistake : tuner::test::description_mistakes()) {
    CAPTURE(mistake.name);
    const Result result = tune_text(mistake.text());
    INFO(result.output);
    INFO(result.errors);
    CHECK(result.exit_code != 0);
    CHECK(result.exit_code < 70);
    CHECK(run(folder, "list").output.find("blend") == std::string::npos);
  }
  const Result right = tune_text(tuner::test::described_kernel());
  INFO(right.errors);
  CHECK(right.exit_code == 0);
  CHECK(failures(right.report()).empty());
}

TEST_CASE("a reference that needs another launch is refused, and finds the wrong kernel once it has it") {
  const Folder folder;
  const std::filesystem::path kernel = folder / "trap.cu";
  const auto result_with = [&](const std::string& command, const std::string& clauses) {
    std::string text = read_bytes(source_folder() / "tests/gpu/kernels/trap.cu");
    const std::string named = "reference(plain)";
    text.replace(text.find(named), named.size(), "reference(plain" + clauses + ")");
    std::ofstream(kernel) << text;
    return run(folder, fmt::format("{} '{}' --problem n=1000003", command, kernel.string()));
  };
  for (const std::string command : {"tune", "check"}) {
    const Result refused = result_with(command, "");
    CAPTURE(refused.output);
    CAPTURE(refused.errors);
    CHECK(refused.exit_code != 0);
    CHECK((refused.output + refused.errors).find("that the reference leaves unwritten") != std::string::npos);
    const Result wrong = result_with(command, "; grid(ceil_div(n, 64)) block(64)");
    CAPTURE(wrong.output);
    CAPTURE(wrong.errors);
    CHECK(wrong.exit_code != 0);
    CHECK((wrong.output + wrong.errors).find("differ from the reference") != std::string::npos);
  }
  CHECK(run(folder, "list").output.find("scale") == std::string::npos);
}

TEST_CASE("a search ends near the roofline, whose rates are measured once") {
  const Folder folder;
  const std::string reduce = "--problem n=268435456,TYPE=float --stop-at 70%";
  const nlohmann::json first = tuned(folder, "kernel_sources/reduce.cu", reduce)["roofline"];
  REQUIRE(first.is_object());
  MESSAGE("rates: ", first.dump());
  CHECK(first["bytes_per_second"] > 5e10);
  CHECK(first["bytes_per_second"] < 5e13);
  CHECK(first["flops_per_second"] > 1e11);
  CHECK(first["share"] > 0.7);
  CHECK(first["share"] < 1.05);
  // The same numbers, unless the GPU was disturbed when they were measured: then they are measured again.
  const nlohmann::json again = tuned(folder, "kernel_sources/reduce.cu", reduce)["roofline"];
  for (const char* rate : {"bytes_per_second", "flops_per_second"}) {
    CHECK(again[rate].get<double>() == doctest::Approx(first[rate].get<double>()).epsilon(0.02));
  }
  const Result listed = run(folder, "list");
  for (const char* kernel : {"roofline_read", "roofline_copy", "roofline_multiply_add"}) {
    CHECK(listed.output.find(kernel) != std::string::npos);
  }
}

TEST_CASE("what was tuned is listed and shown afterwards") {
  const Folder folder;
  REQUIRE(tune(folder, "tests/gpu/kernels/seeded_bugs.cu", "--problem n=5000 --where 'BUG == none'").exit_code == 0);
  CHECK(run(folder, "list").output.find("seeded_bugs") != std::string::npos);
  CHECK(run(folder, "show seeded_bugs").output.find("BLOCKDIMX=") != std::string::npos);
}

TEST_CASE("a recording made here replays to the winner of the run that made it") {
  const Folder folder;
  const std::string file = folder / "recorded.csv";
  const nlohmann::json recorded =
      tuned(folder, "tests/gpu/kernels/seeded_bugs.cu", fmt::format("--problem n=1000003 --record '{}'", file));
  const Result replayed = run(folder, fmt::format("tune --replay '{}' --json", file));
  REQUIRE_MESSAGE(replayed.exit_code == 0, replayed.errors);
  CHECK(replayed.report()["winner"]["configuration"] == recorded["winner"]["configuration"]);
  CHECK(failures(replayed.report()) == failures(recorded));
}

}  // namespace

TEST_CASE("configurations that round differently are right, and mistakes that are larger than that are found") {
  for (const char* kernel : {"row_dot<float>", "row_dot<__half>", "variance", "prefix_sums", "chaotic_lattice",
                             "matrix_product", "thirds", "keep_positive"}) {
    CAPTURE(kernel);
    const Folder folder;
    const nlohmann::json report =
        tuned(folder, "tests/gpu/kernels/rounding.cu", fmt::format("--kernel '{}' --effort full", kernel));
    const std::uint64_t all = report["space_size"];
    const std::uint64_t wrong = std::string(kernel) == "keep_positive" ? all / 4 * 3 : all / 2;
    CHECK(report["counters"]["asked"] == all);
    CHECK(report["counters"]["failed"] == wrong);
    CHECK(report["counters"].value("failed_wrong_result", 0) + report["counters"].value("failed_unwritten_output", 0) ==
          wrong);
    CHECK(report["winner"]["configuration"].get<std::string>().find("WRONG=0") != std::string::npos);
  }
}

TEST_CASE("a tolerance that is too narrow costs a faster kernel, and the report says which would do") {
  const Folder folder;
  std::string text = read_bytes(source_folder() / "tests/gpu/kernels/rounding.cu");
  const std::string output = "out(sums, float, rows)";
  text.replace(text.find(output), output.size(), "out(sums, float, rows, rtol 1e-6)");
  write_bytes(folder / "narrow.cu", text);
  const nlohmann::json report = tuned(folder, folder / "narrow.cu", "--kernel 'row_dot<float>' --effort full");
  const nlohmann::json& rejected = report["like_rounding"];
  REQUIRE(rejected.is_object());
  CHECK(rejected["configurations"].get<int>() > 0);
  CHECK(rejected["buffer"] == "sums");
  CHECK(rejected["atol"].get<double>() < 0.05);
  CHECK(rejected["time_us"].get<double>() < report["winner"]["time_us"].get<double>());
  const std::string shown = run(folder, "show 1").output;
  CHECK(shown.find("by what looks like rounding") != std::string::npos);
}

int main(int argc, char** argv) {
  return tuner::test::run_on_gpu(argc, argv, [] {
    const Result devices = run(Folder(), "devices");  // the folder is removed before the program ends as skipped
    if (devices.exit_code != 0) throw std::runtime_error(devices.errors);
  });
}
