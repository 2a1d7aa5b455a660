#include "tuner/explain/facts_table.hpp"

#include <doctest/doctest.h>

namespace tuner::explain {

TEST_CASE("names of others end no cell of Markdown, and are no tags and no lines in it") {
  CHECK(for_markdown("scale<float>|a\nb") == "scale\\<float>\\|a\\x0ab");
  CHECK(markdown_table("FIRST=1|2", "second", {{"launch", "<b>", "-"}}) ==
        "| | FIRST=1\\|2 | second |\n|---|---|---|\n| launch | \\<b> | - |\n");
}

TEST_CASE("of what only the time is known, no launch is shown") {
  ConfigurationFacts timed, launched;
  timed.time_ns = 1000;
  launched.geometry = {.grid = {4, 1, 1}, .block = {256, 1, 1}};
  const std::vector<FactRow> rows = fact_rows(timed, launched);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].name == "time");
  CHECK(rows[0].second == "-");
  CHECK(rows[1].name == "launch");
  CHECK(rows[1].first == "-");
  CHECK(rows[1].second == "grid=4x1x1 block=256x1x1 shared=0");
  CHECK(fact_rows(timed, timed).size() == 1);
}

}  // namespace tuner::explain
