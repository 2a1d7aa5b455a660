// `tuner sizes`, and the rule as a header.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/stored.hpp"
#include "tuner/core/sizes/sizes.hpp"

using nlohmann::json;
using namespace tuner;
using namespace tuner::test;

namespace {

/// Small sizes like one configuration, large ones another.
KernelSizes sizes_of_kernel(const std::string& kernel, const cache::DecisionKey& key,
                            const std::vector<std::size_t>& may_serve = {0, 1},
                            const std::vector<std::string>& configurations = {"BLOCK=64", "BLOCK=256"}) {
  std::vector<TunedSize> problems;
  std::vector<std::vector<std::optional<double>>> times;
  for (std::int64_t n = 64; n <= 64 << 9; n *= 2) {
    problems.push_back({{{"n", n}}, 1, 1, {}, 0});
    times.push_back({1000.0 + static_cast<double>(n), 4000.0 + 0.1 * static_cast<double>(n)});
  }
  return sizes_of({.kernel = kernel,
                   .device = key.device,
                   .mode = key.mode,
                   .configurations = configurations,
                   .problems = problems,
                   .losses = search::LossMatrix(times),
                   .distance =
                       [](const ProblemValues& a, const ProblemValues& b) {
                         return std::optional(std::abs(std::log2(a.at("n").as_real() / b.at("n").as_real())));
                       },
                   .may_serve = may_serve});
}

struct Sizer : User {
  /// What is known of a kernel, or a text in its place.
  void know(const std::string& kernel, const std::optional<std::string>& text = {}) const {
    const auto store = open_database(*this);
    const cache::Decision decision = decision_on_h200(kernel, "n=64");
    const std::int64_t row = store->record_decision(decision);
    const cache::DecisionText sizes{cache::TextKind::sizes, "",
                                    text.value_or(sizes_json(sizes_of_kernel(kernel, decision.key)))};
    store->record_texts(row, {&sizes, 1});
  }
};

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("where nothing is known over sizes, a sentence says how to get there") {
  const Sizer user;
  check_err(user.run({"sizes"}), 1, {"Nothing is known", "--problem"});
  check_err(user.run({"sizes", "scale"}), 1, {"`scale`"});
  CHECK_FALSE(std::filesystem::exists(user.data()));
  user.know("scale");
  check_err(user.run({"sizes", "scala"}), 1, {"Nothing is known", "Did you mean `scale`?"});
  CHECK(json::parse(user.run({"sizes", "other", "--json"}).out)["sizes"].empty());
}

TEST_CASE("portfolio, curve and rule are shown for each kernel and GPU that they are known of") {
  const Sizer user;
  user.know("scale");
  user.know("sum");
  check_out(user.run({"sizes"}), 0,
            {"`scale`", "`sum`", "H200", "2 configurations", "10 problems", "Rule", "BLOCK=64"});
  const std::string one = user.run({"sizes", "scale"}).out;
  CHECK(one.find("sum") == std::string::npos);
  check_err(user.run({"sizes", "--device", "A100"}), 1, {"Nothing is known"});
  const json all = json::parse(user.run({"sizes", "--json"}).out);
  CHECK(all["format"] == 1);
  REQUIRE(all["sizes"].size() == 2);
  CHECK(all["sizes"][0]["portfolio"]["members"].size() == 2);
  CHECK(all["sizes"][0]["problems"].size() == 10);
}

TEST_CASE("the configuration of a kernel without parameters is named, not left blank") {
  const Sizer user;
  const KernelSizes sizes = sizes_of_kernel("scale", decision_on_h200("scale", "n=64").key, {0, 1}, {"", ""});
  user.know("scale", sizes_json(sizes));
  check_out(user.run({"sizes"}), 0, {"%  (no parameters)\n", "    (no parameters) (0 % expected, 6 problems)"});
}

TEST_CASE("`list` and `show` say what is known over all sizes, or why that cannot be read") {
  const Sizer user;
  user.know("scale");
  check_out(
      user.run({"list"}), 0,
      {"scale on", "2 configurations serve all 10 problems within 2 %, and a rule other sizes", "tuner sizes scale"});
  check_out(user.run({"show", "scale"}), 0, {"sizes ", "2 configurations serve all 10 problems"});
  CHECK(user.run({"list", "--kernel", "sum"}).out.find("serve all") == std::string::npos);
  user.know("scale", "not JSON");
  check_out(user.run({"list"}), 0, {"scale on"});
  check_out(user.run({"show", "scale"}), 0, {"winner"});
}

TEST_CASE("a rule is written as a C++ header, for one kernel on one GPU") {
  const Sizer user;
  const std::string file = (user.home() / "rule.hpp").string();
  check_err(user.run({"export", "--header", file, "--rule"}), 1, {"Nothing is known"});
  user.know("scale");
  check_out(user.run({"export", "--header", file, "--rule", "--namespace", "app"}), 0, {"rule.hpp", "scale"});
  check_has(content(file), {"namespace app::scale", "choose", "int BLOCK;", "{256}"});
  check_err(user.run({"export", "--header", file, "--rule"}), 2, {"rule.hpp"});
  check_out(user.run({"export", "--header", file, "--rule", "--force"}), 0);
  user.know("sum");
  check_err(user.run({"export", "--header", file, "--rule", "--force"}), 2, {"`scale`", "`sum`", "--kernel"});
  check_out(user.run({"export", "--header", file, "--rule", "--force", "--kernel", "sum"}), 0);
  check_err(user.run({"export", "--header", file, "--rule", "--style", "define"}), 2, {"--style"});
  check_err(user.run({"export", "tuned.db", "--rule"}), 2, {"--rule", "--header"});
}

TEST_CASE("what is damaged, newer or hostile is one sentence, or text") {
  const Sizer user;
  user.know("scale", "{\"format\": 1}");
  check_err(user.run({"sizes"}), 5);
  user.know("scale", "{\"format\": 99}");
  check_err(user.run({"sizes"}), 5, {"newer"});
  user.know("scale", "not JSON");
  check_err(user.run({"sizes"}), 5);
  check_err(user.run({"export", "--header", "rule.hpp", "--rule"}), 5);
  CHECK_FALSE(std::filesystem::exists(user.home() / "rule.hpp"));
  const Sizer other;
  other.know("evil\x1b[31m*/");
  const std::string out = other.run({"sizes"}).out;
  CHECK(out.find('\x1b') == std::string::npos);
}

TEST_CASE("where no winner was verified at other sizes, it is said that this is why there is no rule") {
  const Sizer user;
  const std::string file = (user.home() / "rule.hpp").string();
  user.know("scale", sizes_json(sizes_of_kernel("scale", decision_on_h200("scale", "n=64").key, {})));
  check_out(user.run({"sizes", "scale"}), 0, {"2 configurations for 10 problems of `scale`", "no rule", "verified"});
  check_err(user.run({"export", "--header", file, "--rule"}), 1, {"no rule", "verified"});
  CHECK_FALSE(std::filesystem::exists(file));
}
