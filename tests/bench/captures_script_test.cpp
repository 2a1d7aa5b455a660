// bench/new_from_captures.sh, with a program that only runs what `tuner capture` would.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/files.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tuner::test;
namespace fs = std::filesystem;

namespace {

/// Builds; finds a kernel; stores none of its launches.
constexpr const char* kTuner = R"(#!/bin/sh
case "$*" in
  *--build*) ;;
  *--kernel*)
    echo "$*" >> "$(dirname "$0")/captured"
    echo '{"stored": null}'
    printf 'tuner: warning: %s\n' 'It has a twin.' '0 of 2 launches stored.' >&2 ;;
  *) echo '{"kernels": [{"library": null, "mangled": "kernel"}]}' ;;
esac
while [ "$1" != -- ]; do shift; done
shift
"$@" > /dev/null
)";

constexpr const char* kMakefile =
    "main: main.cu\n\tcp main.cu main\nrun: main\n\ttouch main.cu\nclean:\n\trm -f main\n";

}  // namespace

TEST_CASE("a program is run as it was built, and one that cannot be built is left out") {
  if (std::system("make --version > /dev/null 2>&1") != 0) return;
  const TemporaryFolder folder;
  fs::permissions(folder.write("build/bin/tuner", kTuner), fs::perms::owner_all);
  for (const char* program : {"programs/runs", "programs/fails"})
    folder.write(std::string(program) + "/Makefile", kMakefile);
  folder.write("programs/runs/main.cu", "");
  CHECK(std::system(("bash " + shell_word(TUNER_SOURCE_DIR "/bench/new_from_captures.sh") + " " +
                     shell_word(folder / "programs") + " " + shell_word(folder / "build") + " > " +
                     shell_word(folder / "out") + " 2>&1")
                        .c_str()) == 0);
  const std::string out = read_bytes(folder / "out");
  CHECK(contains(out, "\n| runs |  |  |  |  |  | It has a twin. |\n"));
  CHECK_FALSE(contains(out, "fails"));
  const std::string captured = read_bytes(folder / "build/bin/captured");
  CHECK(contains(captured, "sh -c touch main.cu"));
  CHECK_FALSE(contains(captured, "cp main.cu"));
}
