#include "tuner/engine/session/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/session/warm_start.hpp"

namespace tuner::engine {

namespace {

/// Candidates that may wait for the device, compiled: enough to keep it busy, few enough that a budget is kept,
/// binaries do not pile up, and a strategy hears of results before it asks for many more.
constexpr std::size_t kLookAhead = 32;

/// A strategy asks the better the more it has heard, so that the fewer evaluations there are, the fewer are under way
/// at a time: this part of them. Some compile workers may rest then.
constexpr std::uint64_t kPartUnderWay = 6;

/// How many binaries are kept for the race: its finalists are among the fastest of the search.
constexpr std::size_t kContenders = FinalistPolicy{}.limit;

/// A replay repeats a recording and nothing else.
std::vector<search::Configuration> won_elsewhere(const Task& task, const SessionOptions& options,
                                                 const SessionParts& parts, const cache::DecisionKey& key) {
  if (!options.warm_start || options.origin == cache::Origin::replay) return {};
  try {
    return promising_configurations(task, key, parts.store);
  } catch (const Error& error) {
    parts.observer.warning(fmt::format("{} What won for other problems and on other GPUs is not used.", error.what()));
    return {};
  }
}

}  // namespace

Pipeline::Pipeline(const Task& task, const SessionOptions& options, const SessionParts& parts,
                   const cache::Trial& common, TrialLog& log)
    : task_(task),
      options_(options),
      parts_(parts),
      common_(common),
      log_(log),
      replay_(options.origin == cache::Origin::replay),
      rules_(options.budget, task.space().size()),
      promising_(won_elsewhere(task, options, parts, common.key)),
      strategy_(search::make_strategy(options.strategy, task.space(),
                                      {.seed = options.seed,
                                       .budget = rules_.evaluations(),
                                       .may_end_early = rules_.may_end_early(),
                                       .promising = promising_})),
      candidates_(task, common, options.contended) {}

TicketId Pipeline::new_ticket() {
  static std::atomic<TicketId> last{0};
  return ++last;
}

void Pipeline::search() {
  begin();
  run_until_finished();
  const bool all_done = exhausted() && candidates_.all_finished();
  stopped_early_ = !all_done && (parts_.stop || !rule_met_);
  const bool through =
      all_done && (nothing_to_ask_ || static_cast<std::uint64_t>(candidates_.asked()) >= task_.space().size());
  if (!parts_.stop && !through) stopped_because_ = why_stopped();
}

std::string Pipeline::why_stopped() const {
  if (rule_met_) return *rule_met_;
  if (stopped_early_) return rules_.why_out_of_time();
  return rules_.why_enough();
}

std::vector<std::size_t> Pipeline::warm_start() const {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const Entry& entry = candidates_[i];
    const bool promised = std::find(promising_.begin(), promising_.end(), entry.configuration) != promising_.end();
    if (promised && entry.asked && entry.finished) entries.push_back(i);
  }
  return entries;
}

void Pipeline::run_until_finished() {
  while (!finished()) {
    ask();
    bool busy = take_compiled();
    feed_device();
    busy = take_run() || busy;
    tell();
    log_.flush_if_due();
    observe("searching");
    if (busy || finished()) continue;
    check_progress_is_possible();
    wait();
  }
  if (gives_up()) give_up_compiling();
}

bool Pipeline::finished() const {
  // Whoever stops need not wait until the problem is set up: nothing of it will be used. Nor for a launch that hangs.
  constexpr std::chrono::seconds kPatience{1};
  if (parts_.stop && !prepared_) return true;
  if (on_device_ > 0) return parts_.stop && Clock::now() - last_answer_ > kPatience;
  return gives_up() || (exhausted() && candidates_.all_finished());
}

void Pipeline::check_progress_is_possible() const {
  if (!compiling_.empty() || !probes_.empty() || support_ticket_ || reference_kernel_ticket_ || on_device_ > 0 ||
      gives_up())
    return;
  // The device rests, or did until a moment ago: the next round gives it what is ready.
  if (!ready_.empty() && prepared_ && reference_done_) return;
  throw Error(Errc::internal, "The session waits for nothing that could still come: please report this as a bug.");
}

void Pipeline::wait() {
  const auto until = std::min(log_.next_deadline(), Clock::now() + kHeartbeat);
  wait_for(until, parts_.compile, parts_.device);
}

// ---- Asking and compiling ----

/// Nothing could be said before the baseline was timed, and nothing could replace an earlier winner that was not. So
/// whatever a rule says, and although the time of a budget runs from the start, these are waited for.
bool Pipeline::comparable() const {
  const auto known = [&](const auto& entry) { return !entry || candidates_[*entry].finished; };
  return reference_done_ && known(previous_) && known(serving_);
}

