#include "tuner/host/finding.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tuner::host {

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::out_of_bounds_read:
      return "out_of_bounds_read";
    case FindingKind::out_of_bounds_write:
      return "out_of_bounds_write";
    case FindingKind::misaligned_access:
      return "misaligned_access";
    case FindingKind::undefined_behaviour:
      return "undefined_behaviour";
    case FindingKind::unwaited_copy:
      return "unwaited_copy";
    case FindingKind::race:
      return "race";
    case FindingKind::deadlock:
      return "deadlock";
    case FindingKind::uninitialised_read:
      return "uninitialised_read";
    case FindingKind::input_written:
      return "input_written";
    case FindingKind::unwritten_output:
      return "unwritten_output";
    case FindingKind::wrong_result:
      return "wrong_result";
    case FindingKind::order_dependent_result:
      return "order_dependent_result";
    case FindingKind::trap:
      return "trap";
    case FindingKind::crash:
      return "crash";
    case FindingKind::hang:
      return "hang";
  }
  return "";
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

}  // namespace tuner::host
