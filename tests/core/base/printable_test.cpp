#include "tuner/core/base/printable.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/text.hpp"

using tuner::comment_line;
using tuner::one_line;
using tuner::printable;
using tuner::printable_json;

TEST_CASE("what steers a terminal or hides from a reader is shown as its bytes") {
  CHECK(printable("a\x1b[31m\r\x7f") == "a\\x1b[31m\\x0d\\x7f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");           // C1
  CHECK(printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
  CHECK(printable("\xe2\x81\xa6") == "\\xe2\\x81\\xa6");  // an isolate
  CHECK(printable("\xd8\x9c") == "\\xd8\\x9c");           // Arabic letter mark
  CHECK(printable("\xe2\x80\xa8\xe2\x80\xa9") == "\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
  CHECK(printable("\xef\xbb\xbf") == "\\xef\\xbb\\xbf");
  // What fonts show as nothing: fillers, a vowel of Khmer, a joiner, a beam of music, a variant of no character.
  for (const std::string hidden : {"\xe3\x85\xa4", "\xe1\x85\x9f", "\xe1\x9e\xb4", "\xcd\x8f", "\xf0\x9d\x85\xb3",
                                   "\xef\xb8\x8f", "\xef\xbe\xa0"}) {
    CHECK(printable("pre" + hidden + "fetch").size() == 8 + 4 * hidden.size());
  }
  CHECK(printable("one\n\ttwo") == "one\n\ttwo");
  CHECK(printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST_CASE("a joined emoji and words of Persian and Hindi keep their letters, and a joiner elsewhere is shown") {
  for (const std::string name : {"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb.cu",       // woman, laptop
                                 "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5",  // heart on fire
                                 "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xd9\x88\xd8\xa7\xd9\x87\xd9\x85",  // Persian
                                 "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7"}) {                   // Hindi
    CHECK(printable(name) == name);
    CHECK(one_line(name) == name);
  }
  CHECK(printable("ev\xe2\x80\x8dil") == "ev\\xe2\\x80\\x8dil");
  CHECK(printable("\xe2\x80\x8c") == "\\xe2\\x80\\x8c");
  const std::string meem = "\xd9\x85";
  CHECK(printable(meem + "\xe2\x80\x8d") == meem + "\\xe2\\x80\\x8d");
  CHECK(printable(meem + "\xe2\x80\x8d\xe2\x80\x8d" + meem) == meem + "\\xe2\\x80\\x8d\\xe2\\x80\\x8d" + meem);
  CHECK(printable(meem + "\xe2\x80\x8c\xc2\xa0") == meem + "\\xe2\\x80\\x8c\xc2\xa0");  // a blank
}

TEST_CASE("what is not UTF-8 is shown as its bytes") {
  for (const std::string text : {"\xff", "\xc3", "\xc0\x8a", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80"}) {
    const std::string shown = printable("a" + text);
    CAPTURE(shown);
    CHECK(shown.size() == 1 + 4 * text.size());
    CHECK(printable(shown) == shown);
  }
}

TEST_CASE("a name stays in its line, and a long one is cut") {
  CHECK(one_line("a\nb\tc") == "a\\x0ab\\x09c");
  CHECK(one_line(std::string(10, 'x'), 4) == "xxxx... (10 bytes)");
  CHECK(one_line("\xe2\x82\xac\xe2\x82\xac", 4) == "\xe2\x82\xac... (6 bytes)");
  CHECK(one_line(std::string(std::size_t{1} << 24U, '\n')).size() < 20000);
}

TEST_CASE("JSON with such characters stays the same JSON") {
  CHECK(printable_json("{\n  \"a\": \"\xc2\x9b\xe2\x80\xae\x7f\xf3\xa0\x80\x81\"\n}") ==
        "{\n  \"a\": \"\\u009b\\u202e\\u007f\\udb40\\udc01\"\n}");
}

TEST_CASE("a comment does not go on in the next line") {
  CHECK(comment_line("", "a\nb") == "// a\\x0ab\n");
  CHECK(comment_line("  ", "a\\") == "  // a\\.\n");
  CHECK(comment_line("", "a\\  ") == "// a\\  .\n");
  CHECK(comment_line("", "a?\?/") == "// a?\?/.\n");
}

TEST_CASE("a cell of a table carries no line end, also one that looks marked") {
  tuner::Table table({{"name"}, {"last"}}, 0);
  table.add({"a\n1  forged",
             "\x02"
             "b\n2  forged\x03"});
  const std::string text = table.text(tuner::kUnwrapped);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
}

TEST_CASE("a complaint quotes at most 200 bytes of a line of a megabyte") {
  const std::string line(1'000'000, 'x');
  CHECK(tuner::search::with_short_quotations("no `" + line + "` here") == "no `" + std::string(200, 'x') + "...` here");
  CHECK(tuner::search::with_short_quotations(line + ": choose another").size() < 500);
  CHECK(tuner::search::with_short_quotations(line + ": choose another").ends_with(": choose another"));
  std::string ticks;
  for (int i = 0; i < 100000; ++i) ticks += "a`";
  CHECK(tuner::search::with_short_quotations(ticks).size() < 500);
  CHECK(tuner::search::with_short_quotations("`short` is kept") == "`short` is kept");
}
