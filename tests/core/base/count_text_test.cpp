#include "tuner/core/base/count_text.hpp"

#include <doctest/doctest.h>

using namespace tuner;

TEST_CASE("K, M and G are powers of two, with and without i") {
  CHECK(read_count("64K") == 65536);
  CHECK(read_count("1M") == 1048576);
  CHECK(read_count("1Mi") == 1048576);
  CHECK(read_count("2G") == std::int64_t{1} << 31);
  CHECK(read_count("3Ki") == 3072);
}

TEST_CASE("a shift counts as in C++") {
  CHECK(read_count("1<<20") == 1048576);
  CHECK(read_count("3 << 4") == 48);
  CHECK(read_count("1<<62") == std::int64_t{1} << 62);
}

TEST_CASE("what is no such count, or none of 64 bits, is not read") {
  for (const char* text : {"", "i", "M", "Mi", "7", "1m", "1k", "1.5M", "-1M", "1<<", "<<3", "1<<-1", "1<<63", "2<<62",
                           "9999999999999G", "1Mb", "0x10K", "1<<2<<3"}) {
    CAPTURE(text);
    CHECK_FALSE(read_count(text).has_value());
  }
}
