// Constructs the large spaces that a folder given by TUNER_SPACES_DIR defines in definitions/*.json, each with
//   {"name": .., "cartesian": .., "valid": .., "parameters": {"NAME": [..]}, "constraints": [".."]}
// and compares the number of valid configurations with the one that is recorded there.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "search/space/space.hpp"
#include "search/strategy/prng.hpp"
#include "tests/support/skip.hpp"

namespace tuner::search {
namespace {

struct Definition {
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::uint64_t valid = 0;
  double cartesian = 0;
};

Definition read(const std::filesystem::path& path) {
  std::ifstream file(path);
  const auto json = nlohmann::ordered_json::parse(file);
  Definition result;
  for (const auto& [name, values] : json.at("parameters").items()) {
    Parameter parameter{name, {}, {}};
    for (const auto& value : values) parameter.values.emplace_back(value.get<std::int64_t>());
    parameter.default_value = parameter.values.front();
    result.parameters.push_back(std::move(parameter));
  }
  for (const auto& text : json.at("constraints")) {
    result.constraints.push_back({Expression::parse(text.get<std::string>()), path.filename().string()});
  }
  result.valid = json.at("valid").get<std::uint64_t>();
  result.cartesian = json.at("cartesian").get<double>();
  return result;
}

std::filesystem::path definitions() {
  return tuner::test::spaces_folder() / "definitions";
}

TEST_CASE("every definition has exactly its recorded number of valid configurations") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(definitions())) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const Definition definition = read(entry.path());
    const auto start = std::chrono::steady_clock::now();
    const Space space(definition.parameters, definition.constraints, {});
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    std::printf("%-20s %10.0f combinations %8llu valid %8.1f ms\n", entry.path().stem().c_str(), space.cartesian_size(),
                static_cast<unsigned long long>(space.size()), elapsed.count());
    CAPTURE(entry.path());
    CHECK(space.size() == definition.valid);
    CHECK(space.cartesian_size() == definition.cartesian);

    // Random members are valid by themselves, random combinations are members if and only if they are.
    Prng prng(1);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t index = prng.below(space.size());
      const Configuration member = space.at(index);
      REQUIRE(space.index_of(member) == index);
      REQUIRE_FALSE(space.why_invalid(member).has_value());
      Configuration any = member;
      for (std::size_t j = 0; j < any.choice.size(); ++j) {
        if (prng.below(4) == 0)
          any.choice[j] = static_cast<std::uint32_t>(prng.below(space.parameters()[j].values.size()));
      }
      REQUIRE(space.contains(any) != space.why_invalid(any).has_value());
    }
  }
  CHECK(count > 0);
}

}  // namespace
}  // namespace tuner::search
