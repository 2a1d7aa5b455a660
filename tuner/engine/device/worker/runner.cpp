#include "tuner/engine/device/worker/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/core/support/element_text.hpp"
#include "tuner/core/support/free_orders.hpp"

namespace tuner::engine {

// One launch of several that are compared.
struct Runner::Run {
  int number = 0;
  bool as_reference = false;
  Layout layout = Layout::plain;
  unsigned char poison = 0;
};

// What is asked about one output after a run, by the numbers of the findings.
struct Runner::AskedOutput {
  ArgumentState* state;
  std::optional<std::size_t> unwritten = std::nullopt, overwritten = std::nullopt, compared = std::nullopt;
  std::vector<std::size_t> bits = {};
};

struct Runner::AskedGuard {
  const ArgumentState* state;
  std::size_t number;  // of the finding
};

Layout Runner::layout_of(int run) const {
  if (!buffers_.fenced() || where_timed_) return Layout::plain;
  return run % 2 == 0 ? Layout::at_end : Layout::at_start;
}

Verdict Runner::launch(const LoadedKernel& kernel, unsigned char poison, Layout layout) {
  buffers_.poison(poison, layout);
  fill_constants(kernel, buffers_.arguments(), stream_);  // the inputs may be others than when it was loaded
  running_ = layout;
  Verdict verdict = launch_kernel(kernel, buffers_.arguments(), buffers_.addresses(layout), device_, stream_);
  if (verdict.ok()) {
    ++launches_;
    stream_.wait(launch_timeout_ + std::chrono::milliseconds(100));  // the poisoning before it may take a while too
  }
  running_.reset();
  return verdict;
}

Verdict Runner::diagnose(const LoadedKernel& kernel, bool with_kept) {
  if (!buffers_.fenced()) return {};
  if (Verdict verdict = launch(kernel, kPoison[0], Layout::plain); !verdict.ok()) return verdict;
  if (Verdict verdict = inspect_surroundings(with_kept); !verdict.ok()) return verdict;
  runs_without_fences_ = true;
  return {};
}

bool Runner::met_fence(CUresult fault) const {
  return fault == CUDA_ERROR_ILLEGAL_ADDRESS && fails_by_layout();
}

bool Runner::met_alignment(CUresult fault) const {
  return fault == CUDA_ERROR_MISALIGNED_ADDRESS && fails_by_layout();
}

/// Whether the launch that has just failed would not have in the plain layout.
bool Runner::fails_by_layout() const {
  return running_ && *running_ != Layout::plain && runs_without_fences_;
}

std::string Runner::fault_text(CUresult fault) const {
  const std::string error = error_text(fault);
  if (met_fence(fault)) {
    return fmt::format(
        "It reads {} of one of its buffers, or writes an input's own content back to it: without fences it completes "
        "and changes nothing outside its outputs, with fences it ended the GPU's context: {}.",
        *running_ == Layout::at_end ? "past the end" : "before the start", error);
  }
  if (met_alignment(fault)) {
    return fmt::format(
        "It needs a buffer with a larger alignment than the declared one, which is 16 bytes by default; declare it "
        "with `align N`: {}.",
        error);
  }
  return fmt::format("It ended the GPU's context: {}.", error);
}

// The guards of the plain layout are looked at once, by inspect(); fenced inputs cannot be written to.
void Runner::ask_about_guards(const Run& run, std::vector<AskedGuard>& asked) {
  if (run.layout == Layout::plain) return;
  for (const ArgumentState& state : buffers_.arguments()) {
    if (!state.buffer || state.argument.role == Argument::Role::in) continue;
    const Placement place = state.place(run.layout);
    for (const auto& [begin, end] :
         {std::pair(place.guard_begin, place.begin), std::pair(place.end, place.guard_end)}) {
      if (begin == end) continue;
      asked.push_back({&state, support_.check_planted(place.memory, begin, end, state.guard_seed)});
    }
  }
}

Runner::AskedOutput Runner::ask_whether_written(ArgumentState& state, const Run& run) {
  AskedOutput asked{&state};
  if (state.argument.role != Argument::Role::out) return asked;
  const CUdeviceptr excluded = state.unwritten_by_reference.get();
  const bool notes_unwritten = run.as_reference && (!state.argument.expected || state.argument.is_partial);
  // A candidate need not write what is behind the count; of the reference it is said how much it writes there.
  const bool is_counted = state.argument.counted_by && !notes_unwritten && (!run.as_reference || run.number > 0);
  asked.unwritten = support_.find_unwritten(
      state.place(run.layout).data(), is_counted ? state.counted : state.elements, state.argument.type, run.poison,
      run.number > 0, notes_unwritten ? excluded : state.unwritten.get(), notes_unwritten ? 0 : excluded);
  const bool is_last = run.number + 1 == runs();
  if (!run.as_reference && is_last && state.left_unwritten.count > 0 && !state.argument.is_partial)
    asked.overwritten = support_.find_overwritten(state.unwritten.get(), excluded, state.elements);
  return asked;
}

void Runner::ask_about_difference(AskedOutput& asked, const Run& run) {
  ArgumentState& state = *asked.state;
  const CUdeviceptr data = state.place(run.layout).data();
  const CUdeviceptr excluded = state.unwritten_by_reference.get();
  // What it is compared with from now on.
  const bool defines = run.as_reference && !state.argument.expected;
  if (defines && run.number == 0) {
    stream_.copy(state.reference.get(), data, state.element_bytes());
    return;
  }
  asked.compared =
      support_.compare(data, state.reference.get(), state.elements, state.argument, excluded, state.spread.get());
  if (!deterministic_) return;
  const auto ask_for_sum = [&](CUdeviceptr memory) {
    asked.bits.push_back(support_.checksum_elements(memory, state.elements, state.argument.type, excluded));
  };
  // What the reference excludes is known after its second run only; its first run's outputs are still there.
  if (defines && run.number == 1) ask_for_sum(state.reference.get());
  ask_for_sum(data);
}

// Elements whose order is free are compared in ascending order, and what counts them says where they end.
void Runner::put_in_order(const Run& run) {
  std::vector<ArgumentState>& arguments = buffers_.arguments();
  std::vector<const BoundArgument*> described;
  for (const ArgumentState& state : arguments) described.push_back(&state.argument);
  for (const std::vector<std::size_t>& group : free_orders(described)) {
    const BoundArgument& first = arguments[group.front()].argument;
    const ArgumentState* counting = first.counted_by ? &arguments[*first.counted_by] : nullptr;
    const auto order = [&](bool is_expectation) {
      SortColumns columns;
      std::uint64_t records = first.length;
      for (std::size_t column = 0; column < group.size(); ++column) {
        ArgumentState& state = arguments[group[column]];
        const CUdeviceptr data = is_expectation ? state.reference.get() : state.place(run.layout).data();
        if (counting != nullptr) {
          const bool is_expected = is_expectation && counting->argument.expected;
          const CUdeviceptr count = is_expected ? counting->reference.get() : counting->place(run.layout).data();
          const std::uint64_t elements =
              counted(state.argument, counting->argument, stream_.download(count, size_of(counting->argument.type)));
          const std::uint64_t bytes = elements * size_of(state.argument.type);
          stream_.set_bytes(data + bytes, 0, state.element_bytes() - bytes);
          if (run.as_reference) state.counted = elements;
          records = elements / static_cast<std::uint64_t>(std::max(state.argument.lanes, 1));
        }
        columns.columns[column] = sort_column(data, state.argument);
      }
      support_.put_in_order(columns, records);
    };
    order(false);
    if (run.as_reference && run.number == 0 && first.expected) order(true);
  }
}

void Runner::note(const AskedOutput& asked, const std::vector<Finding>& found, const Run& run, Mismatch& mismatch) {
  const ArgumentState& state = *asked.state;
  mismatch.state = &state;
  mismatch.knows_rounding = static_cast<bool>(state.spread);
  if (asked.unwritten && run.number > 0) {
    mismatch.unwritten = found[*asked.unwritten].count;
    mismatch.first_unwritten = found[*asked.unwritten].first;
  }
  if (asked.overwritten) mismatch.overwritten = found[*asked.overwritten];
  for (const std::size_t number : asked.bits) mismatch.bits.push_back(found[number].sum);
  const CUdeviceptr data = state.place(run.layout).data();
  if (!note_difference(asked.compared ? found[*asked.compared] : Finding{}, data, mismatch)) return;
  if (!run.as_reference && may_be_rounding(mismatch)) keep(data, mismatch);
}

// Whether too many elements differ; the finding is of the next run.
bool Runner::note_difference(const Finding& compared, CUdeviceptr data, Mismatch& mismatch) {
  const ArgumentState& state = *mismatch.state;
  const bool too_many = compared.count > state.argument.may_differ;
  mismatch.count.push_back(too_many ? compared.count : 0);
  if (!too_many) return false;
  mismatch.worst = std::max(mismatch.worst, std::bit_cast<double>(compared.worst));
  if (!state.spread || compared.sum > 0) mismatch.like_rounding = false;
  if (!mismatch.found.empty()) return true;
  mismatch.first = compared.first;
  const std::size_t size = size_of(state.argument.type);
  const auto text_at = [&](CUdeviceptr place) {
    return element_text(state.argument.type, stream_.download(place + compared.first * size, size));
  };
  mismatch.found = text_at(data);
  mismatch.expected = text_at(state.reference.get());
  return true;
}

Verdict Runner::run_once(const LoadedKernel& kernel, const Run& run, std::vector<Mismatch>& mismatches) {
  if (Verdict verdict = launch(kernel, run.poison, run.layout); !verdict.ok()) return verdict;
  std::vector<AskedGuard> guards;
  ask_about_guards(run, guards);
  std::vector<AskedOutput> outputs;
  for (ArgumentState& state : buffers_.arguments()) {
    if (state.is_output()) outputs.push_back(ask_whether_written(state, run));
  }
  put_in_order(run);
  for (AskedOutput& output : outputs) ask_about_difference(output, run);
  const std::vector<Finding> found = support_.findings();
  mismatches.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) note(outputs[i], found, run, mismatches[i]);
  for (const auto& [state, number] : guards) {
    if (found[number].count > 0) return guards_verdict(*state, state->place(run.layout), found[number]);
  }
  return {};
}

