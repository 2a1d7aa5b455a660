// How exactly the reference computes, and what is rounding because of that.
#include <utility>
#include <vector>

#include "tuner/engine/device/worker/runner.hpp"
#include "tuner/engine/device/worker/spread.hpp"

namespace tuner::engine {

namespace {

// Of what is expected from a file nothing is known but the file, and what may stand anywhere has no place of its own.
bool has_spread(const BoundArgument& argument) {
  return is_output(argument) && is_real(argument.type) && !argument.expected && !argument.is_unordered;
}

}  // namespace

bool Runner::is_kept() {
  for (const ArgumentState& state : buffers_.arguments()) {
    for (const auto& [memory, bytes] : state.kept()) support_.checksum(memory, bytes);
    std::uint64_t sum = 0;
    for (const Finding& finding : support_.findings()) sum += finding.sum;
    if (sum != state.kept_sum) return false;
  }
  return true;
}

// Behind fences alone: an index that is rounded may lead anywhere. If a candidate has damaged what is kept, inspect()
// has to say so.
// The reference itself must be the same twice within its tolerance: what it differs by may be a race, which the rounded
// runs would have, too.
void Runner::measure_spread() {
  if (asked_for_spread_ || !may_measure_rounding_ || !buffers_.fenced() || !is_kept()) return;
  asked_for_spread_ = true;
  measures_rounding_ = true;  // and stays so where this ends the worker
  std::vector<ArgumentState*> outputs;
  for (ArgumentState& state : buffers_.arguments()) {
    if (has_spread(state.argument)) outputs.push_back(&state);
  }
  std::vector<DeviceMemory> spreads;
  try {
    spreads = run_rounded(outputs);
  } catch (const CallFailed& failure) {
    if (is_sticky(failure.result())) throw;
  }
  if (!is_kept()) {
    damaged_ = true;
    return;
  }
  measures_rounding_ = false;
  for (std::size_t i = 0; i < spreads.size(); ++i) outputs[i]->spread = std::move(spreads[i]);
  if (spreads.empty()) return;
  drop_spreads_that_prove_nothing(outputs);
  sum_kept();
}

// A spread for each of these outputs; none if it does not run.
std::vector<DeviceMemory> Runner::run_rounded(const std::vector<ArgumentState*>& outputs) {
  constexpr Layout kLayout = Layout::at_end;
  std::vector<DeviceMemory> spreads;
  for (int number = 0; number < kRoundedRuns; ++number) {
    const std::uint32_t seed = 0x9E3779B9u * (static_cast<std::uint32_t>(number) + 1);
    const LoadedKernel* kernel = rounded_.prepare(seed, buffers_.arguments(), device_, stream_);
    if (kernel == nullptr) return {};
    if (number == 0) {
      if (!buffers_.resize_scratch(kernel->scratch_lengths).ok()) return {};
      for (const ArgumentState* state : outputs) {
        spreads.push_back(allocate(std::max<std::uint64_t>(state->spread_bytes(), 8)));
        stream_.set_bytes(spreads.back().get(), 0, state->spread_bytes());
      }
    }
    if (!launch(*kernel, kPoison[0], kLayout).ok()) return {};
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const ArgumentState& state = *outputs[i];
      support_.widen_spread(state.place(kLayout).data(), state.reference.get(), state.elements, state.argument,
                            state.unwritten_by_reference.get(), spreads[i].get());
    }
  }
  struct Asked {
    std::size_t moved, zeros, whole;
  };
  std::vector<Asked> asked;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const CUdeviceptr spread = spreads[i].get(), reference = outputs[i]->reference.get();
    const BoundArgument& argument = outputs[i]->argument;
    const std::uint64_t elements = outputs[i]->elements;
    asked.push_back({support_.drop_spread(spread, reference, elements, argument),
                     support_.count_kind(spread, reference, elements, argument, DeviceSupport::Kind::zero),
                     support_.count_kind(spread, reference, elements, argument, DeviceSupport::Kind::whole)});
  }
  const std::vector<Finding> found = support_.findings();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ArgumentState& state = *outputs[i];
    const std::uint64_t all = state.compared(), still = all - found[asked[i].moved].count;
    const Finding &zeros = found[asked[i].zeros], &whole = found[asked[i].whole];
    support_.level_spread(spreads[i].get(), state.reference.get(), state.elements, state.argument,
                          found[asked[i].moved].count != 0, zero_is_exact(all, still, zeros.sum, zeros.count),
                          whole_is_exact(all, still, whole.sum, whole.count));
  }
  return spreads;
}

// Whether it may turn out to be rounding, once how exactly the reference computes is known.
bool Runner::may_be_rounding(const Mismatch& mismatch) const {
  return !asked_for_spread_ && may_measure_rounding_ && has_spread(mismatch.state->argument);
}

// For want of memory the difference stays one.
void Runner::keep(CUdeviceptr data, const Mismatch& mismatch) {
  try {
    DeviceMemory copy = allocate(mismatch.state->element_bytes());
    stream_.copy(copy.get(), data, mismatch.state->element_bytes());
    kept_.emplace(std::pair(mismatch.state, mismatch.count.size() - 1), std::move(copy));
  } catch (const CallFailed& failure) {
    if (is_sticky(failure.result())) throw;
  }
}

// What its runs wrote is compared anew. To run again would judge other launches: the first may be wrong alone.
void Runner::judge_again(Mismatch& mismatch) {
  const ArgumentState& state = *mismatch.state;
  const std::vector<std::uint64_t> before = std::exchange(mismatch.count, {});
  mismatch.knows_rounding = static_cast<bool>(state.spread);
  mismatch.like_rounding = true;
  mismatch.worst = 0;
  mismatch.found.clear();
  for (std::size_t run = 0; run < before.size(); ++run) {
    const auto kept = kept_.find({&state, run});
    if (kept == kept_.end()) {
      mismatch.count.push_back(before[run]);
      mismatch.like_rounding = mismatch.like_rounding && before[run] == 0;
      continue;
    }
    support_.compare(kept->second.get(), state.reference.get(), state.elements, state.argument,
                     state.unwritten_by_reference.get(), state.spread.get());
    note_difference(support_.findings().front(), kept->second.get(), mismatch);
  }
}

Verdict Runner::run_and_judge(const LoadedKernel& kernel) {
  std::vector<Mismatch> mismatches;
  kept_.clear();
  if (Verdict verdict = run_all(kernel, false, mismatches); !verdict.ok()) return verdict;
  if (!kept_.empty()) {
    measure_spread();
    // The reference has other lengths, and the candidate is timed next.
    if (asked_for_spread_) {
      if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
    }
    for (Mismatch& mismatch : mismatches) {
      if (mismatch.state->spread) judge_again(mismatch);
    }
  }
  kept_.clear();
  return judge(mismatches);
}

}  // namespace tuner::engine
