// Programs whose kernels are tuned where they stand.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/end_to_end/story.hpp"
#include "tests/support/files.hpp"

using namespace tuner::test;

namespace {

/// program.cu in a folder of the user's.
struct ProgramStory : Tuner {
  ProgramStory() { write(read_bytes(TUNER_PROGRAM_KERNEL)); }
  void write(const std::string& text) const { files.write("program.cu", text); }
  TuneReport tune_program() const {
    return read_report(run({"tune", files.path() / "program.cu", "--problem", "n=1000", "--json", "--workers", "2"}));
  }

  TemporaryFolder files;
};

}  // namespace

TEST_CASE("a whole program is tuned unchanged, and what its main does is no part of the kernel") {
  const ProgramStory user;
  const TuneReport first = user.tune_program();
  INFO(first.err);
  CHECK(first.exit_code == 0);
  CHECK(first.winner == "VARIANT=0");
  CHECK(first.counters.at("stored") > 0);

  std::string text = read_bytes(TUNER_PROGRAM_KERNEL);
  const std::size_t main = text.find("static double seconds()");
  REQUIRE(main != std::string::npos);
  user.write(text.substr(0, main) + "int main() {\n  return 0;\n}\n");
  const TuneReport again = user.tune_program();
  CHECK(again.winner == "VARIANT=0");
  CHECK(again.counters.at("stored") == 0);

  user.write(text.replace(text.find("both[0] + both[1]"), 17, "both[1] + both[0]"));
  CHECK(user.tune_program().counters.at("stored") > 0);
}