Verdict Runner::guards_verdict(const ArgumentState& state, const Placement& place, const Finding& finding) const {
  const std::string where = finding.first < place.begin
                                ? fmt::format("{} bytes before its start", place.begin - finding.first)
                                : fmt::format("{} bytes past its end", finding.first - place.end);
  return {Outcome::guard_violation,
          fmt::format("It writes outside its buffers: {} bytes of the guard around '{}' ({} bytes long) changed, "
                      "the first {}.",
                      finding.count, state.argument.name, state.element_bytes(), where)};
}

// Guards, inputs and what is kept for comparison. All are looked at before one is reported, so that everything that was
// changed is known and restored.
Verdict Runner::inspect_surroundings(bool with_kept) {
  struct Asked {
    ArgumentState* state;
    std::size_t before = 0, after = 0, input = 0, kept = 0, kept_count = 0;
  };
  std::vector<Asked> asked;
  for (ArgumentState& state : buffers_.arguments()) {
    Asked& ask = asked.emplace_back();
    ask.state = &state;
    if (state.buffer) {
      const Placement place = state.place(Layout::plain);
      ask.before = support_.check_planted(place.memory, place.guard_begin, place.begin, state.guard_seed);
      ask.after = support_.check_planted(place.memory, place.end, place.guard_end, state.guard_seed);
      if (state.argument.role == Argument::Role::in) ask.input = support_.checksum(place.data(), state.element_bytes());
    }
    if (with_kept) {
      for (const auto& [memory, bytes] : state.kept()) {
        const std::size_t number = support_.checksum(memory, bytes);
        if (ask.kept_count++ == 0) ask.kept = number;
      }
    }
  }
  const std::vector<Finding> found = support_.findings();

  Verdict guards, inputs, kept;
  for (const Asked& ask : asked) {
    ArgumentState& state = *ask.state;
    Finding outside;
    if (state.buffer) outside = found[ask.before].count > 0 ? found[ask.before] : found[ask.after];
    if (outside.count > 0) {
      if (guards.ok()) guards = guards_verdict(state, state.place(Layout::plain), outside);
      buffers_.plant_guards(state);
    }
    if (state.argument.role == Argument::Role::in && found[ask.input].sum != state.input_sum && inputs.ok()) {
      inputs = {Outcome::input_modified,
                fmt::format("It changes its input '{}', which is declared `in`; declare it `inout` if that is "
                            "intended.",
                            state.argument.name)};
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ask.kept_count; ++i) sum += found[ask.kept + i].sum;
    if (ask.kept_count > 0 && sum != state.kept_sum) {
      damaged_ = true;
      kept = {Outcome::guard_violation,
              fmt::format("It writes outside its buffers: the data that '{}' is {} changed, far from every argument.",
                          state.argument.name, state.is_output() ? "compared with" : "filled with")};
    }
  }
  if (!inputs.ok()) buffers_.repair_inputs();
  if (!guards.ok()) return guards;
  if (!kept.ok()) return kept;
  return inputs;
}

