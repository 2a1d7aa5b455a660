#include "tuner/core/task/served_winner.hpp"

#include <doctest/doctest.h>

#include "cache/file/hash.hpp"
#include "cache/file/packed_text.hpp"
#include "tests/process/record_checks.hpp"
#include "tuner/core/task/launch_fields.hpp"

using namespace tuner;

// Rows of served.db outlive the build that wrote them. Another text here needs another number in served_source, so that
// no program finds a row that means something else to it.
TEST_CASE("what a row says of a launch is written as it was") {
  CHECK(served_source("text", "", {}).starts_with("source8\n"));
  CHECK(cache::content_hash(cache::packed(test::filled<LaunchFacts>())).text == "f313eaecf4e21590a35b3f7e1a9b911d");
  CHECK(cache::content_hash(cache::packed(test::filled<cache::Decision>())).text == "da3493f656d21b79c1d8d9b3cce3b17c");
  CHECK(cache::content_hash(cache::packed(test::filled<cache::Cubin>())).text == "4398fb804efd5d000e8dceb0c716baba");
}
