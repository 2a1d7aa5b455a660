#include "tests/structure/own_names.hpp"

#include <doctest/doctest.h>

using namespace tuner::test;

namespace {

// Where the files of a room are compiled as one, the build does not find this.
TEST_CASE("each file of the product includes what declares the names that it has from other files of ours") {
  auto files = read_own_names(TUNER_SOURCE_DIR, {"search", "cache", "tuner"});
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("tuner/host/shim/"); });
  CHECK(files.size() > 900);
  for (const std::string& line : find_missing(files)) FAIL_CHECK(line);
}

TEST_CASE("names are told apart by how a file has them: declared, used, or of an object or a library") {
  const OwnNames names = own_names(
      "#define OUR_LIMIT 3\n"
      "namespace a { struct Item { Kind kind; int in_it(); }; constexpr int kMost = 7; int size_of(const Item&); }\n"
      "template <class... Rest> int a::size_of(const Item& item) {\n"
      "  const auto read_part = [] {};\n"
      "  return grow_by(item.in_it(), read_part(), std::to_string(kLeast), b::shrink_by(1)) + Other::value;  // "
      "Comment\n"
      "}\n");
  CHECK(names.declared == std::set<std::string>{"Item", "OUR_LIMIT", "kMost", "size_of"});
  CHECK(names.used == std::set<std::string>{"Kind", "Other", "grow_by", "kLeast", "shrink_by"});
}

TEST_CASE("a header of ours that is missing is found, though another file includes it") {
  std::map<std::string, OwnNames> files{{"a.hpp", own_names("struct Item {}; int size_of(Item);")},
                                        {"b.hpp", own_names("struct Pair { Item first; };")},
                                        {"b.cpp", own_names("Pair pair; int size = size_of(pair.first);")}};
  files["b.hpp"].files = {"a.hpp"};
  files["b.cpp"].files = {"b.hpp"};
  CHECK(find_missing(files).empty());
  files["b.hpp"].files.clear();
  CHECK(find_missing(files) == std::vector<std::string>{"b.cpp uses size_of of a.hpp, which it does not include",
                                                        "b.hpp uses Item of a.hpp, which it does not include"});
}

}  // namespace
