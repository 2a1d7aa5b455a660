#include "tuner/core/binary/ptx_uses.hpp"

#include <doctest/doctest.h>

using namespace tuner;

TEST_CASE("a barrier over the whole grid is found whatever the source calls the grid, and in the kernel alone") {
  const std::string waits = "{\n\tmov.u32 \t%r14, %envreg2;\n\tmov.u32 %r15, %envreg1;\n}\n";
  CHECK(asks_for_grid_barrier(".visible .entry two(\n)\n" + waits, "two"));
  const std::string beside = ".visible .entry one(\n)\n{\n}\n.visible .entry other(\n)\n" + waits;
  CHECK_FALSE(asks_for_grid_barrier(beside, "one"));
  CHECK(asks_for_grid_barrier(beside, "other"));
  CHECK_FALSE(asks_for_grid_barrier("", "one"));
  CHECK(asks_for_grid_barrier(".func wait()\n" + waits + ".visible .entry one()\n{\n}\n", "one"));
}

TEST_CASE("a tensor map that is only fetched ahead is one") {
  CHECK(handle_instruction(".entry tile()\n{\n\tprefetch.tensormap [%rd1];\n}\n", "tile") == "prefetch.tensormap");
  CHECK(handle_instruction(".entry tile()\n{\n\tprefetch.global.L2 [%rd1];\n\t// tex.1d\n}\n", "tile").empty());
}
