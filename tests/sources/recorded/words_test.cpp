#include "tuner/sources/recorded/words.hpp"

#include <doctest/doctest.h>

using namespace tuner::sources;

namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("words of a command are those that a shell passes on, without expansion") {
  CHECK(split_words("nvcc  -c\ta.cu\n", Quoting::shell) == Words{"nvcc", "-c", "a.cu"});
  CHECK(split_words(R"(-D'A="x y"' "b\"c\n" '\' \'d\ e "")", Quoting::shell) ==
        Words{R"(-DA="x y")", R"(b"c\n)", R"(\)", "'d e", ""});
  CHECK(split_words("a\\\nb $HOME `c`", Quoting::shell) == Words{"ab", "$HOME", "`c`"});
  CHECK(split_words("", Quoting::shell) == Words{});
  CHECK_FALSE(split_words("a 'b", Quoting::shell));
  CHECK_FALSE(split_words("a \"b\\\"", Quoting::shell));
}

TEST_CASE("words of a response file are those that its compiler reads") {
  CHECK(split_words(R"(-DA="x y" -DB='q' -DC=a\ b "a\b\"c")", Quoting::nvcc) ==
        Words{"-DA=x y", "-DB='q'", "-DC=a b", "ab\"c"});
  CHECK(split_words(R"('x y' 'it\'s' "a\\b")", Quoting::gnu) == Words{"x y", "it's", R"(a\b)"});
}
