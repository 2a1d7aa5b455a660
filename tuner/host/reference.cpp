#include "tuner/host/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/unproven.hpp"
#include "tuner/host/t1_access.hpp"

namespace tuner::host {
namespace {

Expected with_outputs_in_order(Expected expected, const HostProblem& problem) {
  put_in_order({expected.outputs.begin(), expected.outputs.end()}, problem.arguments);
  return expected;
}

Finding unwritten_end(const KernelDescription& description, const NotCompared& left,
                      const std::vector<BoundArgument>& arguments) {
  const std::string where = left.first > 0
                                ? fmt::format("from element {} on, {} of {}", left.first, left.elements, left.of)
                                : fmt::format("of its {} elements", left.of);
  const std::string edit = t1_access_edit(description, left.buffer);
  const std::string way_on = is_partial(left, arguments) ? "give the inputs contents with which it writes something"
                             : edit.empty() && left.first > 0
                                 ? "correct its launch or the length, or declare the output `partial`, or `unordered "
                                   "by NAME` where NAME is an "
                                   "output that counts its elements"
                             : edit.empty() ? "correct its launch or the length, or declare the output `partial`"
                                            : "correct its launch or the Size" + edit;
  return {.kind = FindingKind::unwritten_output,
          .sentence = fmt::format("`{}`: the reference writes nothing {}, so nothing is compared there; {}",
                                  left.buffer, where, way_on)};
}

}  // namespace

std::optional<Expected> expected_on(const HostProblem& problem, const std::vector<const CaseOutcome*>& by_case,
                                    const HostOptions& options) {
  if (options.expected)
    return with_outputs_in_order({options.expected(*problem.task, problem.arguments, problem.contents), {}}, problem);
  const CaseOutcome* reference = problem.reference == HostProblem::kNone ? nullptr : by_case[problem.reference];
  if (reference == nullptr || reference->state != CaseOutcome::State::ended || !reference->has_outputs[0])
    return std::nullopt;
  Expected expected = expected_of(*reference, problem.arguments);
  // What a file holds is right, whatever the reference computes.
  std::size_t output = 0;
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const BoundArgument& argument = problem.arguments[i];
    if (!is_output(argument)) continue;
    const std::size_t number = output++;
    if (!argument.expected) continue;
    expected.outputs[number] = problem.expected[i];
    if (!argument.is_partial) std::fill(expected.unwritten[number].begin(), expected.unwritten[number].end(), 0);
  }
  return with_outputs_in_order(std::move(expected), problem);
}

// Kernels with borders write nothing of the smallest problems: an output is too long, or not written at all, where that
// is so of all of them.
ReferenceGaps unwritten_by_reference(const KernelDescription& description, const Cases& cases,
                                     const std::vector<std::optional<Expected>>& expected) {
  ReferenceGaps found;
  std::set<std::string> noted;  // outputs
  std::size_t problems = 0;
  bool is_compared = false;
  std::map<std::string, std::size_t> empty;  // on how many problems nothing is written of an output
  const auto each = [&](const auto& action) {
    for (std::size_t p = 0; p < expected.size(); ++p) {
      if (!expected[p]) continue;
      for (const NotCompared& left : not_compared(*expected[p], cases.problems[p].arguments)) {
        action(left, cases.problems[p]);
      }
    }
  };
  for (std::size_t p = 0; p < expected.size(); ++p) {
    if (!expected[p]) continue;
    ++problems;
    for (const auto& [argument, elements] : compared(*expected[p], cases.problems[p].arguments))
      is_compared = is_compared || elements > 0;
  }
  each([&](const NotCompared& left, const HostProblem&) { empty[left.buffer] += left.elements == left.of ? 1 : 0; });
  each([&](const NotCompared& left, const HostProblem& problem) {
    const bool may_be_empty = is_partial(left, problem.arguments) && is_compared;
    if (left.is_tail() && !may_be_empty && (left.first > 0 || empty[left.buffer] == problems)) {
      found.gaps.push_back({unwritten_end(description, left, problem.arguments), problem.reference});
    } else if (noted.insert(left.buffer).second) {
      found.notes.push_back(fmt::format("Not compared on {}, because the reference leaves them unwritten: {}.",
                                        problem.text, text_of({left})));
    }
  });
  return found;
}

// Outputs of small problems have one value by accident: nothing is proven where that is so of all of them. One element
// is as easily filled in as found out: it proves something only where there is no more.
ReferenceGaps unproven_by_reference(const Cases& cases, const std::vector<std::optional<Expected>>& expected) {
  ReferenceGaps found;
  std::set<std::string> noted;                                     // outputs with elements that are not numbers
  std::map<std::string, std::pair<Unproven, std::size_t>> passed;  // by output, with the first problem
  std::set<std::string> several, proven, proven_by_one;            // several: of more than one element
  for (std::size_t p = 0; p < expected.size(); ++p) {
    if (!expected[p]) continue;
    const HostProblem& problem = cases.problems[p];
    std::set<std::string> here;
    for (const Unproven& one : unproven(*expected[p], problem.arguments, problem.contents)) {
      if (one.why != Unproven::Why::not_a_number || one.elements == one.of) {
        here.insert(one.buffer);
        passed.try_emplace(one.buffer, one, p);
      } else if (noted.insert(one.buffer).second) {
        found.notes.push_back(
            fmt::format("On {}, {}: a kernel that writes NaN agrees there.", problem.text, text_of({one})));
      }
    }
    for (const auto& [argument, elements] : compared(*expected[p], problem.arguments)) {
      if (elements == 0 || argument->is_trivial) continue;
      const bool is_one = has_one_element(*argument, elements);
      if (!is_one) several.insert(argument->name);
      if (here.count(argument->name) == 0) (is_one ? proven_by_one : proven).insert(argument->name);
    }
  }
  if (several.empty()) proven = std::move(proven_by_one);
  std::erase_if(passed, [&](const auto& entry) { return proven.count(entry.first) > 0; });
  for (const auto& [buffer, at] : passed) {
    const HostProblem& problem = cases.problems[at.second];
    // No tolerance makes NaN differ from NaN.
    const bool is_nan = at.first.why == Unproven::Why::not_a_number;
    const std::string sentence = fmt::format(
        "`{}`: the reference proves nothing, because {}: a kernel that {} agrees; give the inputs other contents, or "
        "{}declare it `trivial`",
        buffer, text_of({at.first}), at.first.why == Unproven::Why::unchanged ? "does nothing" : "only fills it",
        is_nan ? "" : "the output a smaller rtol and atol, or ");
    if (!proven.empty()) {
      // What stays as it was beside a result that is proven, is a counter that the kernel sets back, most often.
      if (at.first.why != Unproven::Why::unchanged) found.notes.push_back(sentence + ".");
    } else if (problem.reference != HostProblem::kNone) {
      found.gaps.push_back({{.kind = FindingKind::unproven_result, .sentence = sentence}, problem.reference});
    }
  }
  return found;
}

}  // namespace tuner::host
