// bench/gpu_roofline.sh, with a program that only says what `tuner` would.
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/support/files.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tuner::test;
namespace fs = std::filesystem;

namespace {

struct Ended {
  int exit_code;
  std::string out;
};

/// The script, where `tuner` says this and ends with this code for `kernel` with `--stop-at`, and else succeeds.
Ended run_roofline_script(const std::string& kernel, const std::string& sentence, int code) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "bin");
  const fs::path program = folder.write(
      "bin/tuner", "#!/bin/sh\ncase \"$*\" in *" + kernel + ".cu*--stop-at*)\n  echo " + shell_word(sentence) +
                       " >&2\n  exit " + std::to_string(code) + ";;\nesac\necho '  time 1 us'\n");
  fs::permissions(program, fs::perms::owner_all);
  const int status = std::system(("bash " + shell_word(TUNER_SOURCE_DIR "/bench/gpu_roofline.sh") + " " +
                                  shell_word(folder.path()) + " > " + shell_word(folder / "out") + " 2>&1")
                                     .c_str());
  return {WEXITSTATUS(status), read_bytes(folder / "out")};
}

const std::string kRefusal =
    "tuner: --stop-at with a percentage compares with what the GPU's memory and arithmetic were measured to reach, but "
    "the work of `arithmetic` is 1,000 bytes for this problem, less than twice the L2 cache of 50,000. Choose a larger "
    "problem, or give a time or a speed-up instead, such as 1.5x.";

}  // namespace

TEST_CASE("a kernel whose data fits in the L2 cache is a row that says refused, and no failure of the script") {
  const Ended ended = run_roofline_script("arithmetic", kRefusal, 2);
  CHECK(ended.exit_code == 0);
  CHECK(contains(ended.out, "\n--stop-at 95%: refused: --stop-at with a percentage compares"));
  CHECK(contains(ended.out, "### arithmetic\n\n--effort normal: "));
}

TEST_CASE("whatever else fails there fails the script, and is shown") {
  for (const auto& [sentence, code] :
       {std::pair<std::string, int>{kRefusal, 70},
        {"tuner: --stop-at with a percentage needs a roofline, but `a` declares no work.", 2},
        {"tuner: There is no driver.", 4}}) {
    CAPTURE(sentence);
    const Ended ended = run_roofline_script("reduce", sentence, code);
    CHECK(ended.exit_code == 1);
    CHECK(contains(ended.out, "    " + sentence));
    CHECK_FALSE(contains(ended.out, "refused: "));
  }
}
