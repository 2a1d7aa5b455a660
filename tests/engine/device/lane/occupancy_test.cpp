#include "tuner/engine/device/lane/occupancy.hpp"

#include <doctest/doctest.h>

using namespace tuner;
using namespace tuner::engine;

namespace {

// The numbers of an H200, written out so that the table of known devices is not tested with itself.
DeviceInfo h200() {
  return {.compute_major = 9,
          .max_threads_per_block = 1024,
          .max_threads_per_sm = 2048,
          .max_blocks_per_sm = 32,
          .registers_per_sm = 65536,
          .registers_per_block = 65536,
          .max_shared_per_block = 232448,
          .max_shared_per_sm = 233472,
          .reserved_shared_per_block = 1024};
}

Geometry launch(std::uint32_t threads, std::uint32_t shared = 0) {
  return {.block = {threads, 1, 1}, .shared_bytes = shared};
}

}  // namespace

TEST_CASE("the limiter is what runs out first on an H200") {
  CHECK(occupancy_limiter(h200(), {.registers = 32}, launch(256)) == "warps");
  CHECK(occupancy_limiter(h200(), {.registers = 33}, launch(256)) == "registers");
  CHECK(occupancy_limiter(h200(), {.registers = 16}, launch(32)) == "blocks");
  // 227 KiB an SM: seven blocks of 32 KiB and their reserved KiB fit, not eight.
  CHECK(occupancy_limiter(h200(), {.registers = 32}, launch(256, 32 * 1024)) == "shared");
  CHECK(occupancy_limiter(h200(), {.registers = 32}, launch(256, 27 * 1024)) == "warps");
  CHECK(occupancy_limiter(h200(), {.registers = 32, .static_shared = 30 * 1024}, launch(256)) == "shared");
  // Registers come in units of 256 a warp, and each quarter of the SM has its own: 168 registers make 5376 a warp, 3
  // warps a quarter, 12 an SM, one block of 8 warps.
  CHECK(occupancy_limiter(h200(), {.registers = 168}, launch(256)) == "registers");
}

TEST_CASE("the occupancy that a launch can have on an H200 is known before it is loaded") {
  CHECK(possible_occupancy(h200(), {.registers = 32}, launch(256)) == 1.0);
  CHECK(possible_occupancy(h200(), {.registers = 33}, launch(256)) == 0.75);  // 1280 a warp: 12 a quarter, 48 of 64
  CHECK(possible_occupancy(h200(), {.registers = 16}, launch(32)) == 0.5);
  CHECK(possible_occupancy(h200(), {.registers = 32}, launch(256, 32 * 1024)) == 0.75);  // six blocks of eight warps
  CHECK(possible_occupancy(h200(), {.registers = 168}, launch(256)) == 0.125);
  CHECK(possible_occupancy(h200(), {.registers = 255}, launch(1024)) == 0.0);
  CHECK_FALSE(possible_occupancy(DeviceInfo{}, {.registers = 32}, launch(256)));
}

TEST_CASE("a refused launch is explained with its numbers") {
  CHECK(why_refused(h200(), {.registers = 32, .max_threads_per_block = 1024}, launch(1024)).empty());
  CHECK(why_refused(h200(), {.registers = 128, .max_threads_per_block = 512}, launch(1024)) ==
        "its block of 1024 threads needs 128 registers each, 131072 in all, but a block may have 65536");
  CHECK(why_refused(h200(), {.registers = 32, .max_threads_per_block = 256}, launch(512)) ==
        "its block has 512 threads, but it was compiled for at most 256 (__launch_bounds__)");
  CHECK(why_refused(h200(), {.static_shared = 2048}, launch(128, 231000)) ==
        "its block needs 233048 bytes of shared memory (2048 static, 231000 dynamic), but the limit is 232448");
  Geometry empty = launch(128);
  empty.grid[1] = 0;
  CHECK(why_refused(h200(), {}, empty) == "its grid has no blocks along y");
  empty.grid[1] = 70000;
  CHECK(why_refused(h200(), {}, empty) == "its grid has 70000 blocks along y, but the limit is 65535");
  CHECK(why_refused(h200(), {}, launch(2048)) == "its block has 2048 threads, but the limit is 1024");
}
