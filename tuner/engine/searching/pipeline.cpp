#include "tuner/engine/searching/pipeline.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "tuner/core/base/source_words.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/ptx_uses.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/candidates/candidate_failure.hpp"

namespace tuner::engine {

namespace {

/// Candidates that may wait for the device, compiled: enough to keep it busy, few enough that a budget is kept,
/// binaries do not pile up, and a strategy hears of results before it asks for many more.
constexpr std::size_t kLookAhead = 32;

}  // namespace

Pipeline::Pipeline(const Task& task, Observer& observer, const SharedParts& parts, const EarlierSessions& earlier,
                   const Incumbents& incumbents, const RooflineRule& roofline)
    : task_(task),
      observer_(observer),
      candidates_(parts.candidates),
      compile_(parts.compile),
      device_(parts.device),
      journal_(parts.journal),
      earlier_(earlier),
      incumbents_(incumbents),
      roofline_(roofline),
      unwarned_arrays_(task.arguments()) {
  std::erase_if(unwarned_arrays_,
                [](const BoundArgument& argument) { return argument.role != Argument::Role::constant; });
}

void Pipeline::start(EntryId entry) {
  std::optional<CompileRequest> request;
  std::string refusal;
  try {
    request = candidates_.request(entry);
  } catch (const Error& error) {
    refusal = error.what();  // one configuration's launch makes no sense; others may
  }
  const cache::Trial* known = earlier_.trial_of(candidates_[entry]);
  // What may end the search is measured now.
  if (known != nullptr && request && roofline_.is_near(entry, known->time_ns)) known = nullptr;
  if (known != nullptr) {
    candidates_.reuse(entry, *known);
  } else if (request) {
    submit(entry, std::move(*request));
  } else {
    candidates_.refuse(entry, Outcome::launch_refused, refusal);
  }
}

void Pipeline::submit(EntryId entry, CompileRequest request) {
  compile_.submit(std::move(request), [this, entry](CompileReply reply) { take_compiled(entry, std::move(reply)); });
}

std::size_t Pipeline::room() const {
  return std::min(compile_.room(), kLookAhead - std::min(kLookAhead, ready_.size() + early_.size()));
}

bool Pipeline::poll_compiled() {
  const bool busy = compile_.poll();
  if (incumbents_.is_baseline_compiled()) {
    for (auto& [entry, reply] : std::exchange(early_, {})) take_binary(entry, std::move(reply));
  }
  return busy;
}

/// The baseline comes first: it must not become the twin of a candidate that waits for the baseline to be run.
void Pipeline::take_compiled(EntryId entry, CompileReply reply) {
  if (incumbents_.is_baseline_compiled() || entry == incumbents_.baseline() || reply.outcome != Outcome::ok) {
    take_binary(entry, std::move(reply));
  } else {
    early_.emplace_back(entry, std::move(reply));
  }
}

void Pipeline::take_binary(EntryId entry, CompileReply reply) {
  warn_of_arrays(reply);
  take_ptx(entry, reply);
  if (!candidates_.compiled(entry, std::move(reply))) return;
  const Entry& compiled = candidates_[entry];
  if (const cache::Quarantined* quarantined = earlier_.quarantined(compiled)) {
    candidates_.refuse(entry, quarantined->outcome, explain(*quarantined));
  } else {
    ready_.push(entry,
                evidence(compiled.trial.facts, compiled.geometry, !compiled.trial.launch.empty(), task_.device()));
  }
}

/// Says that a kernel waits for its whole grid: once, before anything that does is launched. Only of the baseline is
/// PTX needed later.
void Pipeline::take_ptx(EntryId entry, CompileReply& reply) {
  if (!warned_of_barrier_ && asks_for_grid_barrier(reply.ptx, reply.cubin.kernel)) {
    warned_of_barrier_ = true;
    observer_.warning(std::string(
        trimmed(grid_barrier_text(task_.description(), task_.headers(), candidates_[entry].trial.configuration))));
  }
  if (entry != incumbents_.baseline()) reply.ptx.clear();
}

/// Each array is named once. Some are longer for other values of the parameters.
void Pipeline::warn_of_arrays(const CompileReply& reply) {
  std::erase_if(unwarned_arrays_, [&](const BoundArgument& argument) {
    const auto array = array_in_cubin(reply.cubin.bytes, argument.name);
    const std::uint64_t described = argument.length * element_size(argument);
    if (!array || array->bytes <= described) return false;
    observer_.warning(partly_filled(argument.name, array->bytes, described));
    return true;
  });
}

void Pipeline::feed_device() {
  while (!ready_.empty() && device_.wants_candidate()) {
    const EntryId entry = ready_.pop();
    device_.screen(candidates_.candidate(entry), contenders_.time_to_beat(),
                   [this, entry](const DeviceReply& reply) { take_screened(entry, reply); });
  }
}

void Pipeline::run_baseline() {
  const EntryId baseline = *incumbents_.baseline();
  if (!ready_.take(baseline)) return;
  device_.run_reference(candidates_.candidate(baseline),
                        [this, baseline](const DeviceReply& reply) { take_screened(baseline, reply); });
}

void Pipeline::take_screened(EntryId entry, const DeviceReply& reply) {
  candidates_.ran(entry, reply);
  const Entry& screened = candidates_[entry];
  journal_.quarantine_if_confirmed(screened, failure_of(reply));
  if (entry != incumbents_.baseline()) return;
  // The baseline is run in any case. If an earlier session has the same to say of it, one row is enough.
  const cache::Trial* known = earlier_.trial_of(screened);
  if (known == nullptr || known->outcome != screened.trial.outcome) return;
  if (known->facts.binary_hash == screened.trial.facts.binary_hash) candidates_.mark_reused(entry);
}

void Pipeline::forget_slow(EntryId finished) {
  const cache::Trial& trial = candidates_[finished].trial;
  if (!trial.duplicate_of.empty() || trial.outcome != Outcome::ok) return;
  const std::optional<EntryId> forgotten =
      trial.censored ? std::optional(finished) : contenders_.add(*trial.time_ns, finished);
  if (forgotten && !incumbents_.need(*forgotten)) candidates_.drop_binary(*forgotten);
}

void Pipeline::give_up_compiling() {
  compile_.give_up();
  ready_.clear();
  early_.clear();
}

}  // namespace tuner::engine
