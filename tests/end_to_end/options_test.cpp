// Compiler options of a kernel file or a T1 file that another person wrote.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <set>
#include <string>

#include "tests/end_to_end/story.hpp"

namespace fs = std::filesystem;

using namespace tuner::test;

namespace {

constexpr const char* kBody = "__global__ void scale(float* y) { y[threadIdx.x] = N; }\n";

std::string source(const std::string& directive) {
  return "#pragma tuner kernel(scale) param(N, 1, 2) grid(1) block(64) out(y, float, 64) " + directive + "\n" + kBody;
}

std::string t1(const std::string& option) {
  return R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "N", "Type": "int", "Values": "[1, 2]", "Default": 1}],
    "Conditions": []}, "KernelSpecification": {"Language": "CUDA", "KernelName": "scale", "KernelFile": "body.cu",
    "GlobalSizeType": "CUDA", "GlobalSize": {"X": "1"}, "LocalSize": {"X": "64"},
    "CompilerOptions": [")" +
         option + R"("],
    "Arguments": [{"Name": "y", "Type": "float", "Size": 64, "MemoryType": "Vector", "AccessType": "WriteOnly"}]}})";
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.insert(entry.path().filename());
  return files;
}

TEST_CASE("a kernel file of another person made the compiler write and read files by its options") {
  const Tuner user;
  user.folder().write("secret", "what another user wrote\n");
  const std::string home = user.home();
  for (const std::string& option :
       {"--time=" + home + "/written", "-fdevice-time-trace=" + home + "/written", "--create-pch=" + home + "/written",
        "--use-pch=" + home + "/secret", "-include=" + home + "/secret", "--pre-include=" + home + "/secret",
        "--ptxas-options=--compiler-stats-file=" + home + "/written",
        "--ptxas-options=--options-file=" + home + "/secret"}) {
    const std::string stats = contains(option, "stats") ? R"("--ptxas-options=--compiler-stats=time", )" : "";
    user.folder().write("k.cu", source("options(" + stats + "\"" + option + "\")"));
    user.folder().write("tuned.cu", source("option(O, \"" + option + "\", \"\")"));
    user.folder().write("body.cu", kBody);
    user.folder().write("k.json", t1(option));
    for (const std::string file : {"k.cu", "tuned.cu", "k.json"}) {
      INFO(file << " with " << option);
      const std::set<std::string> before = files_in(user.home());
      const Result result = user.run({"tune", file, "--workers", "1", "--db", home + "/db"});
      check_err(result, 2, {"is not allowed"});
      CHECK_FALSE(contains(result.err, "/secret(1)"));
      std::set<std::string> after = files_in(user.home());
      after.erase("db");
      after.erase("journal");
      CHECK(after == before);
      fs::remove_all(user.home() / "db");
      for (const std::string& added : after) {
        if (!before.contains(added)) fs::remove(user.home() / added);
      }
    }
  }
}

}  // namespace

TEST_CASE("a number of --device that no GPU has was told to be a driver that does not start") {
  for (const char* command : {"tune", "check"}) {
    CAPTURE(command);
    Tuner user;
    user.environment["FAKE_DRIVER"] = "numbered";
    check_err(
        user.run({command, data_file("scale.cu"), "--problem", "n=1000", "--device", "9"}), 3,
        {"tuner: There is no GPU 9 here: the only one has the number 0. `tuner devices` lists what --device takes."});
    user.environment["FAKE_DRIVER"] = "numbered devices=2";
    check_err(user.run({command, data_file("scale.cu"), "--problem", "n=1000", "--device", "2"}), 3,
              {"There is no GPU 2 here: there are 2, numbered from 0."});
  }
}

TEST_CASE(
    "the source of a tuned kernel is stored, exported and imported with its decision, unless --no-source is given") {
  const Tuner user;
  Words words = user.words({"KIND == right", "VARIANT < 2"}, {"--db", "all.db"});
  user.folder().write("factor.cuh", "constexpr float kFactor = 2;\n");
  user.folder().write("scale.cu", "#include <cstdint>\n#include \"factor.cuh\"\n" + read_bytes(words.at(1)));
  words.at(1) = "scale.cu";
  const auto tune = [&](const Words& more) {
    const Result tuned = user.run(joined(words, more));
    INFO(tuned.err);
    REQUIRE(tuned.exit_code == 0);
  };
  tune({});
  check_out(user.run({"show", "1", "--db", "all.db"}), 0, {"  stored     the source scale.cu and 1 header\n"});
  check_out(user.run({"export", "some.db", "--db", "all.db"}), 0, {"some.db"});
  check_out(user.run({"import", "some.db", "--db", "other.db"}), 0, {"some.db"});
  check_out(user.run({"show", "1", "--db", "other.db"}), 0, {"  stored     the source scale.cu and 1 header\n"});
  tune({"--no-source"});
  CHECK_FALSE(contains(user.run({"show", "2", "--db", "all.db"}).out, "the source scale.cu"));
}

TEST_CASE("a limit of ten open files was told to be a bug in the program") {
  Tuner user;
  for (rlim_t limit = 7; limit < 15; ++limit) {
    CAPTURE(limit);
    user.before_start = [limit] {
      const rlimit files{.rlim_cur = limit, .rlim_max = limit};
      setrlimit(RLIMIT_NOFILE, &files);
    };
    const Result result = user.run(user.words({"KIND == right"}, {"--budget", "2"}));
    CHECK(result.exit_code != 70);
    if (result.exit_code == 71) CHECK(contains(result.err, "raise the limit of open files (`ulimit -n`)"));
  }
}
