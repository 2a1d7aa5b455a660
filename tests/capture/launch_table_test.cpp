#include "tuner/capture/inject/launch_table.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tuner::capture;

TEST_CASE("kernels and shapes that no parent was told of could fill the memory of the program") {
  LaunchTable table;
  const std::string kernel(1000, 'k');
  std::uint32_t taken = 0;
  while (taken < 100000 && table.add(kernel, {.grid = {taken + 1, 1, 1}}, 5)) ++taken;
  CHECK(taken > 1000);
  CHECK(taken < 100000);
  CHECK(table.add(kernel, {.grid = {1, 1, 1}}, 5));
}
