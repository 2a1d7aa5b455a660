// The kernels that show what is taken for rounding (bench/rounding), as far as they can be tried without a GPU, and
// bench/gpu_rounding.sh, with a program that only leaves the recording that `tuner` would.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

using namespace tuner;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> kernel_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TUNER_SOURCE_DIR) / "bench/rounding")) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("every kernel about rounding has up to twelve correct configurations, and as many with its mistake") {
  const std::vector<fs::path> files = kernel_files();
  CHECK(files.size() == 49);
  for (const fs::path& file : files) {
    CAPTURE(file.string());
    const Task task(load_description(file), {}, known_device("H200"));
    check_written_signatures(task.description(), task.headers());
    REQUIRE(task.baseline());
    CHECK(test::contains(task.space().text(*task.baseline()), "MISTAKE=0"));
    std::uint64_t mistakes = 0;
    for (std::uint64_t i = 0; i < task.space().size(); ++i) {
      mistakes += test::contains(task.space().text(task.space().at(i)), "MISTAKE=1");
    }
    CHECK(mistakes >= 6);
    CHECK(mistakes <= 12);
    CHECK(task.space().size() == 2 * mistakes);
  }
}

TEST_CASE("kernels about rounding compile, correct and with their mistake") {
  const engine::NvrtcCompiler compiler({});
  const std::vector<fs::path> files = kernel_files();
  for (std::size_t i = 0; i < files.size(); i += 8) {
    CAPTURE(files[i].string());
    const Task task(load_description(files[i]), {}, known_device("H200"));
    std::string mistaken = task.space().text(*task.baseline());
    mistaken.replace(mistaken.find("MISTAKE=0"), 9, "MISTAKE=1");
    for (const search::Configuration& configuration : {*task.baseline(), task.space().parse(mistaken)}) {
      const engine::CompileReply reply = compiler.compile(engine::compile_request(task, configuration));
      CHECK_MESSAGE(reply.outcome == Outcome::ok, reply.message);
    }
  }
}

TEST_CASE("the script about rounding counts what is accepted and found, and says what went otherwise") {
  const test::TemporaryFolder folder;
  fs::create_directories(folder / "bin");
  const fs::path program = folder.write("bin/tuner", R"(#!/bin/sh
case "$*" in *jacobi.cu*)
  echo 'tuner: There is no driver.' >&2
  exit 3;;
esac
while [ "$1" != --record ]; do shift; done
cat > "$2" <<'END'
#space 1
BLOCK,MISTAKE,status,time_ms,message
64,0,ok,0.1,
128,0,wrong_result,,"Element 3
of `y`"
64,1,wrong_result,,
128,1,unwritten_output,,
END
)");
  fs::permissions(program, fs::perms::owner_all);
  const int status =
      std::system(("bash " + test::shell_word(TUNER_SOURCE_DIR "/bench/gpu_rounding.sh") + " " +
                   test::shell_word(folder.path()) + " jacobi mean > " + test::shell_word(folder / "out"))
                      .c_str());
  CHECK(WEXITSTATUS(status) == 1);
  const std::string out = test::read_bytes(folder / "out");
  CAPTURE(out);
  CHECK(test::contains(out, "| jacobi | failed | failed | | tuner: There is no driver. |\n"));
  CHECK(test::contains(out, "| mean | 1 of 2 | 2 of 2 | "));
  CHECK(test::contains(out, " | BLOCK=128,MISTAKE=0 wrong_result |\n"));
  CHECK(test::contains(out, "\n0 of 2 kernels: all correct configurations are accepted\n"));
  CHECK(test::contains(out, "\n1 of 2 kernels: the mistake is found in every configuration\n"));
}
