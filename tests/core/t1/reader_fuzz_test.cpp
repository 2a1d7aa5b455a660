// Whatever is done to a valid T1 file, reading it ends with a description or with an Error.
#include <doctest/doctest.h>

#include "tests/attack/text_damage.hpp"
#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tests/support/length.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/t1/values.hpp"
#include "tuner/core/task/describe.hpp"

using tuner::attack::Chance;
using tuner::test::T1Folder;

namespace {

using Json = nlohmann::ordered_json;

const std::vector<const char*>& fragments() {
  static const std::vector<std::string> texts = tuner::test::between_bars(
      "[ | ] | ( | ) | ** | // | / | ' | \" | \\ | , |  for  |  in  |  if  |  else  | range( | list( | BLOCK | ITEMS | "
      "max( | -1 | 1e9 | 0 | 9223372036854775807 | ProblemSize[0] | ProblemSize[ | # | \n | ; text | /* | */ | x | "
      "))  | True | None | lambda | \x01 | == | not  | : | { | sizeof(float) | n | math.ceil( | \xc3\xa9");
  static const std::vector<const char*> fragments = [] {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return pointers;
  }();
  return fragments;
}

Json strange_value(Chance& chance) {
  const Json values[] = {nullptr,
                         -1,
                         1e308,
                         18446744073709551615U,
                         Json::array(),
                         Json::object(),
                         true,
                         Json::array({1, "a", Json::array()}),
                         std::string(5000, '('),
                         "",
                         0};
  const std::size_t which = chance.below(std::size(values) + 1);
  return which < std::size(values) ? values[which] : Json(chance.one_of(fragments()));
}

/// Replaces, removes or changes one value somewhere in the tree.
void mutate(Json& json, Chance& chance) {
  Json* at = &json;
  while (at->is_structured() && !at->empty() && chance.below(6) != 0) {
    auto next = at->begin();
    std::advance(next, static_cast<std::ptrdiff_t>(chance.below(at->size())));
    at = &*next;
  }
  if (at == &json) return;
  if (at->is_string() && chance.below(3) != 0) {
    *at = tuner::attack::damage_text(chance, at->get<std::string>(), fragments());
  } else {
    *at = strange_value(chance);
  }
}

/// Whether it was understood. What is understood can be printed and read again.
bool survives(const T1Folder& folder, const std::string& text) {
  try {
    const tuner::T1Description described = folder.read_text(text);
    const std::string printed = tuner::to_text(described.kernel);
    CHECK(tuner::to_text(tuner::parse_descriptions(printed, "k.cu").front()) == printed);
    return true;
  } catch (const tuner::Error& error) {
    CHECK(std::string(error.what()).size() > 10);
    return false;
  }
}

}  // namespace

TEST_CASE("a T1 file whose bytes are changed is read or refused") {
  const T1Folder folder;
  const std::string whole = folder.file.dump(1);
  Chance chance(1, "bytes", 0);
  const std::size_t count = tuner::test::length(400, 2000);
  std::size_t understood = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = tuner::attack::damage_text(chance, whole, fragments());
    CAPTURE(text);
    understood += survives(folder, text) ? 1 : 0;
  }
  CHECK(understood > count / 100);
  CHECK(understood < count / 100 * 95);
}

TEST_CASE("a T1 file whose values are changed is read or refused") {
  T1Folder folder;
  folder.file["KernelSpecification"]["ProblemSize"] = {1000, 2};
  folder.file["KernelSpecification"]["GridDivX"] = {"BLOCK", "ITEMS"};
  folder.file["KernelSpecification"]["CompilerOptions"] = {"-std=c++17"};
  folder.file["BenchmarkConfig"] = {{"LIMIT", 5}};
  const Json whole = folder.file;
  Chance chance(2, "values", 0);
  const std::size_t count = tuner::test::length(600, 3000);
  std::size_t understood = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Json changed = whole;
    const std::size_t changes = 1 + chance.below(3);
    for (std::size_t change = 0; change < changes; ++change) mutate(changed, chance);
    const std::string text = changed.dump(-1, ' ', false, Json::error_handler_t::replace);
    CAPTURE(text);
    understood += survives(folder, text) ? 1 : 0;
  }
  CHECK(understood > count / 30);
  CHECK(understood < count / 30 * 29);
}

TEST_CASE("list expressions whose characters are changed are read or refused") {
  const char* const lists[] = {"[1, 2] + list(range(32, 1025, 32))", "[2**i for i in range(6) if i != 3]",
                               "sorted(set([x*y for x in [1, 2] for y in (3, 4)]), reverse=True)", "['a', 'b'] * 2"};
  Chance chance(3, "lists", 0);
  const std::size_t count = tuner::test::length(4000, 20'000);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = tuner::attack::damage_text(chance, chance.one_of(lists), fragments());
    CAPTURE(text);
    try {
      const std::size_t listed = tuner::python_list(text).size();
      CHECK(listed <= 65536);
    } catch (const tuner::Error& error) {
      CHECK(std::string(error.what()).size() > 5);
    }
  }
}
