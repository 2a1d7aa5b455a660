#include "tuner/core/task/beyond_memory.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace tuner;

namespace {
constexpr MemoryRates kRates{.memory = 4.2e12, .l2_cache = 7.1e12};
}

TEST_CASE("what memory delivers needs no remark, with the tolerance of what was measured") {
  CHECK_FALSE(beyond_memory(4.2e12, kRates));
  CHECK_FALSE(beyond_memory(4.4e12, kRates));
  CHECK(beyond_memory(4.5e12, kRates));
}

TEST_CASE("faster than memory is from the cache, faster than the cache is wrong") {
  CHECK(
      text_of(*beyond_memory(5e12, kRates)) ==
      "5.000 TB/s is more than the 4.200 TB/s that the memory of this GPU was measured to deliver: the data came from "
      "the L2 cache");
  CHECK(text_of(*beyond_memory(20.05e12, kRates)) ==
        "20.05 TB/s is more than the 7.100 TB/s that the L2 cache of this GPU was measured to deliver: `work` or the "
        "data "
        "is wrong");
}

TEST_CASE("rates beyond memory are read from the counters as they were added") {
  std::map<std::string, std::int64_t> counters{{"asked", 1}};
  CHECK_FALSE(beyond_memory_in(counters));
  const BeyondMemory beyond = *beyond_memory(5e12, kRates);
  add_to_counters(beyond, counters);
  CHECK(beyond_memory_in(counters) == beyond);
}
