#include "bench/explain/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/explain/rules.hpp"

namespace tuner::bench {
namespace {

constexpr std::size_t kColumns = 100;

using Names = std::vector<std::string_view>;

/// What a finding is about.
const Names& counters_of(std::string_view cause) {
  using namespace counter;
  static const Names kRequests{kGlobalLoadRequests, kGlobalLoadSectors, kGlobalStoreRequests, kGlobalStoreSectors};
  static const Names kWarps{kOccupancy, kWarpsEligible, kIssueActive};
  static const Names kLocal{kLocalLoads, kLocalStores, kL1ToL2Written};
  static const std::map<std::string_view, Names> kByCause{
      {"bank_conflicts", {kSharedLoadConflicts, kSharedStoreConflicts, kSharedWavefronts}},
      {"uncoalesced_access", kRequests},
      {"register_spills", kLocal},
      {"local_indexing", kLocal},
      {"divergence", {kThreadsPerInstruction, kThreadsNotPredicatedOff, kInstructions}},
      {"fp64_literal", {kFp64Pipe, kXuPipe}},
      {"fp64_arithmetic", {kFp64Pipe}},
      {"contended_atomics", {kAtomicRequests, kAtomicResultRequests, kSharedAtomicConflicts, kL2AtomicSectors}},
      {"occupancy_registers", kWarps},
      {"occupancy_shared", kWarps},
      {"occupancy_blocks", kWarps},
      {"small_grid", kWarps},
      {"block_starts", kWarps},
      {"dram_traffic", {kDramRead, kDramWritten}},
      {"writes_to_l2", {kL1ToL2Written, kDramWritten}},
      {"shared_wavefronts", {kSharedWavefronts, kSharedLoadConflicts, kSharedStoreConflicts}},
      {"barriers", {kBarrier, kShortScoreboard}},
      {"instruction_count", {kInstructions, kIssueActive}},
      {"memory_requests", kRequests},
      {"load_width", {kGlobalLoadRequests}},
      {"stalls", {kDrain, kMioThrottle, kShortScoreboard, kMathPipeThrottle}},
  };
  static const Names kNone;
  const auto found = kByCause.find(cause);
  return found == kByCause.end() ? kNone : found->second;
}

/// In the order of all counters: those that findings are about, and where warps wait and DRAM stands in any case. Where
/// nothing explains a time, because it does not differ, what was asked of memory is what the configurations do apart.
Names counters_shown(const explain::Explanation& explanation) {
  std::set<std::string_view> wanted{counter::kLongScoreboard, counter::kLgThrottle, counter::kWarpLatency,
                                    counter::kDramThroughput};
  for (const explain::Finding& finding : explanation.findings) {
    const Names& names = counters_of(finding.cause);
    wanted.insert(names.begin(), names.end());
  }
  if (explanation.findings.empty()) {
    using namespace counter;
    wanted.insert({kGlobalLoadRequests, kGlobalLoadSectors, kL1HitRate, kDramRead, kDramWritten});
  }
  Names shown;
  for (const std::string_view name : counter_names()) {
    if (wanted.contains(name)) shown.push_back(name);
  }
  return shown;
}

std::string item(std::string_view mark, const std::string& text) {
  return labelled(mark, text + (text.ends_with('.') ? "" : "."), kColumns);
}

std::string wrapped_but_for_tables(const std::string& part) {
  std::string text;
  std::istringstream in(part);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '|') {
      text += line + "\n";
      continue;
    }
    for (const std::string& one : wrapped(line, kColumns)) text += one + "\n";
  }
  return text;
}

std::string differing(const std::string& configuration, const std::string& other) {
  std::string text;
  for (const std::string& one : differing_assignments(configuration, other))
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", one);
  return text.empty() ? "nothing else" : text;
}

std::string command(const explain::Explanation& explanation) {
  const std::filesystem::path file(explanation.file);
  std::string text = "tuner explain " + explanation.file;
  if (explanation.to.name != explain::kWinnerName) text += "@" + explanation.to.configuration;
  if (file.stem() != explanation.kernel) text += " --kernel " + explanation.kernel;
  if (!explanation.problem.empty()) text += " --problem " + explanation.problem;
  if (explanation.from.name != explain::kBaselineName) text += " --against " + explanation.from.configuration;
  return text + " --counters";
}

}  // namespace

std::string page_of(const explain::Explanation& explanation, const std::string& conditions) {
  std::string text = fmt::format("    {}\n\n", command(explanation));
  const std::string measured = fmt::format("Measured on {}, {}, and explained by the rules as they are here: {}.",
                                           explanation.device, conditions, verdict_text(explanation));
  for (const std::string& line : wrapped(measured, kColumns)) text += line + "\n";
  text += "\n" + item("- ", fmt::format("{} has {}, {} {}", explanation.from.name,
                                        differing(explanation.from.configuration, explanation.to.configuration),
                                        explanation.to.name,
                                        differing(explanation.to.configuration, explanation.from.configuration)));
  if (explanation.roofline)
    text += item("- ", fmt::format("roofline: {} of what this GPU was measured to reach: {}",
                                   percent(explanation.roofline->share), explanation.roofline->bound_text));
  text += "\n";
  for (const explain::Finding& finding : explanation.findings)
    text += item("1. ", fmt::format("*{}*: {}", explain::claim_name(finding.claim), finding.sentence));
  for (const std::string& part : {path_markdown(explanation), code_markdown(explanation),
                                  counters_markdown(explanation, counters_shown(explanation))}) {
    if (!part.empty()) text += "\n" + wrapped_but_for_tables(part);
  }
  return text;
}

}  // namespace tuner::bench
