// Addresses of another process, with the fake driver, whose memory is the process's own.
#include "tuner/engine/device/replay/placed_memory.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

using namespace tuner;
using namespace tuner::engine;

namespace {

constexpr CUdeviceptr kSomewhere = CUdeviceptr{0x21} << 40;
constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;

/// Whether the process itself could map something there.
bool is_free(CUdeviceptr address) {
  void* const wanted = reinterpret_cast<void*>(address);
  void* const there =
      mmap(wanted, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (there != MAP_FAILED) munmap(there, kBytes);
  return there == wanted;
}

}  // namespace

TEST_CASE(
    "what a process loads took the addresses of memory of 4 GB: they are kept before, and given back if not needed") {
  const Piece needed{kSomewhere, kBytes}, other{kSomewhere + 4 * kBytes, kBytes};
  REQUIRE(is_free(needed.address));
  {
    OwnAddresses own({needed, other});
    CHECK_FALSE(is_free(needed.address));
    CHECK_FALSE(is_free(other.address));
    own.map_memory({needed});
    CHECK(own.has(needed));
    CHECK(own.is_alone(needed));
    CHECK_FALSE(own.has(other));
    CHECK(is_free(other.address));
  }
  CHECK(is_free(needed.address));
}

TEST_CASE("memory that shares its granules with memory that is not needed is alone there") {
  const Piece needed{kSomewhere, 512}, other{kSomewhere + 512, 512};
  OwnAddresses own({other, needed});
  own.map_memory({needed});
  CHECK(own.has(needed));
  CHECK(own.is_alone(needed));
}
