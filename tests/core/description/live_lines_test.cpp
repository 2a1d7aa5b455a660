#include "tuner/core/description/live_lines.hpp"

#include <doctest/doctest.h>

namespace {

/// "a.h:2 b.h:5"
std::string certain(std::string_view source) {
  std::string text;
  for (const tuner::CertainInclude& include : tuner::certain_includes(source)) {
    text += (text.empty() ? "" : " ") + include.name + ":" + std::to_string(include.line);
  }
  return text;
}

}  // namespace

TEST_CASE("an include is certain where every condition around it surely holds") {
  CHECK(certain("#include \"a.h\"\n#if 1\n# include <b.h>\n#endif\n") == "a.h:1 b.h:3");
  CHECK(certain("#ifdef __CUDACC_RTC__\n#include \"a.h\"\n#else\n#include \"b.h\"\n#endif\n#include \"c.h\"") ==
        "a.h:2 c.h:6");
  CHECK(certain("#ifdef A\n#include \"a.h\"\n#elif B\n#include \"b.h\"\n#endif\n") == "");
  CHECK(certain("#if 0\n#include \"a.h\"\n#endif\n") == "");
  CHECK(certain("/*\n#include \"a.h\"\n*/\n// \\\n#include \"b.h\"\n") == "");
  CHECK(certain("#if 1\n#if A\n#include \"a.h\"\n#endif\n#include \"b.h\"\n#endif\n") == "b.h:5");
}

TEST_CASE("what an include guard surrounds is certain") {
  CHECK(certain("// text\n#ifndef A_H\n#define A_H\n#include \"a.h\"\n#endif\n") == "a.h:4");
  CHECK(certain("#define B\n#ifndef A_H\n#define A_H\n#include \"a.h\"\n#endif\n") == "");
  CHECK(certain("#ifndef A_H\n#define B_H\n#include \"a.h\"\n#endif\n") == "");
}

TEST_CASE("unbalanced conditions are read without failing") {
  CHECK(certain("#endif\n#else\n#endif\n#elif\n#include \"a.h\"\n#if\n#") == "");
}
