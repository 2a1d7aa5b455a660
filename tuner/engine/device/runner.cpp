#include "tuner/engine/device/runner.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

#include "tuner/engine/device/element_text.hpp"

namespace tuner::engine {

// What both runs together say about one output.
struct Runner::Mismatch {
  const ArgumentState* state = nullptr;
  std::array<std::uint64_t, 2> count{};  // elements beyond the tolerance, by run
  std::uint64_t first = 0;               // of the first run that has any
  std::string found, expected;           // at that element
  double worst = 0;
  std::uint64_t unwritten = 0;  // elements that hold the poison after both runs, and the reference writes
  std::uint64_t first_unwritten = 0;
  std::array<std::uint64_t, 2> bits{};  // checksums by run, where the bits matter
};

namespace {

std::string place(const ArgumentState& state, std::uint64_t element) {
  const auto lanes = static_cast<std::uint64_t>(state.argument.lanes);
  if (lanes <= 1) return fmt::format("'{}'[{}]", state.argument.name, element);
  return fmt::format("'{}'[{}] lane {}", state.argument.name, element / lanes, element % lanes);
}

std::string tolerance_text(const BoundArgument& argument) {
  return fmt::format("rtol {:.3g}, atol {:.3g}", argument.rtol, argument.atol);
}

}  // namespace

Verdict Runner::run_once(const LoadedKernel& kernel, int run, bool as_reference, std::vector<Mismatch>& mismatches) {
  buffers_.poison(kPoison[run]);
  if (Verdict verdict = launch_kernel(kernel, buffers_.arguments(), device_, stream_); !verdict.ok()) return verdict;
  ++launches_;
  stream_.wait(launch_timeout_ + std::chrono::milliseconds(100));  // the poisoning before it may take a while too

  const bool first_run = run == 0;
  struct Asked {
    ArgumentState* state;
    std::size_t unwritten = 0, compared = 0;
    std::array<std::size_t, 2> bits{};
    bool has_unwritten = false, is_compared = false;
  };
  std::vector<Asked> asked;
  for (ArgumentState& state : buffers_.arguments()) {
    if (!state.is_output()) continue;
    Asked& ask = asked.emplace_back(Asked{&state});
    const CUdeviceptr data = state.buffer->data();
    const CUdeviceptr excluded = state.unwritten_by_reference.get();
    if (state.argument.role == Argument::Role::out) {
      ask.has_unwritten = true;
      ask.unwritten =
          support_.find_unwritten(data, state.elements, state.argument.type, kPoison[run], !first_run,
                                  as_reference ? excluded : state.unwritten.get(), as_reference ? 0 : excluded);
    }
    if (as_reference && first_run) {
      stream_.copy(state.reference.get(), data, state.element_bytes());
    } else {
      ask.is_compared = true;
      ask.compared = support_.compare(data, state.reference.get(), state.elements, state.argument, excluded);
    }
    const auto sum = [&](CUdeviceptr memory) {
      return support_.checksum_elements(memory, state.elements, state.argument.type, excluded);
    };
    if (deterministic_ && !as_reference) ask.bits[run] = sum(data);
    // What the reference excludes is known after its second run only; its first run's outputs are still there.
    if (deterministic_ && as_reference && !first_run) ask.bits = {sum(state.reference.get()), sum(data)};
  }
  const std::vector<Finding> found = support_.findings();

  if (mismatches.empty()) mismatches.resize(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    Mismatch& mismatch = mismatches[i];
    const ArgumentState& state = *asked[i].state;
    mismatch.state = &state;
    if (asked[i].has_unwritten && !first_run) {
      mismatch.unwritten = found[asked[i].unwritten].count;
      mismatch.first_unwritten = found[asked[i].unwritten].first;
    }
    if (deterministic_ && as_reference && !first_run) mismatch.bits[0] = found[asked[i].bits[0]].sum;
    if (deterministic_ && !(as_reference && first_run)) mismatch.bits[run] = found[asked[i].bits[run]].sum;
    if (!asked[i].is_compared) continue;
    const Finding& compared = found[asked[i].compared];
    mismatch.count[run] = compared.count;
    if (compared.count == 0 || !mismatch.found.empty()) continue;
    mismatch.first = compared.first;
    mismatch.worst = std::bit_cast<double>(compared.worst);
    const std::size_t size = size_of(state.argument.type);
    mismatch.found =
        element_text(state.argument.type, stream_.download(state.buffer->data() + compared.first * size, size));
    mismatch.expected =
        element_text(state.argument.type, stream_.download(state.reference.get() + compared.first * size, size));
  }
  return {};
}

Verdict Runner::guards_verdict(const ArgumentState& state, const Finding& finding) const {
  const std::uint64_t begin = state.buffer->begin();
  const std::uint64_t end = state.buffer->end();
  const std::string where = finding.first < begin ? fmt::format("{} bytes before its start", begin - finding.first)
                                                  : fmt::format("{} bytes past its end", finding.first - end);
  return {Outcome::guard_violation,
          fmt::format("It writes outside its buffers: {} bytes of the guard around '{}' ({} bytes long) changed, "
                      "the first {}.",
                      finding.count, state.argument.name, state.element_bytes(), where)};
}

// Guards, inputs and what is kept for comparison. All are looked at before one is reported, so that everything that was
// changed is known and restored.
Verdict Runner::inspect_surroundings(bool as_reference) {
  struct Asked {
    ArgumentState* state;
    std::size_t before, after, input = 0, kept = 0, kept_count = 0;
  };
  std::vector<Asked> asked;
  for (ArgumentState& state : buffers_.arguments()) {
    if (!state.buffer) continue;
    const GuardedBuffer& buffer = *state.buffer;
    Asked& ask = asked.emplace_back();
    ask.state = &state;
    ask.before = support_.check_planted(buffer.allocation(), 0, buffer.begin(), state.guard_seed);
    ask.after = support_.check_planted(buffer.allocation(), buffer.end(), buffer.guard_end(), state.guard_seed);
    if (state.argument.role == Argument::Role::in) ask.input = support_.checksum(buffer.data(), state.element_bytes());
    if (!as_reference) {
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
    Finding outside = found[ask.before];
    if (outside.count == 0) outside = found[ask.after];
    if (outside.count > 0) {
      if (guards.ok()) guards = guards_verdict(state, outside);
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
      kept = {
          Outcome::guard_violation,
          fmt::format(
              "It writes outside its buffers: the data that '{}' is compared with changed, far from every argument.",
              state.argument.name)};
    }
  }
  if (!inputs.ok()) buffers_.fill_inputs(buffers_.seed());
  if (!guards.ok()) return guards;
  if (!kept.ok()) return kept;
  return inputs;
}

Verdict Runner::same_bits(const std::vector<Mismatch>& mismatches) const {
  if (!deterministic_) return {};
  for (const Mismatch& mismatch : mismatches) {
    if (mismatch.bits[0] == mismatch.bits[1]) continue;
    return {
        Outcome::nondeterministic,
        fmt::format("Two runs on the same inputs write different bits to '{}', both within the tolerance ({}), but it "
                    "is declared deterministic; sum in a fixed order, without atomics.",
                    mismatch.state->argument.name, tolerance_text(mismatch.state->argument))};
  }
  return {};
}

void Runner::sum_kept() {
  for (ArgumentState& state : buffers_.arguments()) {
    for (const auto& [memory, bytes] : state.kept()) support_.checksum(memory, bytes);
    state.kept_sum = 0;
    for (const Finding& finding : support_.findings()) state.kept_sum += finding.sum;
  }
}

Verdict Runner::run_reference(const LoadedKernel& kernel) {
  if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
  std::vector<Mismatch> mismatches;
  for (int run = 0; run < 2; ++run) {
    if (Verdict verdict = run_once(kernel, run, true, mismatches); !verdict.ok()) return verdict;
  }
  if (Verdict verdict = inspect_surroundings(true); !verdict.ok()) return verdict;
  excluded_words_ = 0;
  for (const Mismatch& mismatch : mismatches) {
    excluded_words_ += mismatch.unwritten;
    if (mismatch.count[1] == 0) continue;
    return {Outcome::nondeterministic,
            fmt::format("Two runs of the reference disagree in {} of {} elements of '{}' ({}): at {} {} and then {}; "
                        "it may read what it "
                        "has not written, race, or need a wider tolerance.",
                        mismatch.count[1], mismatch.state->elements, mismatch.state->argument.name,
                        tolerance_text(mismatch.state->argument), place(*mismatch.state, mismatch.first),
                        mismatch.expected, mismatch.found)};
  }
  if (Verdict verdict = same_bits(mismatches); !verdict.ok()) return verdict;
  sum_kept();
  return {};
}

Verdict Runner::verify(const LoadedKernel& kernel) {
  if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
  std::vector<Mismatch> mismatches;
  for (int run = 0; run < 2; ++run) {
    if (Verdict verdict = run_once(kernel, run, false, mismatches); !verdict.ok()) return verdict;
  }
  if (Verdict verdict = inspect_surroundings(false); !verdict.ok()) return verdict;

  for (const Mismatch& mismatch : mismatches) {
    if (mismatch.unwritten == 0) continue;
    return {Outcome::unwritten_output,
            fmt::format("It leaves {} of {} elements of '{}' unwritten that the reference writes, the first at {}.",
                        mismatch.unwritten, mismatch.state->elements, mismatch.state->argument.name,
                        place(*mismatch.state, mismatch.first_unwritten))};
  }
  for (const Mismatch& mismatch : mismatches) {
    const auto [first, second] = mismatch.count;
    if (first == 0 && second == 0) continue;
    const BoundArgument& argument = mismatch.state->argument;
    const std::string detail = fmt::format("first at {}, found {}, expected {}; the worst is off by {:.3g} ({})",
                                           place(*mismatch.state, mismatch.first), mismatch.found, mismatch.expected,
                                           mismatch.worst, tolerance_text(argument));
    if (first > 0 && second > 0) {
      return {Outcome::wrong_result, fmt::format("{} of {} elements of '{}' differ from the reference: {}.", first,
                                                 mismatch.state->elements, argument.name, detail)};
    }
    return {
        Outcome::nondeterministic,
        fmt::format("'{}' is right in the {} of two runs and wrong in the other, in {} of {} elements: {}.",
                    argument.name, first == 0 ? "first" : "second", first + second, mismatch.state->elements, detail)};
  }
  return same_bits(mismatches);
}

}  // namespace tuner::engine