Verdict Runner::inspect() {
  return inspect_surroundings(true);
}

void Runner::sum_kept() {
  for (ArgumentState& state : buffers_.arguments()) {
    for (const auto& [memory, bytes] : state.kept()) support_.checksum(memory, bytes);
    state.kept_sum = 0;
    for (const Finding& finding : support_.findings()) state.kept_sum += finding.sum;
  }
}

Verdict Runner::run_all(const LoadedKernel& kernel, bool as_reference, std::vector<Mismatch>& mismatches) {
  for (int number = 0; number < runs(); ++number) {
    const Run run{number, as_reference, layout_of(number), kPoison[number % 2]};
    if (Verdict verdict = run_once(kernel, run, mismatches); !verdict.ok()) return verdict;
  }
  return {};
}

Verdict Runner::run_reference(const Candidate& reference, const LoadedKernel& kernel, bool diagnose_first) {
  runs_without_fences_ = false;
  asked_for_spread_ = false;
  for (ArgumentState& state : buffers_.arguments()) {
    state.spread = {};
    state.spread_proves_nothing = false;
  }
  rounded_.set(reference);
  if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
  if (diagnose_first) {
    if (Verdict verdict = diagnose(kernel, false); !verdict.ok()) return verdict;
  }
  std::vector<Mismatch> mismatches;
  const Verdict ran = run_all(kernel, true, mismatches);
  if (Verdict verdict = inspect_surroundings(false); !verdict.ok()) return verdict;
  if (!ran.ok()) return ran;
  note_unwritten(mismatches);
  if (Verdict verdict = order_is_countable(); !verdict.ok()) return verdict;
  if (Verdict verdict = judge_reference(mismatches); !verdict.ok()) {
    verdict.message += other_order(mismatches);
    return verdict;
  }
  sum_kept();
  return {};
}

