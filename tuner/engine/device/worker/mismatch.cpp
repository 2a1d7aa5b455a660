#include "tuner/engine/device/worker/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tuner::engine {
namespace {

std::string place(const ArgumentState& state, std::uint64_t element) {
  const auto lanes = static_cast<std::uint64_t>(state.argument.lanes);
  if (lanes <= 1) return fmt::format("'{}'[{}]", state.argument.name, element);
  return fmt::format("'{}'[{}] lane {}", state.argument.name, element / lanes, element % lanes);
}

// What an output is compared with.
std::string truth(const ArgumentState& state) {
  const auto& file = state.argument.expected;
  return file ? file->path.filename().string() : "the reference";
}

std::string tolerance_text(const Mismatch& mismatch) {
  const BoundArgument& argument = mismatch.state->argument;
  const bool is_default = is_real(argument.type) && !argument.chosen_tolerance && !argument.expected;
  const std::string_view rounding = !is_default               ? ""
                                    : mismatch.knows_rounding ? ", or rounding"
                                    : mismatch.state->spread_proves_nothing
                                        ? ", not rounding, within which a kernel that computes nothing would pass"
                                        : ", rounding not measured";
  const std::string text = fmt::format("rtol {:.3g}, atol {:.3g}{}", argument.rtol, argument.atol, rounding);
  return argument.may_differ > 0 ? fmt::format("{}, at most {} beyond", text, argument.may_differ) : text;
}

Verdict same_bits(const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& mismatch : mismatches) {
    const std::vector<std::uint64_t>& bits = mismatch.bits;
    if (std::adjacent_find(bits.begin(), bits.end(), std::not_equal_to<>()) == bits.end()) continue;
    return {
        Outcome::nondeterministic,
        fmt::format("Two runs on the same inputs write different bits to '{}', both within the tolerance ({}), but it "
                    "is declared deterministic; sum in a fixed order, without atomics.",
                    mismatch.state->argument.name, tolerance_text(mismatch))};
  }
  return {};
}

}  // namespace

Verdict judge(const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& mismatch : mismatches) {
    if (mismatch.unwritten == 0) continue;
    return {Outcome::unwritten_output,
            fmt::format("It leaves {} of {} elements of '{}' unwritten that {} {}, the first at {}.",
                        mismatch.unwritten, mismatch.state->elements, mismatch.state->argument.name,
                        truth(*mismatch.state), mismatch.state->argument.expected ? "has" : "writes",
                        place(*mismatch.state, mismatch.first_unwritten))};
  }
  for (const Mismatch& mismatch : mismatches) {
    const std::vector<std::uint64_t>& count = mismatch.count;
    const auto wrong_runs =
        static_cast<std::size_t>(std::count_if(count.begin(), count.end(), [](auto n) { return n > 0; }));
    if (wrong_runs == 0) continue;
    const BoundArgument& argument = mismatch.state->argument;
    const std::string detail = fmt::format("first at {}, found {}, expected {}; the worst is off by {:.3g} ({})",
                                           place(*mismatch.state, mismatch.first), mismatch.found, mismatch.expected,
                                           mismatch.worst, tolerance_text(mismatch));
    // One clause must do.
    const bool is_only = std::all_of(mismatches.begin(), mismatches.end(), [&](const Mismatch& other) {
      return &other == &mismatch || std::all_of(other.count.begin(), other.count.end(), [](auto n) { return n == 0; });
    });
    std::optional<LikeRounding> like_rounding;
    if (mismatch.like_rounding && is_only) like_rounding = {argument.name, atol_for(mismatch.worst)};
    if (wrong_runs == count.size()) {
      return {
          Outcome::wrong_result,
          fmt::format("{} of {} elements of '{}' differ from {}: {}.{}", count[0], mismatch.state->elements,
                      argument.name, truth(*mismatch.state), detail, like_rounding ? " It looks like rounding." : ""),
          std::move(like_rounding)};
    }
    const std::uint64_t most = *std::max_element(count.begin(), count.end());
    const std::string which =
        count.size() > 2 ? fmt::format("wrong in {} of {} runs and correct in the others", wrong_runs, count.size())
        : count[0] == 0  ? "correct in the first of two runs and wrong in the other"
                         : "correct in the second of two runs and wrong in the other";
    return {Outcome::nondeterministic, fmt::format("'{}' is {}, in {} of {} elements: {}.", argument.name, which, most,
                                                   mismatch.state->elements, detail)};
  }
  for (const Mismatch& mismatch : mismatches) {
    if (mismatch.overwritten.count == 0) continue;
    return {Outcome::wrong_result,
            fmt::format("It writes {} of {} elements of '{}' that the reference leaves unwritten, the first at {}, so "
                        "they cannot be checked. If the reference needs another launch, name it: reference(NAME; "
                        "grid(...) block(...)); if these elements do not matter, declare the output `partial`.",
                        mismatch.overwritten.count, mismatch.state->elements, mismatch.state->argument.name,
                        place(*mismatch.state, mismatch.overwritten.first))};
  }
  return same_bits(mismatches);
}

namespace {

// What the reference must reproduce itself.
Verdict judge_expected(const std::vector<Mismatch>& mismatches) {
  std::vector<Mismatch> expected;
  for (const Mismatch& mismatch : mismatches) {
    if (!mismatch.state->argument.expected) continue;
    expected.push_back(mismatch);
    if (mismatch.state->argument.is_partial) expected.back().unwritten = 0;
  }
  return judge(expected);
}

}  // namespace

Verdict judge_reference(const std::vector<Mismatch>& mismatches) {
  if (Verdict verdict = judge_expected(mismatches); !verdict.ok()) return verdict;
  for (const Mismatch& mismatch : mismatches) {
    if (mismatch.state->argument.expected) continue;
    const std::uint64_t differing = *std::max_element(mismatch.count.begin(), mismatch.count.end());
    if (differing == 0) continue;
    return {Outcome::nondeterministic,
            fmt::format("Two runs of the reference disagree in {} of {} elements of '{}' ({}): at {} {} and then {}; "
                        "it may read unwritten memory, have a race, or need a wider tolerance.",
                        differing, mismatch.state->elements, mismatch.state->argument.name, tolerance_text(mismatch),
                        place(*mismatch.state, mismatch.first), mismatch.expected, mismatch.found)};
  }
  return same_bits(mismatches);
}

}  // namespace tuner::engine
