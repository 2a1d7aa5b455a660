#include "tuner/host/finding.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tuner::host {

std::string_view to_string(FindingKind kind) {
  constexpr std::array<std::string_view, 16> kNames{"out_of_bounds_read",
                                                    "out_of_bounds_write",
                                                    "misaligned_access",
                                                    "undefined_behaviour",
                                                    "unwaited_copy",
                                                    "race",
                                                    "deadlock",
                                                    "uninitialised_read",
                                                    "input_written",
                                                    "unwritten_output",
                                                    "unproven_result",
                                                    "wrong_result",
                                                    "order_dependent_result",
                                                    "trap",
                                                    "crash",
                                                    "hang"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string SourceSpot::text() const {
  if (file.empty() && line == 0) return "";
  return line == 0 ? file : file + ":" + std::to_string(line);
}

namespace {

/// Without a place the sentence begins with the buffer's name.
std::string subject(const Finding& finding) {
  return finding.place.line != 0 ? "" : finding.sentence.substr(0, finding.sentence.find(':'));
}

bool is_same(const Finding& a, const Finding& b) {
  if (a.kind != b.kind || subject(a) != subject(b)) return false;
  // Which of two accesses came first depends on the order of threads.
  return (a.place == b.place && a.other == b.other) ||
         (a.kind == FindingKind::race && a.place == b.other && a.other == b.place);
}

}  // namespace

std::vector<Finding> grouped(std::vector<Finding> seen) {
  struct Group {
    Finding first;
    std::set<std::string> configurations;
    std::set<std::pair<std::string, std::string>> cases;
  };
  std::vector<Group> groups;
  for (Finding& finding : seen) {
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return is_same(other.first, finding); });
    if (group == groups.end()) group = groups.insert(group, {finding, {}, {}});
    group->configurations.insert(finding.configuration);
    group->cases.insert({finding.configuration, finding.problem});
  }
  std::vector<Finding> result;
  for (Group& group : groups) {
    group.first.configurations = group.configurations.size();
    group.first.cases = group.cases.size();
    result.push_back(std::move(group.first));
  }
  return result;
}

void drop_consequences(std::vector<Finding>& findings) {
  const auto explained = [&](const Finding& finding) {
    const bool is_result =
        finding.kind == FindingKind::wrong_result || finding.kind == FindingKind::order_dependent_result ||
        finding.kind == FindingKind::unproven_result || finding.kind == FindingKind::unwritten_output;
    const bool can_have_place =
        finding.kind == FindingKind::uninitialised_read || finding.kind == FindingKind::input_written;
    // What nobody has written yet is read where the one who writes it is not waited for.
    if (finding.kind == FindingKind::uninitialised_read && finding.place.line != 0) {
      return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
        return other.kind == FindingKind::race && other.configuration == finding.configuration &&
               (other.place == finding.place || other.other == finding.place);
      });
    }
    if (finding.place.line != 0 || (!is_result && !can_have_place)) return false;
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      if (other.place.line == 0 || other.configuration != finding.configuration) return false;
      if (is_result)
        return other.kind == FindingKind::race || other.kind == FindingKind::uninitialised_read ||
               other.kind == FindingKind::unwaited_copy;
      return other.kind == finding.kind && other.problem == finding.problem;
    });
  };
  std::vector<Finding> kept;
  for (const Finding& finding : findings) {
    if (!explained(finding)) kept.push_back(finding);
  }
  findings = std::move(kept);
}

}  // namespace tuner::host
