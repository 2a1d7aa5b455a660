// The pairs of bench/explain/pairs as far as they can be tried without a GPU: what is claimed of them needs counters.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/explain/rules.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace tuner::explain;

namespace {

const std::filesystem::path kPairs = std::filesystem::path(TUNER_SOURCE_DIR) / "bench/explain/pairs";

struct PairLine {
  std::string file, cause, seen, not_claimed;
};

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::vector<PairLine> pair_lines() {
  std::vector<PairLine> lines;
  std::ifstream table(kPairs / "pairs.table");
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::array<std::string, 4> field;
    for (std::string& one : field) {
      std::getline(fields, one, '|');
      one = without_spaces(one);
    }
    lines.push_back({field[0], field[1], field[2], field[3]});
  }
  return lines;
}

ConfigurationFacts facts_of(const Task& task, int variant, const char* name) {
  static const NvrtcCompiler compiler({});
  const search::Configuration configuration = task.space().at(static_cast<std::uint64_t>(variant));
  const CompileReply reply = compiler.compile(compile_request(task, configuration));
  REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.message);
  ConfigurationFacts facts;
  facts.name = name;
  facts.geometry = task.geometry(configuration);
  facts.resources = reply.facts;
  facts.code = machine_code(reply.cubin.bytes, reply.cubin.kernel);
  add_derived(facts, task.device());
  return facts;
}

}  // namespace

TEST_CASE("each pair compiles, and shows without counters what its facts tell") {
  const std::vector<PairLine> lines = pair_lines();
  CHECK(lines.size() == 20);
  for (const PairLine& line : lines) {
    CAPTURE(line.file);
    const Task task(load_description(kPairs / (line.file + ".cu")), {}, known_device("H200"));
    REQUIRE(task.space().size() == 2);
    ConfigurationFacts slower = facts_of(task, 0, "the baseline"), faster = facts_of(task, 1, "the winner");
    slower.time_ns = 2000;
    faster.time_ns = 1000;
    const std::vector<Finding> findings = explain_difference(slower, faster, task.device());
    const auto tells = [&](const Finding& one) { return one.claim == Claim::observation && one.cause == line.seen; };
    CHECK((line.seen == "-" || std::any_of(findings.begin(), findings.end(), tells)));
    CHECK(std::none_of(findings.begin(), findings.end(), [](const auto& one) { return one.claim == Claim::cause; }));
    CHECK(findings.back().cause == "unexplained");
  }
}

TEST_CASE("every pair is in the table, and every cause of it is one that a rule can name") {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(kPairs)) {
    if (entry.path().extension() == ".cu") files.insert(entry.path().stem().string());
  }
  const std::vector<std::string_view> names = rule_names();
  for (const PairLine& line : pair_lines()) {
    CAPTURE(line.file);
    CHECK(files.erase(line.file) == 1);
    for (const std::string& cause : {line.cause, line.seen, line.not_claimed}) {
      const bool is_word = cause.empty() || cause == "-" || cause == "same";
      CHECK((is_word || std::find(names.begin(), names.end(), cause) != names.end()));
    }
  }
  CHECK(files.empty());
}
