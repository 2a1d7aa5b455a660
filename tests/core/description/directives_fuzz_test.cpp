// Damages directive text, as tests/attack does. Reading it succeeds or throws Error; the
// sanitizers of the asan preset see everything else. What reads well must print, and the print must read back as
// itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/attack/text_damage.hpp"
#include "tests/core/support.hpp"
#include "tests/support/length.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/describe.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// Every directive, of a template, and behind it text that only looks like directives.
std::string seed() {
  std::string text = attack::kEveryDirective;
  text.replace(text.find("kernel(copy)"), 12, "kernel(ns::copy<BLOCKDIMX, pair<TYPE, int>>)");
  return "/* top */ " + text + "const char* s = R\"x(#pragma)x\"; int i = 1'000; '\\'' // end\n";
}

}  // namespace

TEST_CASE("mutated directives are read or refused, and what is read prints and reads back") {
  attack::Chance chance(20240229, "directives", 0);
  std::vector<std::string> pool{seed(), kernel_text()};
  std::uint64_t read = 0, refused = 0;
  const std::size_t count = length(2000, 10'000);
  while (read + refused < count) {
    const std::string text = attack::damage_source(chance, chance.one_of(pool));
    try {
      for (const KernelDescription& description : parse_descriptions(text, "fuzz.cu")) {
        const std::string printed = to_text(description);
        INFO(text);
        REQUIRE(error_of([&] { REQUIRE(to_text(describe(printed)) == printed); }) == "no error");
        REQUIRE(std::count(text.begin(), text.end(), '\n') ==
                std::count(description.blanked_source.begin(), description.blanked_source.end(), '\n'));
      }
      ++read;
      // Texts that still read well are mutated further, so that mutations add up.
      if (pool.size() < 256 && text.size() < 8192) pool.push_back(text);
    } catch (const Error&) {
      ++refused;
    }
  }
  MESSAGE(read, " texts read, ", refused, " refused");
  CHECK(read >= 20);
  CHECK(refused >= 20);
}