bool Pipeline::exhausted() const {
  const auto evaluations = rules_.evaluations();
  return nothing_to_ask_ || (evaluations && static_cast<std::uint64_t>(candidates_.asked()) >= *evaluations);
}

void Pipeline::ask() {
  if (gives_up()) return give_up_compiling();
  if (!ready_to_ask()) return;
  while (!exhausted() && !gives_up()) {
    const std::size_t waiting = ready_.size() + early_.size();
    std::size_t wanted = std::min(parts_.compile.room(), kLookAhead - std::min(kLookAhead, waiting));
    if (const auto most = rules_.evaluations()) {
      wanted = std::min<std::size_t>(wanted, *most - static_cast<std::uint64_t>(candidates_.asked()));
      const std::uint64_t under_way = candidates_.size() - static_cast<std::uint64_t>(candidates_.finished());
      const std::uint64_t allowed = std::max<std::uint64_t>(*most / kPartUnderWay, 1);
      wanted = std::min<std::size_t>(wanted, allowed - std::min(allowed, under_way));
    }
    if (wanted == 0) return;
    const std::vector<search::Configuration> asked = strategy_->ask(wanted);
    if (asked.empty()) {
      nothing_to_ask_ = true;
      candidates_.count_told_as_asked();
    }
    for (const search::Configuration& configuration : asked) {
      if (const auto entry = candidates_.ask(configuration)) start(*entry);
    }
    // What was known already is finished, and a strategy may want to hear of it before it asks for more.
    record_finished();
    tell();
  }
}

/// Takes the entry over from an earlier session, or sends it on its way.
void Pipeline::start(std::size_t entry) {
  std::optional<CompileRequest> request;
  std::string refusal;
  try {
    request = candidates_.request(entry);
  } catch (const Error& error) {
    refusal = error.what();  // one configuration's launch makes no sense; others may
  }
  if (const cache::Trial* known = earlier_.trial_of(candidates_[entry])) {
    candidates_.reuse(entry, *known);
  } else if (request) {
    submit_compile(entry, std::move(*request));
  } else {
    candidates_.refuse(entry, refusal);
  }
}

void Pipeline::give_up_compiling() {
  for (const auto& [ticket, entry] : std::exchange(compiling_, {})) {
    given_up_.insert(ticket);
    parts_.compile.cancel(ticket);
  }
  ready_.clear();
  early_.clear();
}

bool Pipeline::take_compiled() {
  std::vector<CompileLane::Completion> completions = parts_.compile.poll();
  for (auto& [ticket, reply] : completions) take_compiled(ticket, std::move(reply));
  if (baseline_compiled_) {
    for (auto& [entry, reply] : std::exchange(early_, {})) take_binary(entry, std::move(reply));
  }
  record_finished();
  return !completions.empty();
}

void Pipeline::take_compiled(TicketId ticket, CompileReply reply) {
  if (given_up_.erase(ticket) > 0) return;
  if (!reply.toolkit.empty()) toolkit_ = reply.toolkit;
  if (ticket == support_ticket_) {
    support_ticket_.reset();
    if (reply.outcome == Outcome::compile_error) {
      throw Error(Errc::internal, "The device code that checks results does not compile: " + reply.message);
    }
    if (reply.outcome != Outcome::ok) {
      throw Error(
          Errc::baseline_failed,
          fmt::format("The device code that checks results could not be compiled, so nothing can be checked: {} "
                      "Raise --compile-timeout, or try again when this machine is less busy.",
                      reply.message));
    }
    support_cubin_ = std::move(reply.cubin);
    prepare();
  } else if (ticket == reference_kernel_ticket_) {
    reference_kernel_ticket_.reset();
    if (reply.outcome != Outcome::ok) {
      throw Error(Errc::baseline_failed,
                  fmt::format("The reference kernel {} does not compile, so nothing can be compared with it: {}",
                              task_.description().reference.kernel, reply.message));
    }
    reference_kernel_ = std::move(reply);
  } else if (const auto probe = probes_.extract(ticket)) {
    check_signature(task_, probe.mapped(), reply);
  } else if (const auto found = compiling_.find(ticket); found != compiling_.end()) {
    const std::size_t entry = found->second;
    compiling_.erase(found);
    if (baseline_compiled_ || entry == baseline_ || reply.outcome != Outcome::ok) {
      take_binary(entry, std::move(reply));
    } else {
      early_.emplace_back(entry, std::move(reply));
    }
  }
}

