#include "tuner/explain/wording.hpp"

#include <doctest/doctest.h>

using namespace tuner::explain;

TEST_CASE("numbers have three digits and a word") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(0.694) == "0.69");
  CHECK(number_text(8.1) == "8.1");
  CHECK(number_text(32) == "32");
  CHECK(number_text(850) == "850");
  CHECK(number_text(12'340'000) == "12.3 million");
  CHECK(number_text(1e9) == "1 billion");
  CHECK(number_text(999.9) == "1 thousand");
  CHECK(memory_text(24 * 1024) == "24 KB");
  CHECK(memory_text(100) == "100 bytes");
  CHECK(traffic_text(1.0737e9) == "1.07 GB");
  CHECK(count_text(1, "block") == "1 block");
  CHECK(count_text(8, "block") == "8 blocks");
  CHECK(moved_text(8.1, 1.9, "cycles") == "fell from 8.1 to 1.9 cycles");
  CHECK(moved_text(1.9, 8.1) == "rose from 1.9 to 8.1");
}