// What is not written has no place of its own once the rest is sorted.
Verdict Runner::order_is_countable() const {
  for (const ArgumentState& state : buffers_.arguments()) {
    const BoundArgument& argument = state.argument;
    if (!argument.is_unordered || argument.counted_by || state.left_unwritten.count == 0) continue;
    return {Outcome::unwritten_output,
            fmt::format("It leaves {} of {} elements of '{}' unwritten, whose order is free: say which output counts "
                        "those that are written, as in `unordered by count`.",
                        state.left_unwritten.count, state.elements, argument.name)};
  }
  return {};
}

// What to do where the two last runs wrote the same elements in another order: nothing else needs these outputs now.
std::string Runner::other_order(const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& mismatch : mismatches) {
    const ArgumentState& state = *mismatch.state;
    if (state.argument.expected || state.argument.is_unordered || mismatch.count.back() == 0) continue;
    const CUdeviceptr last = state.place(layout_of(runs() - 1)).data();
    const bool is_partly_written = state.left_unwritten.count > 0;
    const std::uint64_t written = is_partly_written ? state.left_unwritten.first : state.elements;
    if (written == 0) continue;
    for (const CUdeviceptr data : {last, state.reference.get()}) support_.put_in_order(data, written, state.argument);
    support_.compare(last, state.reference.get(), written, state.argument, 0);
    if (support_.findings().front().count > 0) continue;
    return fmt::format(
        " They are the same elements in another order. If any order is right, declare `{}` `unordered{}.",
        state.argument.name,
        is_partly_written ? " by NAME`, where NAME is the output that says how many there are" : "`");
  }
  return {};
}

