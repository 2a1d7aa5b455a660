// What was measured once, explained again: the pairs of bench/explain/pairs and the studies of docs/kernels on a GPU.
// h100.facts is a table that `bench_explain_recorded facts` made of the objects that bench/gpu_explain.sh left.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tuner/explain/explanation_json.hpp"
#include "tuner/explain/rules.hpp"

using namespace tuner;
using namespace tuner::explain;

namespace {

const std::string kSource = TUNER_SOURCE_DIR;

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, separator);) fields.push_back(field);
  return fields;
}

using Findings = std::vector<Finding>;

/// By the name of the file without its ending.
std::map<std::string, Findings> explained_again(const std::string& table, const DeviceInfo& device) {
  std::ifstream in(table);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = fields_of(line, '\t');
  std::vector<nlohmann::json> flat(names.size(), nlohmann::json::object());
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = fields_of(line, '\t');
    REQUIRE(fields.size() == names.size());
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (fields[i] != "-") flat[i][fields[0]] = nlohmann::json::parse(fields[i]);
    }
  }
  std::map<std::string, Findings> all;
  for (std::size_t i = 1; i < names.size(); ++i) {
    auto explanation = explanation_from_json(flat[i].unflatten().dump());
    REQUIRE(explanation);
    add_derived(explanation->from, device);
    add_derived(explanation->to, device);
    explain_again(*explanation, device);
    all[names[i]] = explanation->findings;
  }
  return all;
}

const std::map<std::string, Findings>& recorded() {
  static const auto all = explained_again(kSource + "/tests/explain/h100.facts", known_device("H100"));
  return all;
}

bool claims_cause(const Findings& findings, std::string_view cause = {}) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& one) {
    return one.claim == Claim::cause && (cause.empty() || one.cause == cause);
  });
}

/// The sentence of a finding of a study; empty if there is none.
std::string sentence(const std::string& study, std::string_view cause, Claim claim) {
  for (const Finding& finding : recorded().at(study)) {
    if (finding.cause == cause && finding.claim == claim) return finding.sentence;
  }
  return {};
}

}  // namespace

TEST_CASE("of every pair the first finding names its cause, and no cause is claimed where times do not differ") {
  std::ifstream table(kSource + "/bench/explain/pairs/pairs.table");
  int pairs = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::erase(line, ' ');
    const std::vector<std::string> fields = fields_of(line, '|');
    const Findings& findings = recorded().at("pair_" + fields[0]);
    CAPTURE(fields[0]);
    ++pairs;
    if (fields[1] == "same") {
      CHECK_FALSE(claims_cause(findings));
      continue;
    }
    REQUIRE_FALSE(findings.empty());
    CHECK(findings.front().cause == fields[1]);
    CHECK(findings.front().claim == Claim::cause);
    CHECK((fields.size() < 4 || !claims_cause(findings, fields[3])));
    // Nothing that follows from the cause is one beside it.
    CHECK(std::count_if(findings.begin(), findings.end(), [](const auto& one) { return one.claim == Claim::cause; }) ==
          1);
  }
  CHECK(pairs == 20);
}

TEST_CASE("every finding has a name of the list") {
  const std::vector<std::string_view> names = rule_names();
  for (const auto& [pair, findings] : recorded()) {
    CAPTURE(pair);
    for (const Finding& finding : findings) CHECK(std::find(names.begin(), names.end(), finding.cause) != names.end());
  }
}

TEST_CASE("prefetch: warps wait for memory, and more warps keep more under way") {
  CHECK(sentence("prefetch", "bytes_under_way", Claim::cause).starts_with("long-scoreboard stalls fell from 5.25"));
  CHECK(sentence("prefetch", "small_grid", Claim::cause).starts_with("active warps rose from 24.8 to 92.1 %"));
  CHECK_FALSE(claims_cause(recorded().at("prefetch"), "occupancy_registers"));
}

TEST_CASE("wide_loads: from L2 the winner uses registers that were idle; from DRAM bandwidth binds both") {
  CHECK(sentence("wide_loads-l2", "bytes_under_way", Claim::cause).starts_with("long-scoreboard stalls fell"));
  CHECK(sentence("wide_loads-l2", "idle_registers", Claim::consequence) ==
        "registers of a thread rose from 32 to 64: the winner uses registers that the baseline leaves idle, which are "
        "32 a thread");
  CHECK_FALSE(claims_cause(recorded().at("wide_loads")));
  CHECK(sentence("wide_loads", "bandwidth_binds", Claim::consequence) ==
        "DRAM throughput is at 89 and 90 % of the peak: bandwidth binds both");
}

TEST_CASE("access_patterns: records need sectors beyond the ideal; an offset does, and hardly pays for it") {
  CHECK(recorded().at("access-records").front().cause == "uncoalesced_access");
  CHECK(recorded().at("access-records").front().strength > 0.9);
  CHECK(recorded().at("access-offset").front().cause == "block_starts");
  CHECK(sentence("access-offset", "uncoalesced_access", Claim::cause)
            .starts_with("a request of global loads takes 5 sectors in the baseline, where 4 would do"));
}

TEST_CASE("average_matvec: sectors beyond the ideal, and shared memory") {
  CHECK(recorded().at("average_matvec").front().sentence.find("18 sectors in the baseline, where 4 would do") !=
        std::string::npos);
  CHECK(claims_cause(recorded().at("average_matvec"), "shared_wavefronts"));
}

TEST_CASE("accumulate and small_matrix: stores that are repeated go to L2 each time") {
  CHECK(sentence("accumulate", "writes_to_l2", Claim::cause) ==
        "bytes written from L1 to L2 fell from 15.9 GB to 537 MB");
  CHECK(sentence("accumulate", "memory_requests", Claim::consequence)
            .ends_with("the code of the baseline has 31 loads and 30 stores, that of the winner 9 and 3"));
  CHECK(recorded().at("small_matrix").front().cause == "writes_to_l2");
}

TEST_CASE("blur2d: small blocks do not start fast enough; registers of a way not taken leave room for few warps") {
  CHECK(recorded().at("blur2d_shape").front().cause == "block_starts");
  CHECK(recorded().at("blur2d_branch").front().sentence.starts_with("active warps rose from 14.8 to 79.3 %"));
  CHECK(recorded().at("blur2d_branch").front().cause == "occupancy_registers");
}
