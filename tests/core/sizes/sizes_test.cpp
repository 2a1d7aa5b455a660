#include "tuner/core/sizes/sizes.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "search/strategy/prng.hpp"
#include "tests/core/sizes/asking.hpp"
#include "tests/support/text.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using test::asking;
using test::contains;

std::optional<double> size_distance(const ProblemValues& a, const ProblemValues& b) {
  return std::abs(std::log2(a.at("n").as_real() / b.at("n").as_real()));
}

/// Ten sizes and four configurations, of which two are never worth a thing. A rule may name those in `may_serve`.
KernelSizes learned(const std::vector<std::size_t>& may_serve = {0, 1, 2, 3}) {
  const std::vector<std::string> configurations{"BLOCK=64,LAYOUT=blocked", "BLOCK=1,LAYOUT=blocked",
                                                "BLOCK=256,LAYOUT=strided", "BLOCK=128,LAYOUT=blocked"};
  std::vector<TunedSize> problems;
  std::vector<std::vector<std::optional<double>>> times;
  for (std::int64_t i = 0; i < 10; ++i) {
    const std::int64_t n = std::int64_t{64} << i;
    problems.push_back({{{"n", n}}, 100 + i, 1, {}, 0});
    const auto size = static_cast<double>(n);
    times.push_back({1000 + size, 1e6, 2000 + 0.2 * size, 1400 + 0.9 * size});
  }
  return sizes_of({"scale",
                   "NVIDIA H200|cc=9.0",
                   "cold",
                   configurations,
                   problems,
                   search::LossMatrix(times),
                   0.02,
                   size_distance,
                   {},
                   may_serve});
}

TEST_CASE("a rule names only what may serve any size, and where nothing may there is none") {
  const KernelSizes one = learned({2});
  REQUIRE(one.rule.nodes.size() == 1);
  const auto leaf = one.rule.choose({{"n", 64}});
  REQUIRE(leaf);
  CHECK(one.configurations[leaf->configuration] == "BLOCK=256,LAYOUT=strided");
  const KernelSizes none = learned({});
  CHECK_FALSE(none.rule.choose({{"n", 64}}));
  CHECK(none.portfolio.members == learned().portfolio.members);
  CHECK_FALSE(contains(sizes_text(none, 100), "Rule"));
  CHECK(sizes_json(sizes_from_json(sizes_json(none))) == sizes_json(none));
}

TEST_CASE("sizes name the configurations that are used, and which problem each serves") {
  const KernelSizes sizes = learned();
  CHECK(sizes.configurations.size() == 2);
  CHECK(sizes.portfolio.exact);
  CHECK(sizes.portfolio.worst_loss <= 0.02);
  CHECK(sizes.problems.front().member == 0);
  CHECK(sizes.configurations[*sizes.problems.back().member] == "BLOCK=256,LAYOUT=strided");
  CHECK(sizes.problems.back().decision == 109);
  CHECK(sizes.curve.front().members.size() == 1);
  CHECK(sizes.curve.back().mean_loss == 0);
  CHECK(sizes.configurations[sizes.rule.choose({{"n", 30000}})->configuration] == "BLOCK=256,LAYOUT=strided");
}

TEST_CASE("sizes are read back as they were written") {
  const KernelSizes written = learned();
  const std::string json = sizes_json(written);
  const KernelSizes read = sizes_from_json(json);
  CHECK(sizes_json(read) == json);
  CHECK(contains(json, R"({"format":1,"kernel":"scale")"));
  for (std::int64_t n = 40; n < 60000; n = n * 5 / 4) {
    CHECK(read.rule.choose({{"n", n}})->configuration == written.rule.choose({{"n", n}})->configuration);
  }
}

TEST_CASE("sizes that are damaged, newer or no sizes at all are refused with a sentence") {
  const std::string json = sizes_json(asking({{"m * n", 1000}, {"n % 32", 0}}));
  CHECK(sizes_json(sizes_from_json(json)) == json);
  const auto refused = [&](const std::string& from, const std::string& to, Errc code, std::string_view part) {
    std::string changed = json;
    REQUIRE(contains(changed, from));
    changed.replace(changed.find(from), from.size(), to);
    CAPTURE(changed);
    try {
      sizes_from_json(changed);
      FAIL_CHECK("was read");
    } catch (const Error& error) {
      CHECK(error.code() == code);
      CHECK(contains(error.what(), part));
      CHECK(std::string(error.what()).size() < 400);
    }
  };
  refused(json, "", Errc::store_damaged, "no JSON object");
  refused(json, "[1]", Errc::store_damaged, "no JSON object");
  refused(json, "{}", Errc::store_damaged, "has no \"format\"");
  refused("\"format\":1", "\"format\":2", Errc::store_newer, "has format 2");
  refused("\"format\":1", "\"format\":0", Errc::store_damaged, "never existed");
  refused("\"kernel\":", "\"kernal\":", Errc::store_damaged, "has no \"kernel\"");
  refused("\"configuration\":0", "\"configuration\":99", Errc::store_damaged, "no whole number below 3");
  refused("\"configuration\":0", "\"configuration\":-1", Errc::store_damaged, "no whole number below 3");
  refused("\"yes\":1", "\"yes\":0", Errc::store_damaged, "not a tree");
  refused("\"yes\":1", "\"yes\":2", Errc::store_damaged, "not a tree");
  refused("\"yes\":1", "\"yes\":77", Errc::store_damaged, "not a tree");
  refused("m * n", "m * ", Errc::store_damaged, "m * ");
  refused("\"at_most\":1000.0", "\"at_most\":\"many\"", Errc::store_damaged, "\"at_most\" is no number");
  refused("\"at_most\":1000.0", "\"at_most\":1e999", Errc::store_damaged, "no JSON object");
  refused("\"expected_loss\":0.01", "\"expected_loss\":-3", Errc::store_damaged, "below zero");
  refused("m=1,", "m,", Errc::store_damaged, "NAME=VALUE");
}

TEST_CASE("sizes with random damage are refused, or can be used") {
  const std::string json = sizes_json(asking({{"m * n", 1000}, {"n % 32", 0}}));
  search::Prng prng(4);
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string changed = json;
    for (std::uint64_t i = 0; i <= prng.below(3); ++i) {
      const std::size_t at = prng.below(changed.size());
      if (prng.below(2) == 0) {
        changed[at] = static_cast<char>(prng.below(128));
      } else {
        changed.insert(at, 1, "0123456789-\"{}[],:.e"[prng.below(20)]);
      }
    }
    try {
      const KernelSizes sizes = sizes_from_json(changed);
      (void)sizes.rule.choose({{"TYPE", "float"}, {"m", 5}, {"n", 100}, {"x", 1.0}});
      CHECK_FALSE(sizes_text(sizes, kReportWidth).empty());
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("the text shows the portfolio, the curve and the rule as a tree") {
  const std::string text = sizes_text(learned(), kReportWidth);
  for (const char* part : {"NVIDIA H200|cc=9.0: 2 configurations for 10 problems of `scale`", "within 2 %",
                           "BLOCK=256,LAYOUT=strided", "  if n <= ", "\n  else\n", "    BLOCK=64,LAYOUT=blocked (",
                           "Rule: loses ", "the rule is used", "for n = 32 to 65536"}) {
    CAPTURE(text);
    CHECK(contains(text, part));
  }
}

}  // namespace
}  // namespace tuner