Verdict Runner::verify(const LoadedKernel& kernel, bool diagnose_first) {
  runs_without_fences_ = false;
  if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
  if (diagnose_first) {
    if (Verdict verdict = diagnose(kernel, true); !verdict.ok()) return verdict;
  }
  return run_and_judge(kernel);
}

// After a run of the reference.
void Runner::note_unwritten(const std::vector<Mismatch>& mismatches) {
  const auto state_of = [&](const Mismatch& mismatch) -> ArgumentState& {
    return buffers_.arguments()[mismatch.state->position];
  };
  for (const Mismatch& mismatch : mismatches) {
    const BoundArgument& argument = mismatch.state->argument;
    const bool is_left_out = (!argument.expected || argument.is_partial) && !argument.counted_by;
    ArgumentState& state = state_of(mismatch);
    state.left_unwritten = {.count = is_left_out ? mismatch.unwritten : 0, .first = mismatch.first_unwritten};
    const bool knows_written = argument.counted_by && argument.role == Argument::Role::out && !argument.expected;
    const std::uint64_t written = state.elements - mismatch.unwritten;
    state.behind_count = knows_written && written > state.counted ? written - state.counted : 0;
  }
}

std::vector<NotCompared> Runner::not_compared() const {
  std::vector<NotCompared> result;
  for (const ArgumentState& state : buffers_.arguments()) {
    const Finding& left = state.left_unwritten;
    if (left.count > 0) result.push_back({state.argument.name, left.count, left.first, state.elements});
  }
  return result;
}

Verdict Runner::something_is_written() const {
  const std::vector<ArgumentState>& arguments = buffers_.arguments();
  const bool is_compared =
      std::any_of(arguments.begin(), arguments.end(), [](const ArgumentState& state) { return state.compared() > 0; });
  for (const ArgumentState& state : arguments) {
    const bool may_be_empty = state.argument.is_partial && is_compared;
    if (state.left_unwritten.count == 0 || state.left_unwritten.count < state.elements || may_be_empty) continue;
    return {
        Outcome::unwritten_output,
        fmt::format("It writes nothing to '{}', so there would be nothing to compare with: {}.", state.argument.name,
                    state.argument.is_partial ? "give its inputs contents with which it writes something"
                                              : "correct its launch and arguments, or declare the output `partial`")};
  }
  return {};
}

Verdict Runner::verify_where_timed(const LoadedKernel& kernel) {
  runs_without_fences_ = false;
  if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
  struct Ends {
    bool& flag;
    ~Ends() { flag = false; }
  } ends{where_timed_};
  where_timed_ = true;
  return run_and_judge(kernel);
}

}  // namespace tuner::engine
