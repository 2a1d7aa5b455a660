#include "tuner/core/base/words.hpp"

#include <doctest/doctest.h>

TEST_CASE("words are found whole") {
  CHECK(tuner::find_word("int TILE_X = TILE;", "TILE") == 13);
  CHECK(tuner::find_word("TILE + TILE", "TILE", 1) == 7);
  CHECK(tuner::find_word("int TILE_X = 3;", "TILE") == std::string_view::npos);
}

TEST_CASE("a definition is the word behind a whole `define`") {
  CHECK(tuner::defines("#define TILE 16", "TILE"));
  CHECK(tuner::defines("define \tTILE", "TILE"));
  CHECK(!tuner::defines("#define TILE_X TILE", "TILE"));
  CHECK(!tuner::defines("#undef TILE", "TILE"));
  CHECK(!tuner::defines("// redefine TILE", "TILE"));
  CHECK(!tuner::defines("TILE", "TILE"));
}
