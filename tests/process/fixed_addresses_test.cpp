#include "tuner/process/fixed_addresses.hpp"

#include <doctest/doctest.h>
#include <sys/personality.h>

#include <cstdio>

using namespace tuner;

namespace {

/// Whether a program that this thread starts has addresses that are not randomised.
bool has_fixed_addresses() {
  std::FILE* const child = popen("cat /proc/self/personality", "r");
  REQUIRE(child);
  unsigned flags = 0;
  CHECK(std::fscanf(child, "%x", &flags) == 1);
  pclose(child);
  return (flags & ADDR_NO_RANDOMIZE) != 0;
}

}  // namespace

TEST_CASE("programs that start while addresses are fixed have them, and those that start later do not") {
  const bool before = has_fixed_addresses();
  {
    const FixedAddresses unwanted(false);
    CHECK_FALSE(unwanted.refused());
    CHECK(has_fixed_addresses() == before);
    const FixedAddresses fixed(true);
    CHECK(has_fixed_addresses() == !fixed.refused());
  }
  CHECK(has_fixed_addresses() == before);
}
