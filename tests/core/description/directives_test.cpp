#include "tuner/core/description/directives.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

std::string words(std::string_view text) {
  const DirectiveFile file("k.cu", text);
  std::string result;
  for (const Directive& directive : file.directives()) {
    result += std::string(directive.word.text());
    if (directive.arguments) result += "(" + directive.arguments->string() + ")";
    result += ";";
  }
  return result;
}

std::string blanked(std::string_view text) {
  return DirectiveFile("k.cu", text).blanked();
}

}  // namespace

TEST_CASE("several directives may stand on one line, with comments after and between them") {
  CHECK(words("#pragma tuner kernel(a) deterministic // kernel(b)\n") == "kernel(a);deterministic;");
  CHECK(words("  #  pragma  tuner grid( a , b )/* c */block (x)") == "grid(a , b);block(x);");
}

TEST_CASE("a backslash continues a directive in the next line, also with blanks or a carriage return behind it") {
  CHECK(words("#pragma tuner param(A, 1, \\\n  2)\n") == "param(A, 1,    2);");
  CHECK(words("#pragma tuner param(A, 1, \\  \n  2)\n") == "param(A, 1,    2);");
  CHECK(words("#pragma tuner param(A, 1, \\\r\n  2)\r\n") == "param(A, 1,    2);");
}

TEST_CASE("two slashes divide between parentheses and begin a comment elsewhere") {
  CHECK(words("#pragma tuner constraint(A // 32 > 1) // why\n") == "constraint(A // 32 > 1);");
}

TEST_CASE("parentheses and commas in quotes do not count") {
  const DirectiveFile file("k.cu", "#pragma tuner options(\"a)\", ')', (b, c), [d, e])");
  const std::vector<Span> parts = file.directives().at(0).arguments->split(',');
  REQUIRE(parts.size() == 4);
  CHECK(parts[0].text() == "\"a)\"");
  CHECK(parts[2].text() == "(b, c)");
  CHECK(parts[3].text() == "[d, e]");
}

TEST_CASE("what looks like a directive in a comment or a string is none") {
  CHECK(words("/*\n#pragma tuner kernel(a)\n*/\n// \\\n#pragma tuner kernel(b)\n") == "");
  CHECK(words("const char* s = \"\\\n#pragma tuner kernel(a)\";\n") == "");
  CHECK(words("auto s = R\"x(\n#pragma tuner kernel(a)\n)\" )x\";\n#pragma tuner kernel(b)") == "kernel(b);");
  CHECK(words("int i = 1; \\\n#pragma tuner kernel(a)\n") == "");
  CHECK(words("foo #pragma tuner kernel(a)\n") == "");
  CHECK(words("#define X \"/*\"\n#pragma tuner kernel(a)\n") == "kernel(a);");
  CHECK(words("int n = 1'000'000; char c = '\"';\n#pragma tuner kernel(a)\n") == "kernel(a);");
  CHECK(words("#error don't /* 'stop'\n*/\n#pragma tuner kernel(a)\n") == "kernel(a);");
  CHECK(words("/* */ #pragma tuner kernel(a)\n") == "kernel(a);");
}

TEST_CASE("blanking keeps the number of lines and every line that holds no directive") {
  const std::string text =
      "// top\n#pragma tuner kernel(a) \\\n   grid(1)\nint x;  #pragma unroll\n  #pragma tuner block(1)\n#pragma "
      "unroll 4\nend";
  CHECK(blanked(text) == "// top\n\n\nint x;  #pragma unroll\n\n#pragma unroll 4\nend");
}

TEST_CASE("blanking keeps line ends of both kinds and what closes a comment before a directive") {
  CHECK(blanked("a\r\n#pragma tuner kernel(a) \\\r\n  grid(1)\r\nb\r\n") == "a\r\n\r\n\r\nb\r\n");
  CHECK(blanked("/*\n*/ #pragma tuner kernel(a)\nb") == "/*\n*/\nb");
}

TEST_CASE("the source without directive lines does not depend on how many lines they take") {
  const std::string one = without_directives("a\n#pragma tuner param(A, 1, 2)\nb\n");
  CHECK(one == "a\nb\n");
  CHECK(without_directives("a\r\n  #pragma tuner param(A, \\\r\n 1, 2)\r\nb\r\n") == "a\r\nb\r\n");
  CHECK(without_directives("/* x\n*/ #pragma tuner param(A)\nb") == "/* x\n*/\nb");
}

TEST_CASE("a directive line that is no list of directives is refused with place, text and caret") {
  CHECK(error_of([] { DirectiveFile("k.cu", "\n\t#pragma tuner grid(1) 7(2)\n"); }) ==
        "k.cu:2:24: `7` is not the name of a directive\n  \t#pragma tuner grid(1) 7(2)\n  \t                      ^");
  const auto complaint_of = [](std::string_view text) { return first_line_of([&] { DirectiveFile("k.cu", text); }); };
  CHECK(complaint_of("#pragma tuner") ==
        "k.cu:1:1: `#pragma tuner` without a directive; write kernel(NAME), for example");
  CHECK(complaint_of("#pragma tuner , grid(1)") == "k.cu:1:15: found `,`, expected a directive such as param(...)");
  CHECK(complaint_of("#pragma tuner grid((1)") ==
        "k.cu:1:19: the `(` of grid is not closed; end a line with a backslash to continue on the next one");
  CHECK(complaint_of("#pragma tuner grid([1))") == "k.cu:1:22: found `)`, expected `]`");
  CHECK(complaint_of("#pragma tuner options(\"-a)") == "k.cu:1:23: this quote is not closed on its line");
  CHECK(complaint_of("#pragma tuner grid(1) /* a\n */") ==
        "k.cu:1:23: a comment that begins on a directive line must end on the same line");
}
