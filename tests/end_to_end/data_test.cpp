// Kernels whose inputs are files.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/core/task/npy_file.hpp"
#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

constexpr int kLength = 1000;
constexpr const char* kValues = "values of \"data\".npy";

/// data.cu beside its data.
struct DataStory : Tuner {
  DataStory() {
    std::filesystem::copy_file(TUNER_DATA_KERNEL, kernel());
    files.write(kValues, npy_from<double>("<f8", kLength, 5));
    files.write("offsets.npy", npy_from<double>("<f8", 4, 100));
  }
  std::filesystem::path kernel() const { return files.path() / "data.cu"; }
  Result tune_data(const std::string& problem = "n=1000", const Words& more = {}) const {
    return run(joined({"tune", kernel(), "--problem", problem, "--json", "--workers", "2"}, more));
  }
  /// What is said of bad data, without the folder.
  std::string complaint(const std::string& problem = "n=1000") const {
    const Result result = tune_data(problem);
    CHECK(result.exit_code != 0);
    CHECK(count_rows() == 0);
    std::string text = result.err;
    const std::string path = files.path().string() + "/";
    for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.erase(at, path.size());
    return text;
  }

  TemporaryFolder files;
};

}  // namespace

TEST_CASE("a kernel is tuned on the data that its files hold") {
  const DataStory story;
  const Result result = story.tune_data();
  check_winner(read_report(result), "KIND=right,VARIANT=0");
  CHECK(contains(result.out, "contains the data of this size"));
  // 2 * (5 + 999) + 100 + 3, and one more.
  bool seen = false;
  for (const auto& row : story.rows()) {
    if (!contains(row.configuration, "KIND=wrong")) continue;
    CHECK(row.outcome == "wrong_result");
    seen = seen || contains(row.message, "'doubled'[999], found 2112, expected 2111");
  }
  CHECK(seen);
  CHECK(story.all_processes_end());

  // The same data by another name is the same; other data is not.
  const auto stored = [&] { return read_report(story.tune_data()).counters.at("stored"); };
  CHECK(stored() == 0);
  story.files.write("offsets.npy", npy_from<double>("<f8", 4, 101));
  CHECK(stored() == 8);
}

TEST_CASE("a program that only replays needs no data") {
  const DataStory story;
  const std::string recording = (story.files.path() / "data.csv").string();
  const TuneReport recorded = read_report(story.tune_data("n=1000", {"--record", recording}));
  INFO(recorded.err);
  REQUIRE(recorded.exit_code == 0);
  std::filesystem::remove(story.files.path() / kValues);
  const TuneReport replayed = read_report(story.run({"tune", "--replay", recording, "--json"}));
  check_winner(replayed, recorded.winner);
}

TEST_CASE("data that does not fit is refused in a sentence with its place, before anything is run") {
  const DataStory story;
  CHECK(contains(story.complaint("n=999"),
                 "data.cu:9: the content of `values`: values of \"data\".npy contains 1,000 numbers (shape (1000,)), "
                 "but `values` has 999 elements for this problem; choose the problem that the file belongs to."));
  CHECK(contains(story.complaint("n=1000,TYPE=float"),
                 "data.cu:9: the content of `values`: values of \"data\".npy contains float64, but `values` is "
                 "float32; convert one of them."));
  story.files.write("offsets.npy", npy_from<double>("<f8", 4, 100).substr(0, 131));
  CHECK(contains(story.complaint(),
                 "data.cu:10: the content of `offsets`: offsets.npy is truncated: its header announces 32 bytes of "
                 "data, but only 3 follow."));
  story.files.write("offsets.npy", "no numbers");
  CHECK(contains(story.complaint(), "offsets.npy is not a NumPy file"));
  std::filesystem::remove(story.files.path() / "offsets.npy");
  CHECK(contains(story.complaint(),
                 "data.cu:10: the content of `offsets`: offsets.npy does not exist; a relative name starts at the "
                 "folder of the kernel file."));
  check_out(story.run({"describe", story.kernel(), "--problem", "n=1000"}), 0, {"offsets.npy does not exist"});
}
