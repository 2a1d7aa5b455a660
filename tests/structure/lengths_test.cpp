// Past 400 lines a source has a second module in it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

/// Those that may be longer, each with the reason.
const std::map<std::string, std::string> kExceptions{
    {"tuner/core/support/support.cu", "is the device code of the worker, handed to the compiler as one text"},
    {"tuner/engine/device/worker/runner.cpp", "verifies: reference, comparison and what a comparison proves share it"},
    {"tuner/engine/device/worker/workbench.cpp", "answers each kind of request in one function"},
};

/// By path from the root: the lines of each source below `folders` that has more than 400.
std::map<std::string, std::ptrdiff_t> long_sources(const fs::path& root, const std::vector<std::string>& folders) {
  std::map<std::string, std::ptrdiff_t> found;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".hpp" && ending != ".h" && ending != ".cu" && ending != ".in") continue;
      const std::string text = read_bytes(entry.path());
      const std::ptrdiff_t lines = std::count(text.begin(), text.end(), '\n');
      if (lines > 400) found[entry.path().lexically_relative(root).generic_string()] = lines;
    }
  }
  return found;
}

TEST_CASE("no source of the product is longer than 400 lines, but for named ones") {
  for (const auto& [file, lines] : long_sources(TUNER_SOURCE_DIR, {"search", "cache", "tuner"})) {
    INFO(file << " has " << lines << " lines");
    CHECK(kExceptions.contains(file));
  }
  for (const auto& [file, why] : kExceptions) {
    INFO(file);
    CHECK(fs::exists(fs::path(TUNER_SOURCE_DIR) / file));
  }
}

TEST_CASE("a source of 401 lines is found, and one of 400 is none") {
  const TemporaryFolder folder;
  folder.write("a/long.cpp", std::string(401, '\n'));
  folder.write("a/enough.cpp", std::string(400, '\n'));
  CHECK(long_sources(folder.path(), {"a"}) == std::map<std::string, std::ptrdiff_t>{{"a/long.cpp", 401}});
}

}  // namespace