/// The baseline comes first: it must not become the twin of a candidate that waits for the baseline to be run.
void Pipeline::take_binary(std::size_t entry, CompileReply reply) {
  if (candidates_.compiled(entry, std::move(reply))) {
    const cache::Quarantined* quarantined = earlier_.quarantined(candidates_[entry]);
    if (quarantined == nullptr) {
      const Entry& compiled = candidates_[entry];
      ready_.push(entry,
                  evidence(compiled.trial.facts, compiled.geometry, !compiled.trial.launch.empty(), task_.device()));
    } else {
      DeviceReply refused;
      refused.outcome = quarantined->outcome;
      refused.message = explain(*quarantined);
      candidates_.ran(entry, refused);
    }
  }
  if (entry != baseline_) return;
  baseline_compiled_ = true;
  if (candidates_[entry].finished && !task_.description().reference.is_named()) {
    fail_baseline(candidates_[entry].trial);
  }
}

// ---- Rows ----

void Pipeline::record_finished() {
  for (const std::size_t entry : candidates_.take_finished()) {
    const cache::Trial& trial = candidates_[entry].trial;
    if (!candidates_[entry].reused) {
      log_.add(trial);
      parts_.observer.trial(trial);
    }
    note_failure(trial);
    forget_slow(entry);
  }
}

/// A binary that ended its worker, and did so again alone, is not to be launched again, in later sessions either.
void Pipeline::quarantine_if_confirmed(std::size_t entry, const DeviceReply& reply) {
  const bool ended_worker = reply.outcome == Outcome::illegal_access || reply.outcome == Outcome::run_timeout ||
                            reply.outcome == Outcome::worker_lost;
  const Entry& culprit = candidates_[entry];
  if (!reply.confirmed || !ended_worker || replay_ || culprit.trial.facts.binary_hash.empty()) return;
  cache::Quarantined quarantined;
  quarantined.key = common_.key;
  quarantined.binary_hash = culprit.trial.facts.binary_hash;
  quarantined.launch = culprit.launch();
  quarantined.driver = common_.conditions.driver;
  quarantined.configuration = culprit.trial.configuration;
  quarantined.outcome = reply.outcome;
  quarantined.message = reply.message;
  if (reply.outcome == Outcome::run_timeout) quarantined.launch_timeout_ms = options_.launch_timeout.count();
  quarantined.session = common_.session;
  log_.record(quarantined);
}

void Pipeline::note_failure(const cache::Trial& trial) {
  if (trial.outcome == Outcome::ok || !trial.duplicate_of.empty()) return;
  FailureReport& failure = failures_[trial.outcome];
  if (failure.count++ > 0) return;
  failure.outcome = trial.outcome;
  failure.example_configuration = trial.configuration;
  failure.example_message = trial.message;
}

/// The best times only fall, so whoever is not among the fastest now will never be a finalist.
void Pipeline::forget_slow(std::size_t entry) {
  const cache::Trial& trial = candidates_[entry].trial;
  if (!trial.duplicate_of.empty() || trial.outcome != Outcome::ok) return;
  if (!trial.censored) contenders_.emplace(*trial.time_ns, entry);
  std::size_t forgotten = entry;
  if (!trial.censored) {
    if (contenders_.size() <= kContenders) return;
    forgotten = std::prev(contenders_.end())->second;
    contenders_.erase(std::prev(contenders_.end()));
  }
  const auto stands_for = [&](const auto& known) { return known && forgotten == candidates_.original(*known); };
  const bool needed = forgotten == baseline_ || stands_for(previous_) || stands_for(serving_);
  if (!needed) candidates_.drop_binary(forgotten);
}

void Pipeline::tell() {
  for (const Told& told : candidates_.take_told()) {
    if (told.in_space) strategy_->tell(told.observation);
    if (told.entry == baseline_ && told.observation.time_ns) rules_.tell_baseline(*told.observation.time_ns);
    rules_.tell(told.observation, told.asked);
    if (!rule_met_) rule_met_ = rules_.met();
  }
}

void Pipeline::observe(std::string_view phase) const {
  Observer::Progress progress;
  progress.asked = static_cast<std::uint64_t>(candidates_.asked());
  progress.compiled = static_cast<std::uint64_t>(candidates_.compiled());
  progress.deduplicated = static_cast<std::uint64_t>(candidates_.deduplicated());
  progress.finished = static_cast<std::uint64_t>(candidates_.finished());
  progress.failed = static_cast<std::uint64_t>(candidates_.failed());
  progress.total = std::min(task_.space().size(), rules_.evaluations().value_or(task_.space().size()));
  progress.best_ns = candidates_.best_ns();
  if (const auto best = candidates_.best()) progress.best_configuration = candidates_.text(*best);
  progress.elapsed_s = seconds();
  progress.phase = phase;
  parts_.observer.progress(progress);
}

double Pipeline::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace tuner::engine
