#include "tuner/engine/searching/search_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/core/binary/ptx_uses.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/candidates/signature_probe.hpp"
#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/searching/t1_edit.hpp"
#include "tuner/engine/searching/won_elsewhere.hpp"

namespace tuner::engine {

SearchLoop::SearchLoop(const Task& task, const SessionOptions& options, const SessionParts& parts,
                       const cache::Trial& common, const SharedParts& shared)
    : task_(task),
      options_(options),
      parts_(parts),
      common_(common),
      candidates_(shared.candidates),
      compile_(shared.compile),
      device_(shared.device),
      journal_(shared.journal),
      replay_(options.origin == cache::Origin::replay),
      preparation_(task, compile_, device_),
      incumbents_(task, candidates_),
      roofline_(task, options, candidates_, device_, parts.observer),
      inquiry_(task, options, {parts.compile.width(), parts.device.gpus()},
               won_elsewhere(task, options, parts, common.key), candidates_, incumbents_, earlier_),
      pipeline_(task, parts.observer, shared, earlier_, incumbents_, roofline_) {}

void SearchLoop::run() {
  begin();
  run_until_finished();
  const bool all_done = inquiry_.exhausted() && candidates_.all_finished();
  stopped_early_ = !all_done && (parts_.stop || !inquiry_.is_ended());
  through_ = all_done && inquiry_.asked_all();
  if (!parts_.stop && !through_) stopped_because_ = inquiry_.why_stopped(stopped_early_);
}

void SearchLoop::run_until_finished() {
  while (!finished()) {
    ask();
    bool busy = pipeline_.poll_compiled();
    record_finished();
    feed_device();
    busy = device_.poll() || busy;
    record_finished();
    tell();
    journal_.flush_if_due();
    observe("searching");
    if (busy || finished()) continue;
    check_progress_is_possible();
    const Clock::time_point begin = Clock::now();
    wait_for(journal_.wake_at(), parts_.compile, parts_.device);
    if (!device_.busy()) device_.add_waiting(Clock::now() - begin);
  }
  if (gives_up()) pipeline_.give_up_compiling();
}

// ---- The start ----

void SearchLoop::begin() {
  if (task_.space().size() == 0) throw Error(Errc::empty_space, task_.space().why_empty());
  std::vector<SignatureProbe> probes;
  const auto configuration = task_.baseline();
  if (configuration && !replay_) probes = signature_probes(task_, *configuration);
  read_quarantine();
  preparation_.prepare_device(parts_.device.support_sources());
  if (const auto baseline = incumbents_.add_baseline()) {
    pipeline_.compile(*baseline);
  } else if (replay_) {
    device_.skip_reference();
  } else {
    throw Error(Errc::baseline_failed, fmt::format("The baseline, with which all candidates are compared, is not "
                                                   "valid: {} Choose defaults that satisfy every constraint.",
                                                   task_.space().why_invalid(task_.space().defaults()).value_or("")));
  }
  preparation_.compile_probes(std::move(probes));
  if (configuration) preparation_.compile_reference(*configuration);
}

/// A replay repeats a recording and nothing else. A recording holds complete samples, which a search that stops early
/// does not leave behind.
void SearchLoop::read_quarantine() {
  if (replay_) return;
  try {
    earlier_.read_quarantine(parts_.store, common_, options_.launch_timeout);
    may_reuse_ = options_.reuse && options_.early_kill && EarlierSessions::any(parts_.store, common_.key);
  } catch (const Error& error) {
    parts_.observer.warning(fmt::format("{} Results of earlier sessions are not used.", error.what()));
  }
}

/// What may be taken over depends on the toolkit, whose version comes with the first compiled binary. The baseline's is
/// waited for, because it must not become the twin of something that is not run.
void SearchLoop::begin_asking() {
  if (asking_ || (may_reuse_ && !incumbents_.is_baseline_compiled())) return;
  asking_ = true;
  if (may_reuse_ && !compile_.toolkit().empty()) read_earlier_trials();
  if (replay_) return;
  if (const auto previous = incumbents_.add_previous(parts_.store, common_.key)) pipeline_.start(*previous);
  if (const auto serving = incumbents_.add_serving(options_.serving)) pipeline_.start(*serving);
}

void SearchLoop::read_earlier_trials() {
  try {
    earlier_.read_trials(parts_.store, common_, compile_.toolkit());
    if (const auto cost_ms = earlier_.result_cost_ms()) inquiry_.set_cost(*cost_ms / 1e3);
  } catch (const Error& error) {
    parts_.observer.warning(fmt::format("{} Everything is measured again.", error.what()));
  }
}

// ---- The end ----

/// Nothing could be said before the baseline was timed, and nothing could replace an earlier winner that was not. So
/// whatever a rule says, and although the time of a budget runs from the start, these are waited for.
bool SearchLoop::gives_up() const {
  const bool is_comparable = device_.reference_done() && incumbents_.others_are_finished();
  return parts_.stop || ((inquiry_.is_ended() || inquiry_.out_of_time(seconds())) && is_comparable);
}

bool SearchLoop::finished() const {
  // A stopped session does not wait until the problem is set up, because nothing of it will be used. Nor for a launch
  // that hangs.
  constexpr std::chrono::seconds kPatience{1};
  if (parts_.stop && device_.state() == DeviceSession::State::unprepared) return true;
  if (device_.busy()) return parts_.stop && Clock::now() - device_.last_answer() > kPatience;
  return gives_up() || (inquiry_.exhausted() && candidates_.all_finished());
}

void SearchLoop::check_progress_is_possible() const {
  if (!compile_.idle() || device_.busy() || gives_up()) return;
  // The device rests, or did until a moment ago: the next round gives it what is ready.
  if ((pipeline_.has_ready() || roofline_.waits()) && device_.can_screen()) return;
  throw Error(Errc::internal, "The session is waiting, but no work is in progress: please report this as a bug.");
}

// ---- A round ----

/// What the roofline's rule decides now comes first: nothing is asked for or told meanwhile.
void SearchLoop::ask() {
  if (gives_up()) return pipeline_.give_up_compiling();
  begin_asking();
  while (asking_ && !roofline_.is_deciding() && !inquiry_.exhausted() && !gives_up()) {
    const std::size_t count = inquiry_.wanted(pipeline_.room());
    if (count == 0) return;
    for (const EntryId entry : inquiry_.ask(count)) pipeline_.start(entry);
    // What was known already is finished, and a strategy may want to hear of it before it asks for more.
    record_finished();
    tell();
  }
}

void SearchLoop::feed_device() {
  if (!preparation_.may_launch() || gives_up()) return;
  begin_asking();  // which says whether the baseline's row is there already
  if (device_.state() == DeviceSession::State::prepared) return run_reference();
  if (roofline_.waits() && device_.wants_candidate()) roofline_.measure_again();
  pipeline_.feed_device();
}

/// Runs the kernel that the description names as reference, or else the baseline, once it has been compiled.
void SearchLoop::run_reference() {
  if (!task_.description().reference.is_named()) return pipeline_.run_baseline();
  auto reference = preparation_.reference(candidates_[*incumbents_.baseline()].configuration);
  if (!reference) return;
  device_.run_reference(*std::move(reference), [this](const DeviceReply& reply) {
    if (reply.outcome == Outcome::ok) return;
    throw Error(Errc::baseline_failed,
                fmt::format("The reference kernel {} fails with {}: {} Nothing can be compared with it.{}",
                            task_.description().reference.kernel, to_string(reply.outcome), reply.message,
                            barrier_text(reply.outcome, {})));
  });
}

void SearchLoop::record_finished() {
  bool cost_is_settled = false, baseline_is_lost = false;
  for (const EntryId entry : candidates_.take_finished()) {
    cost_is_settled = inquiry_.settle_cost(entry) || cost_is_settled;
    journal_.add(candidates_[entry]);
    pipeline_.forget_slow(entry);
    if (entry == incumbents_.baseline() && ends_with_baseline()) baseline_is_lost = true;
  }
  if (cost_is_settled) journal_.flush();
  if (baseline_is_lost) fail_baseline();
}

void SearchLoop::tell() {
  if (const auto& met = roofline_.met()) inquiry_.end(*met);
  while (!roofline_.is_deciding()) {
    const std::optional<TellItem> told = inquiry_.tell_next();
    if (!told) return;
    roofline_.tell(*told);
  }
}

/// Whether the finished baseline leaves nothing to compare with.
bool SearchLoop::ends_with_baseline() const {
  const Outcome outcome = candidates_[*incumbents_.baseline()].trial.outcome;
  if (!task_.description().reference.is_named()) return outcome != Outcome::ok;
  // A reference that left out what the kernel computes, for want of a launch of its own, would refuse every candidate.
  return outcome == Outcome::wrong_result && !device_.not_compared().empty();
}

/// Why a launch may have ended so. PTX tells for certain.
std::string SearchLoop::barrier_text(Outcome outcome, const Candidate& kernel) const {
  if (outcome != Outcome::illegal_access && outcome != Outcome::run_timeout) return {};
  if (kernel.ptx.empty()) return grid_barrier_text(task_.description(), task_.headers());
  if (!asks_for_grid_barrier(kernel.ptx, kernel.cubin.kernel)) return {};
  return grid_barrier_text(task_.description(), task_.headers(), kernel.configuration);
}

/// Without a baseline nothing can be verified, except in a replay, where the rows say what was right.
void SearchLoop::fail_baseline() {
  if (replay_) {
    incumbents_.drop_baseline();
    return device_.skip_reference();
  }
  journal_.flush();
  const cache::Trial& trial = candidates_[*incumbents_.baseline()].trial;
  throw Error(Errc::baseline_failed,
              fmt::format("The baseline{} fails with {}: {} Every candidate is compared with it, so it has to run: "
                          "correct the kernel or its defaults.{}{}",
                          trial.configuration.empty() ? "" : " " + trial.configuration, to_string(trial.outcome),
                          trial.message, barrier_text(trial.outcome, candidates_.candidate(*incumbents_.baseline())),
                          t1_edit(task_.description(), trial.outcome, trial.message)));
}

// ---- What was found ----

bool SearchLoop::bring_binaries(const std::vector<EntryId>& entries) {
  device_.return_to_task();
  std::vector<EntryId> missing;
  std::vector<CompileRequest> requests;
  for (const EntryId entry : entries) {
    const EntryId original = candidates_.original(entry);
    if (candidates_.has_binary(original) || std::count(missing.begin(), missing.end(), original) > 0) continue;
    missing.push_back(original);
    requests.push_back(candidates_.request(original));
  }
  std::vector<CompileReply> replies = compile_.compile(std::move(requests));
  if (parts_.stop) return true;
  bool all_there = true;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (candidates_.restore_binary(missing[i], replies[i])) continue;
    all_there = false;
    const std::vector<EntryId> reopened = candidates_.reopen(missing[i]);
    for (const EntryId entry : reopened) pipeline_.forget_time(entry);
    for (const EntryId entry : reopened) {
      if (entry == missing[i]) {
        pipeline_.take_binary(entry, std::move(replies[i]));
      } else {
        pipeline_.compile(entry);
      }
    }
  }
  if (!all_there) run_until_finished();
  record_finished();
  return all_there;
}

void SearchLoop::observe(std::string_view phase) const {
  const auto best = candidates_.best();
  parts_.observer.progress({.asked = static_cast<std::uint64_t>(candidates_.asked()),
                            .compiled = static_cast<std::uint64_t>(candidates_.compiled()),
                            .deduplicated = static_cast<std::uint64_t>(candidates_.deduplicated()),
                            .finished = static_cast<std::uint64_t>(candidates_.finished()),
                            .failed = static_cast<std::uint64_t>(candidates_.failed()),
                            .total = inquiry_.total(),
                            .best_ns = candidates_.best_ns(),
                            .best_configuration = best ? candidates_.text(*best) : "",
                            .elapsed_s = seconds(),
                            .phase = std::string(phase)});
}

double SearchLoop::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace tuner::engine
