#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"

#include <doctest/doctest.h>

using tuner::kUnwrapped;
using tuner::labelled;
using tuner::Table;
using tuner::unbroken;

TEST_CASE("text is broken at spaces, and what follows stands under its beginning") {
  CHECK(labelled("what ", "one two three four five six", 32) == "what one two three four five six\n");
  CHECK(labelled("what ", "one two three four five six", 31) == "what one two three four five\n     six\n");
  CHECK(labelled("", "seventeen columns or more is what a column takes", 32) ==
        "seventeen columns or more is\nwhat a column takes\n");
}

TEST_CASE("a path that is longer than a line was broken inside: it stands on a line of its own and overflows") {
  const std::string path = "/" + std::string(40, 'p') + "/file.csv";
  CHECK(labelled("  source ", path, 40) == "  source " + path + "\n");
  CHECK(labelled("  source ", "read from " + path + " and not written", 40) ==
        "  source read from\n         " + path + "\n         and not written\n");
}

TEST_CASE("a path with spaces was broken at them: what is marked as unbroken stays whole, and the marks are gone") {
  const std::string path = "/home/a user/with  several,names=in it/x.csv";
  const std::string text = "made in " + unbroken(path) + ", recorded here";
  CHECK(labelled("", text, 40) == "made in\n" + path + ",\nrecorded here\n");
  CHECK(labelled("", text, kUnwrapped) == "made in " + path + ", recorded here\n");
  CHECK(labelled("", text, 100) == "made in " + path + ", recorded here\n");
}

TEST_CASE("a command in backquotes and what stands in quotes is not broken") {
  CHECK(labelled("", "To see them all write `TUNER_DB=x tuner list --db '/a b'`, or ask.", 40) ==
        "To see them all write\n`TUNER_DB=x tuner list --db '/a b'`, or\nask.\n");
  CHECK(labelled("", "only where one is (\"one or two\" == NAME)", 30) ==
        "only where one is\n(\"one or two\" == NAME)\n");
  CHECK(labelled("", "FLAGS=\"-O3 --use_fast_math\" UNROLL=4", 34) == "FLAGS=\"-O3 --use_fast_math\"\nUNROLL=4\n");
}

TEST_CASE("an apostrophe, and a quote that nothing closes, begin no quotation") {
  CHECK(labelled("", "the baseline's time and the winner's time", 32) ==
        "the baseline's time and the\nwinner's time\n");
  CHECK(labelled("", "a ` and a \" and a ' alone do not hold a line together", 32) ==
        "a ` and a \" and a ' alone do not\nhold a line together\n");
}

TEST_CASE("a long configuration is broken between assignments, never inside one") {
  CHECK(labelled("", "BLOCKDIMX=1024,STRATEGY=shared_rolling_async,UNROLL=4", 40) ==
        "BLOCKDIMX=1024,\nSTRATEGY=shared_rolling_async,UNROLL=4\n");
  CHECK(labelled("", "at A=1,B=\"x,y=2\"", 32) == "at A=1,B=\"x,y=2\"\n");
  const std::string value = "TEXT=\"" + std::string(40, 'x') + ",Y=2\"";
  CHECK(labelled("", "A=1," + value + ",B=2", 40) == "A=1,\n" + value + ",\nB=2\n");
  const std::string no_list = std::string(30, 'a') + "," + std::string(30, 'b');
  CHECK(labelled("", no_list, 40) == no_list + "\n");
}

TEST_CASE("where nothing is wrapped, text stays as it is, and its own lines stand below each other") {
  const std::string text(500, 'x');
  CHECK(labelled("  a  ", text + "  " + text, kUnwrapped) == "  a  " + text + "  " + text + "\n");
  CHECK(labelled("  a  ", "one\n\n  two", kUnwrapped) == "  a  one\n       two\n");
  CHECK(labelled(std::string(200, 'l') + " ", "text", kUnwrapped) == std::string(200, 'l') + " text\n");
}

TEST_CASE("a label that leaves no room stands above its text") {
  CHECK(labelled(std::string(90, 'l') + " ", "text that follows", 100) ==
        std::string(90, 'l') + "\n                text that follows\n");
  CHECK(labelled(std::string(9, 'l') + " ", "text that follows", 20) ==
        std::string(9, 'l') + "\n                text that\n                follows\n");
}

TEST_CASE("the last column of a table is wrapped, or not") {
  Table table({{"no.", Table::Align::right}, {"values", Table::Align::left}}, 0);
  table.add({"1", "BLOCKDIMX=1024 MIN_BLOCKS=2 UNROLL=4"});
  table.add({"2", unbroken("a path")});
  CHECK(table.text(kUnwrapped) == "no.  values\n  1  BLOCKDIMX=1024 MIN_BLOCKS=2 UNROLL=4\n  2  a path\n");
  CHECK(table.text(36) == "no.  values\n  1  BLOCKDIMX=1024 MIN_BLOCKS=2\n     UNROLL=4\n  2  a path\n");
}
