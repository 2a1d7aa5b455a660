#include "tuner/core/description/directive_words.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/support.hpp"
#include "tuner/core/base/text.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kManualOfDirectives = TUNER_SOURCE_DIR "/docs/directives.md";

std::vector<std::span<const DirectiveWord>> all_words() {
  return {directive_words(),   argument_clauses(),  generator_words(),
          parameter_clauses(), reference_clauses(), problem_kinds()};
}

/// The examples as one description, with `change` behind them.
std::string example_text(std::string_view change = {}) {
  std::string text;
  for (const DirectiveWord& entry : directive_words()) text += "#pragma tuner " + std::string(entry.example) + "\n";
  return text + std::string(change);
}

bool accepts(const std::string& text) {
  return error_of([&] { parse_descriptions(text, "k.cu"); }).starts_with("no error");
}

}  // namespace

TEST_CASE("every directive and clause that is read is in the reference and in the manual") {
  const std::string reference = directive_reference();
  const std::string manual = read_bytes(kManualOfDirectives);
  for (const std::span<const DirectiveWord> words : all_words()) {
    for (const DirectiveWord& entry : words) {
      CAPTURE(entry.word);
      CHECK(reference.find(entry.example) != std::string::npos);
      CHECK(reference.find(entry.meaning.substr(0, 20)) != std::string::npos);
      const bool in_manual = std::any_of(std::begin("`(|; "), std::end("`(|; "), [&](char before) {
        return manual.find(before + std::string(entry.word)) != std::string::npos;
      });
      CHECK(in_manual);
    }
  }
}

TEST_CASE("the reference fits a terminal") {
  const std::string text = directive_reference();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK_MESSAGE(end - at <= kReportWidth, text.substr(at, end - at));
    at = end + 1;
  }
}

TEST_CASE("the reference has the words of the parser, no more and no less") {
  CHECK(words_of(generator_words()) == std::vector<std::string>(kGenerators.begin(), kGenerators.end()));
  CHECK(words_of(problem_kinds()) == std::vector<std::string>(kProblemKinds.begin(), kProblemKinds.end()));
  for (const std::string_view role : kRoles) {
    const std::vector<std::string> words = words_of(directive_words());
    CHECK(std::find(words.begin(), words.end(), role) != words.end());
  }
}

TEST_CASE("the examples of the directives are one description") {
  CHECK(error_of([] { parse_descriptions(example_text(), "k.cu"); }) == error_of([] {}));
}

TEST_CASE("the examples of the clauses are accepted where they belong") {
  const auto with = [](const std::string& directive) { return example_text("#pragma tuner " + directive + "\n"); };
  for (const DirectiveWord& entry : generator_words())
    CHECK_MESSAGE(accepts(with("in(x, float, n, " + std::string(entry.example) + ")")), entry.example);
  for (const DirectiveWord& entry : argument_clauses()) {
    const std::string head = entry.word == "value" ? "scalar(x, float, " : "out(x, float, n, ";
    CHECK_MESSAGE(accepts(with(head + std::string(entry.example) + ")")), entry.example);
  }
  for (const DirectiveWord& entry : parameter_clauses()) {
    const std::string values = entry.word == "text" ? "\"a\", \"b\"" : "64, 128";
    CHECK_MESSAGE(accepts(with("param(X, " + values + std::string(entry.example) + ")")), entry.example);
  }
  for (const DirectiveWord& entry : problem_kinds()) {
    const std::string example(entry.example);
    CHECK_MESSAGE(accepts(with("problem(other_" + example + ")")), example);
  }
  std::string clauses;
  for (const DirectiveWord& entry : reference_clauses()) clauses += " " + std::string(entry.example);
  std::string text = example_text();
  const std::string plain = "reference(plain_scale";
  text.insert(text.find(plain) + plain.size(), ";" + clauses);
  text.replace(text.find("args(values, sums)"), 18, "args(sums, state)");
  CHECK(error_of([&] { parse_descriptions(text, "k.cu"); }) == error_of([] {}));
}
