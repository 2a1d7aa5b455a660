// Mistakes in descriptions that can be noticed: `tuner describe` refuses them, or `tuner check --host` finds them.
#include <doctest/doctest.h>

#include "tests/host/developer.hpp"
#include "tests/support/description_mistakes.hpp"

using namespace tuner::test;

namespace {

struct Describer : Developer {
  Describer() { write_expected_files(folder().path()); }
  Result describe(const std::string& text) const { return run({"describe", folder().write("blend.cu", text)}); }
  Result check(const std::string& text) const {
    return run({"check", folder().write("blend.cu", text), "--host", "--problem", "n=1000", "--configurations", "2"});
  }
};

}  // namespace

TEST_CASE("a description without a mistake has no findings") {
  const Describer developer;
  const Result described = developer.describe(described_kernel());
  CHECK_MESSAGE(described.exit_code == 0, described.err);
  const Result checked = developer.check(described_kernel());
  CHECK_MESSAGE(checked.exit_code == 0, checked.out << checked.err);
  CHECK(contains(checked.out, "No findings."));
  CHECK_FALSE(contains(checked.out, "Not checked"));
}

TEST_CASE("each mistake in a description is refused or found") {
  const Describer developer;
  CHECK(description_mistakes().size() >= 25);
  for (const DescriptionMistake& mistake : description_mistakes()) {
    CAPTURE(mistake.name);
    const Result described = developer.describe(mistake.text());
    if (described.exit_code != 0) {
      CHECK_MESSAGE(described.exit_code == 2, described.err);
      CHECK_FALSE(described.err.empty());
      continue;
    }
    const Result checked = developer.check(mistake.text());
    INFO(checked.out << checked.err);
    CHECK((checked.exit_code == 1 || checked.exit_code == 2));
    CHECK_FALSE(contains(checked.out, "No findings."));
  }
}
