#include "tests/structure/foreign_names.hpp"

#include <doctest/doctest.h>

using namespace tuner::test;

namespace {

using Names = std::set<std::string>;

// Precompiled headers hide what a file forgets of them. own_names_test.cpp looks for what it forgets of our own.
TEST_CASE("each file of the product includes what declares the names that it has from libraries") {
  auto uses = read_uses(TUNER_SOURCE_DIR, {"search", "cache", "tuner"});
  // Kernels are compiled with these, and they with kernels.
  std::erase_if(uses, [](const auto& use) { return use.first.starts_with("tuner/host/shim/"); });
  CHECK(uses.size() > 900);
  Names headers, names;
  for (const auto& [file, use] : uses) {
    headers.insert(use.headers.begin(), use.headers.end());
    names.insert(use.names.begin(), use.names.end());
  }
  for (const std::string& line : find_missing(uses, known_names(TUNER_BUILT_BY, headers, names))) FAIL_CHECK(line);
}

TEST_CASE("names are read with the namespaces of libraries, and neither in comments nor in texts") {
  CHECK(foreign_names(
            "namespace fs = std::filesystem;\n"
            "std::string name() { return fs::path(\"std::x\").string(); }  // std::y\n"
            "auto now = std::chrono::steady_clock::now(); int code = errno == EINTR ? ::std::abs(1) : kNone;") ==
        Names{"EINTR", "errno", "std::abs", "std::chrono::steady_clock", "std::filesystem", "std::filesystem::path",
              "std::string"});
}

TEST_CASE("a header that is missing is found, though another file includes it") {
  const std::map<std::string, Names> known{
      {"algorithm", {"std::sort"}}, {"cerrno", {"errno"}}, {"string", {"std::string"}}};
  const std::map<std::string, FileUse> uses{
      {"a.hpp", {{}, {"string"}, {"std::string"}}},
      {"a.cpp", {{"a.hpp"}, {"algorithm"}, {"std::sort", "std::string", "OURS"}}},
      {"b.cpp", {{"a.hpp"}, {}, {"std::sort", "std::string", "errno", "std::nothing"}}}};
  CHECK(find_missing(uses, known) ==
        std::vector<std::string>{"b.cpp uses errno, and no header that it includes makes it known",
                                 "b.cpp uses std::nothing, and no header that it includes makes it known",
                                 "b.cpp uses std::sort, and no header that it includes makes it known"});
}

TEST_CASE("the compiler says what a header declares and defines; one that is not there declares nothing") {
  const auto known = known_names(TUNER_BUILT_BY, {"cerrno", "chrono", "no/such/header"},
                                 {"EINTR", "std::chrono", "std::chrono::seconds", "std::sort"});
  CHECK(known.at("cerrno") == Names{"EINTR"});
  CHECK(known.at("chrono").contains("std::chrono::seconds"));
  CHECK(known.at("chrono").contains("std::chrono"));
  CHECK_FALSE(known.at("chrono").contains("std::sort"));
  CHECK(known.at("no/such/header").empty());
}

}  // namespace
