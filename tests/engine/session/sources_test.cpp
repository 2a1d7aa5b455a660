// Sources as people have them (standard/, host/, toolkit/, nested/) compile for a GPU, or are refused with a
// sentence by which they can be mended: the one in their first line.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/text.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

using namespace tuner;
using namespace tuner::engine;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> source_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"standard", "host", "toolkit", "nested"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(TUNER_SOURCES_DIR) / folder)) {
      if (entry.path().extension() == ".cu") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What the first line says the refusal says; empty for what compiles.
std::string refusal_of(const fs::path& file) {
  constexpr std::string_view kWord = "// Refused: ";
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line.starts_with(kWord) ? line.substr(kWord.size()) : "";
}

CompileReply compiled(const fs::path& file, const NvrtcCompiler& compiler) {
  const Task task(load_description(file), {}, known_device("H200"));
  check_written_signatures(task.description(), task.headers());
  return compiler.compile(compile_request(task, task.space().defaults()));
}

}  // namespace

TEST_CASE("sources as people have them compile unchanged, or a sentence says how to mend them") {
  const NvrtcCompiler compiler({});
  const std::vector<fs::path> files = source_files();
  CHECK(files.size() == 60);
  for (const fs::path& file : files) {
    INFO(file.string());
    const std::string refusal = refusal_of(file);
    const CompileReply reply = compiled(file, compiler);
    INFO(reply.message);
    CHECK((reply.outcome == Outcome::ok) == refusal.empty());
    if (!refusal.empty()) CHECK(test::contains(reply.message, refusal));
  }
}
