#include "tuner/engine/session/search_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/core/base/source_words.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/ptx_uses.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/effort/effort_limits.hpp"
#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/session/t1_edit.hpp"
#include "tuner/engine/session/won_elsewhere.hpp"

namespace tuner::engine {

namespace {

/// Candidates that may wait for the device, compiled: enough to keep it busy, few enough that a budget is kept,
/// binaries do not pile up, and a strategy hears of results before it asks for many more.
constexpr std::size_t kLookAhead = 32;

/// How many configurations a strategy may have asked for without hearing of them, in a search that counts or results
/// may end: this part of those that it may ask for, or so many for each GPU. It asks the better the more it has heard,
/// and some compile workers may rest then.
constexpr std::uint64_t kPartUnheard = 4, kMostUnheard = 24;
/// Each of several GPUs needs so many, if they are no more than half of those: some are compiled, some wait for it.
constexpr std::uint64_t kNeeded = 12;

StopRules rules_of(const SessionOptions& options, std::uint64_t space_size) {
  Budget budget = options.budget;
  if (options.effort) {
    const Budget limits = limits_of(*options.effort, space_size, options.known_problems);
    budget.evaluations = limits.evaluations;
    budget.idle = limits.idle;
    budget.idle_gain = limits.idle_gain;
    budget.least_for_idle = limits.least_for_idle;
    budget.weighs = limits.weighs;
  }
  return {budget, space_size};
}

}  // namespace

SearchLoop::SearchLoop(const Task& task, const SessionOptions& options, const SessionParts& parts,
                       const cache::Trial& common, Candidates& candidates, CompileSession& compile,
                       DeviceSession& device, TrialJournal& journal)
    : task_(task),
      options_(options),
      parts_(parts),
      common_(common),
      candidates_(candidates),
      compile_(compile),
      device_(device),
      preparation_(task, compile, device),
      journal_(journal),
      replay_(options.origin == cache::Origin::replay),
      rules_(rules_of(options, task.space().size())),
      result_cost_(task.space().size(), parts.compile.width(), parts.device.gpus()),
      roofline_(task, options, candidates, device, parts.observer),
      promising_(won_elsewhere(task, options, parts, common.key)),
      strategy_(search::make_strategy(options.strategy, task.space(),
                                      {.seed = options.seed,
                                       .budget = rules_.evaluations(),
                                       .may_end_early = rules_.may_end_early(),
                                       .promising = promising_,
                                       .proven = options.proven.empty() ? 0 : promising_.size()})),
      unwarned_arrays_(task.arguments()) {
  std::erase_if(unwarned_arrays_,
                [](const BoundArgument& argument) { return argument.role != Argument::Role::constant; });
}

void SearchLoop::run() {
  begin();
  run_until_finished();
  const bool all_done = exhausted() && candidates_.all_finished();
  stopped_early_ = !all_done && (parts_.stop || !rule_met_);
  through_ = all_done && (asking_ == Asking::nothing_left ||
                          static_cast<std::uint64_t>(candidates_.asked()) >= task_.space().size());
  if (!parts_.stop && !through_) stopped_because_ = why_stopped();
}

void SearchLoop::run_until_finished() {
  while (!finished()) {
    ask();
    bool busy = take_compiled();
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
  if (gives_up()) give_up_compiling();
}

// ---- The start ----

void SearchLoop::begin() {
  if (task_.space().size() == 0) throw Error(Errc::empty_space, task_.space().why_empty());
  std::vector<SignatureProbe> probes;
  if (const auto baseline = task_.baseline(); baseline && !replay_) probes = signature_probes(task_, *baseline);
  read_quarantine();
  preparation_.prepare_device(parts_.device.support_sources());
  choose_baseline();
  preparation_.compile_probes(std::move(probes));
  if (baseline_) preparation_.compile_reference(candidates_[*baseline_].configuration);
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

void SearchLoop::choose_baseline() {
  if (const auto configuration = task_.baseline()) {
    baseline_ = candidates_.add(*configuration);
    submit_compile(*baseline_, candidates_.request(*baseline_));
  } else if (replay_) {
    device_.skip_reference();
  } else {
    throw Error(Errc::baseline_failed, fmt::format("The baseline, with which all candidates are compared, is not "
                                                   "valid: {} Choose defaults that satisfy every constraint.",
                                                   task_.space().why_invalid(task_.space().defaults()).value_or("")));
  }
}

/// What may be taken over depends on the toolkit, whose version comes with the first compiled binary. The baseline's is
/// waited for, because it must not become the twin of something that is not run. False until then.
bool SearchLoop::begin_asking() {
  if (asking_ != Asking::not_begun) return true;
  if (may_reuse_ && !is_baseline_compiled()) return false;
  asking_ = Asking::begun;
  if (may_reuse_ && !compile_.toolkit().empty()) read_earlier_trials();
  if (replay_) return true;
  add_previous_winner();
  add_serving();
  return true;
}

void SearchLoop::read_earlier_trials() {
  try {
    earlier_.read_trials(parts_.store, common_, compile_.toolkit());
    if (const auto cost_ms = earlier_.result_cost_ms()) result_cost_.settle(*cost_ms / 1e3);
  } catch (const Error& error) {
    parts_.observer.warning(fmt::format("{} Everything is measured again.", error.what()));
  }
}

/// A winner of an earlier session is measured again whatever the strategy asks and `where` excludes: it is what users
/// run now, and only something faster may replace it.
void SearchLoop::add_previous_winner() {
  try {
    const auto decision = parts_.store.find_decision(common_.key);
    if (!decision || decision->reuse_hash != task_.reuse_hash()) return;
    const search::Configuration previous = task_.space().parse(decision->configuration);
    if (!task_.accepts(previous)) return;
    earlier_decision_ = decision;
    if (previous == candidates_[*baseline_].configuration) return;
    previous_ = candidates_.add(previous);
    start(*previous_);
  } catch (const Error&) {
    // An unreadable store is reported when trials are written; values that are gone from the space need no words.
  }
}

/// What a program uses now is to be compared with the winner, whatever the strategy asks.
void SearchLoop::add_serving() {
  if (options_.serving.empty()) return;
  try {
    const search::Configuration serving = task_.space().parse(options_.serving);
    if (!task_.accepts(serving)) return;
    for (const auto& known : {baseline_, previous_}) {
      if (known && candidates_[*known].configuration == serving) serving_ = known;
    }
    if (serving_) return;
    serving_ = candidates_.add(serving);
    start(*serving_);
  } catch (const Error&) {
    // A program that uses what the space no longer has is not compared with anything.
  }
}

// ---- The end ----

/// Nothing could be said before the baseline was timed, and nothing could replace an earlier winner that was not. So
/// whatever a rule says, and although the time of a budget runs from the start, these are waited for.
bool SearchLoop::comparable() const {
  const auto known = [&](const auto& entry) { return !entry || candidates_[*entry].finished; };
  return device_.reference_done() && known(previous_) && known(serving_);
}

bool SearchLoop::exhausted() const {
  const auto evaluations = rules_.evaluations();
  return asking_ == Asking::nothing_left ||
         (evaluations && static_cast<std::uint64_t>(candidates_.asked()) >= *evaluations);
}

bool SearchLoop::gives_up() const {
  return parts_.stop || ((rule_met_ || rules_.out_of_time(seconds())) && comparable());
}

bool SearchLoop::finished() const {
  // A stopped session does not wait until the problem is set up, because nothing of it will be used. Nor for a launch
  // that hangs.
  constexpr std::chrono::seconds kPatience{1};
  if (parts_.stop && device_.state() == DeviceSession::State::unprepared) return true;
  if (device_.busy()) return parts_.stop && Clock::now() - device_.last_answer() > kPatience;
  return gives_up() || (exhausted() && candidates_.all_finished());
}

std::string SearchLoop::why_stopped() const {
  if (rule_met_) return *rule_met_;
  if (stopped_early_) return rules_.why_out_of_time();
  return rules_.why_enough();
}

void SearchLoop::check_progress_is_possible() const {
  if (!compile_.idle() || device_.busy() || gives_up()) return;
  // The device rests, or did until a moment ago: the next round gives it what is ready.
  if ((!ready_.empty() || roofline_.waits()) && device_.can_screen()) return;
  throw Error(Errc::internal, "The session is waiting, but no work is in progress: please report this as a bug.");
}

void SearchLoop::give_up_compiling() {
  compile_.give_up();
  ready_.clear();
  early_.clear();
}

// ---- The way of a configuration ----

void SearchLoop::ask() {
  if (gives_up()) return give_up_compiling();
  if (!begin_asking()) return;
  while (!exhausted() && !gives_up()) {
    const std::size_t count = wanted();
    if (count == 0) return;
    const std::vector<search::Configuration> asked = strategy_->ask(count);
    if (asked.empty()) {
      asking_ = Asking::nothing_left;
      candidates_.count_told_as_asked();
    }
    for (const search::Configuration& configuration : asked) {
      if (candidates_.was_asked(configuration)) continue;  // of another strategy, before this took over
      if (const auto entry = candidates_.ask(configuration)) start(*entry);
    }
    // What was known already is finished, and a strategy may want to hear of it before it asks for more.
    record_finished();
    tell();
  }
}

/// How many more configurations the strategy should be asked for now.
std::size_t SearchLoop::wanted() const {
  if (roofline_.is_deciding()) return 0;
  const std::size_t waiting = ready_.size() + early_.size();
  const std::size_t wanted = std::min(compile_.room(), kLookAhead - std::min(kLookAhead, waiting));
  const auto most_unheard = window();
  if (!most_unheard) return wanted;
  const auto unheard = static_cast<std::uint64_t>(candidates_.unheard());
  const std::uint64_t more = std::min<std::uint64_t>(wanted, *most_unheard - std::min(*most_unheard, unheard));
  const auto most = rules_.evaluations();
  const auto asked = static_cast<std::uint64_t>(candidates_.asked());
  return most ? std::min(more, *most - std::min(*most, asked)) : more;
}

/// Nothing: the strategy may ask for as many as can be worked on.
std::optional<std::uint64_t> SearchLoop::window() const {
  const bool by_results = rules_.may_end_by_results();
  if (!rules_.evaluations() && !by_results) return std::nullopt;
  const std::uint64_t most = rules_.evaluations().value_or(task_.space().size());
  const std::size_t gpus = parts_.device.gpus();
  std::uint64_t part = std::max<std::uint64_t>(most / kPartUnheard, 1);
  if (gpus > 1) part = std::max(part, std::min<std::uint64_t>(most / 2, kNeeded * gpus));
  // Of a small space that turns out to be dear no more is under way by then than may be tried.
  if (rules_.awaits_spending())
    part = std::min(part, most_before_cost_is_known(task_.space().size()) - ResultCost::kSettling);
  return by_results ? std::min<std::uint64_t>(part, kMostUnheard * gpus) : part;
}

/// Once as many as the window allows are asked for, one is told, then one more asked for, and so on. So it is a matter
/// of counts, and not of which candidate was compiled and measured first, what a strategy knows when it asks.
bool SearchLoop::may_tell() const {
  if (roofline_.is_deciding()) return false;
  const auto most_unheard = window();
  return !most_unheard || exhausted() || static_cast<std::uint64_t>(candidates_.unheard()) >= *most_unheard;
}

/// Takes the entry over from an earlier session, or sends it on its way.
void SearchLoop::start(EntryId entry) {
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
    submit_compile(entry, std::move(*request));
  } else {
    candidates_.refuse(entry, Outcome::launch_refused, refusal);
  }
}

void SearchLoop::submit_compile(EntryId entry, CompileRequest request) {
  compile_.submit(std::move(request), [this, entry](CompileReply reply) { take_compiled(entry, std::move(reply)); });
}

bool SearchLoop::take_compiled() {
  const bool busy = compile_.poll();
  if (is_baseline_compiled()) {
    for (auto& [entry, reply] : std::exchange(early_, {})) take_binary(entry, std::move(reply));
  }
  record_finished();
  return busy;
}

/// The baseline comes first: it must not become the twin of a candidate that waits for the baseline to be run.
void SearchLoop::take_compiled(EntryId entry, CompileReply reply) {
  if (is_baseline_compiled() || entry == baseline_ || reply.outcome != Outcome::ok) {
    take_binary(entry, std::move(reply));
  } else {
    early_.emplace_back(entry, std::move(reply));
  }
}

bool SearchLoop::is_baseline_compiled() const {
  return !baseline_ || candidates_[*baseline_].own_binary || candidates_[*baseline_].finished;
}

/// Each array is named once. Some are longer for other values of the parameters.
void SearchLoop::warn_of_arrays(const CompileReply& reply) {
  std::erase_if(unwarned_arrays_, [&](const BoundArgument& argument) {
    const auto array = array_in_cubin(reply.cubin.bytes, argument.name);
    const std::uint64_t described = argument.length * element_size(argument);
    if (!array || array->bytes <= described) return false;
    parts_.observer.warning(partly_filled(argument.name, array->bytes, described));
    return true;
  });
}

/// Once, before anything that waits so is launched. Only of the baseline is PTX needed later.
void SearchLoop::take_ptx(EntryId entry, CompileReply& reply) {
  if (!warned_of_barrier_ && asks_for_grid_barrier(reply.ptx, reply.cubin.kernel)) {
    warned_of_barrier_ = true;
    parts_.observer.warning(std::string(
        trimmed(grid_barrier_text(task_.description(), task_.headers(), candidates_[entry].trial.configuration))));
  }
  if (entry != baseline_) reply.ptx.clear();
}

void SearchLoop::take_binary(EntryId entry, CompileReply reply) {
  warn_of_arrays(reply);
  take_ptx(entry, reply);
  if (candidates_.compiled(entry, std::move(reply))) {
    const Entry& compiled = candidates_[entry];
    if (const cache::Quarantined* quarantined = earlier_.quarantined(compiled)) {
      candidates_.refuse(entry, quarantined->outcome, explain(*quarantined));
    } else {
      ready_.push(entry,
                  evidence(compiled.trial.facts, compiled.geometry, !compiled.trial.launch.empty(), task_.device()));
    }
  }
  const bool fails = entry == baseline_ && candidates_[entry].finished;
  if (fails && !task_.description().reference.is_named()) fail_baseline();
}

void SearchLoop::feed_device() {
  if (!preparation_.may_launch() || gives_up()) return;
  if (device_.state() == DeviceSession::State::prepared) return run_reference();
  if (roofline_.waits() && device_.wants_candidate()) roofline_.measure_again();
  while (!ready_.empty() && device_.wants_candidate()) {
    const EntryId entry = ready_.pop();
    device_.screen(candidates_.candidate(entry), contenders_.time_to_beat(),
                   [this, entry](const DeviceReply& reply) { take_screened(entry, reply); });
  }
}

/// Runs the kernel that the description names as reference, or else the baseline, once it has been compiled.
void SearchLoop::run_reference() {
  if (!task_.description().reference.is_named()) {
    if (!ready_.take(*baseline_)) return;
    device_.run_reference(candidates_.candidate(*baseline_), [this](const DeviceReply& reply) {
      take_screened(*baseline_, reply);
      if (candidates_[*baseline_].trial.outcome != Outcome::ok) fail_baseline();
    });
  } else if (auto reference = preparation_.reference(candidates_[*baseline_].configuration)) {
    device_.run_reference(*std::move(reference), [this](const DeviceReply& reply) {
      if (reply.outcome == Outcome::ok) return;
      throw Error(Errc::baseline_failed,
                  fmt::format("The reference kernel {} fails with {}: {} Nothing can be compared with it.{}",
                              task_.description().reference.kernel, to_string(reply.outcome), reply.message,
                              barrier_text(reply.outcome, {})));
    });
  }
}

void SearchLoop::take_screened(EntryId entry, const DeviceReply& reply) {
  candidates_.ran(entry, reply);
  const cache::Trial& trial = candidates_[entry].trial;
  journal_.quarantine_if_confirmed(candidates_[entry], failure_of(reply));
  if (entry != baseline_) return;
  // A reference that left out what the kernel computes, for want of a launch of its own, would refuse every candidate.
  const bool is_partial = preparation_.has_reference_kernel() && !device_.not_compared().empty();
  if (is_partial && trial.outcome == Outcome::wrong_result) fail_baseline();
  // The baseline is run in any case. If an earlier session has the same to say of it, one row is enough.
  const cache::Trial* known = begin_asking() ? earlier_.trial_of(candidates_[entry]) : nullptr;
  if (known == nullptr || known->outcome != trial.outcome) return;
  if (known->facts.binary_hash == trial.facts.binary_hash) candidates_.mark_reused(entry);
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
  const cache::Trial& trial = candidates_[*baseline_].trial;
  if (replay_) {
    baseline_.reset();
    return device_.skip_reference();
  }
  const std::string sentence = fmt::format(
      "The baseline {} fails with {}: {} Every candidate is compared with it, so it has to run: correct "
      "the kernel or its defaults.{}{}",
      trial.configuration, to_string(trial.outcome), trial.message,
      barrier_text(trial.outcome, candidates_.candidate(*baseline_)),
      t1_edit(task_.description(), trial.outcome, trial.message));
  record_finished();
  journal_.flush();
  throw Error(Errc::baseline_failed, sentence);
}

void SearchLoop::record_finished() {
  for (const EntryId entry : candidates_.take_finished()) {
    settle_cost(entry);
    journal_.add(candidates_[entry]);
    forget_slow(entry);
  }
  if (cost_waits_) journal_.flush();
  cost_waits_ = false;
}

/// The cost is stored before it is used, so that a search that goes on from here asks for the same.
void SearchLoop::settle_cost(EntryId entry) {
  const Entry& finished = candidates_[entry];
  // What is measured again hides the earlier row, and so what is stored there.
  if (!finished.reused && earlier_.has_cost(finished)) candidates_.note_cost(entry, *result_cost_.seconds() * 1e3);
  if (!rules_.awaits_spending() || !finished.asked) return;
  // What is taken over has cost this session nothing, and the earlier one what is stored.
  const cache::Trial* const measured = finished.reused ? earlier_.trial_of(finished) : &finished.trial;
  if (measured == nullptr || !result_cost_.add(*measured)) return;
  candidates_.note_cost(entry, *result_cost_.seconds() * 1e3);
  cost_waits_ = true;
}

/// Drops the binary of an entry that will not be a finalist.
void SearchLoop::forget_slow(EntryId entry) {
  const cache::Trial& trial = candidates_[entry].trial;
  if (!trial.duplicate_of.empty() || trial.outcome != Outcome::ok) return;
  const std::optional<EntryId> forgotten =
      trial.censored ? std::optional(entry) : contenders_.add(*trial.time_ns, entry);
  if (!forgotten) return;
  const auto stands_for = [&](const auto& known) { return known && *forgotten == candidates_.original(*known); };
  const bool needed = *forgotten == baseline_ || stands_for(previous_) || stands_for(serving_);
  if (!needed) candidates_.drop_binary(*forgotten);
}

void SearchLoop::tell() {
  if (!rule_met_) rule_met_ = roofline_.met();
  while (may_tell() && !rule_met_) {
    const std::optional<TellItem> told = candidates_.take_told();
    if (!told) return;
    if (told->in_space) strategy_->tell(told->observation);
    if (told->entry == baseline_ && told->observation.time_ns) rules_.tell_baseline(*told->observation.time_ns);
    rules_.tell(told->observation, told->asked);
    if (const auto belief = strategy_->belief()) rules_.tell(*belief);
    decide_spending();
    roofline_.tell(*told);
    rule_met_ = rules_.met();
  }
}

/// After a number of results, so that it is no matter of which was measured first what a strategy is asked for.
void SearchLoop::decide_spending() {
  if (!rules_.awaits_spending() || rules_.told() < ResultCost::kSettling || !result_cost_.seconds()) return;
  const Spending spending =
      spending_of(*options_.effort, task_.space().size(), *result_cost_.seconds(), options_.percent_worth);
  rules_.spend(spending);
  // Where everything is tried, nobody need choose what is next.
  if (!spending.most) strategy_ = search::make_strategy("exhaustive", task_.space());
}

// ---- What was found ----

std::optional<double> SearchLoop::chance_left() const {
  const auto belief = strategy_->belief();
  if (through_ || !belief) return std::nullopt;
  return belief->chance;
}

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
    for (const EntryId entry : reopened) contenders_.remove(entry);
    for (const EntryId entry : reopened) {
      if (entry == missing[i]) {
        take_binary(entry, std::move(replies[i]));
      } else {
        submit_compile(entry, candidates_.request(entry));
      }
    }
  }
  if (!all_there) run_until_finished();
  return all_there;
}

std::optional<EntryId> SearchLoop::raceable(std::optional<EntryId> entry) const {
  if (!entry || !candidates_[*entry].finished || candidates_[*entry].trial.outcome != Outcome::ok) return std::nullopt;
  return candidates_.original(*entry);
}

std::vector<EntryId> SearchLoop::warm_start() const {
  std::vector<EntryId> entries;
  for (const EntryId id : candidates_.ids()) {
    const Entry& entry = candidates_[id];
    const bool promised = std::find(promising_.begin(), promising_.end(), entry.configuration) != promising_.end();
    if (promised && entry.asked && entry.finished) entries.push_back(id);
  }
  return entries;
}

void SearchLoop::observe(std::string_view phase) const {
  const auto best = candidates_.best();
  parts_.observer.progress(
      {.asked = static_cast<std::uint64_t>(candidates_.asked()),
       .compiled = static_cast<std::uint64_t>(candidates_.compiled()),
       .deduplicated = static_cast<std::uint64_t>(candidates_.deduplicated()),
       .finished = static_cast<std::uint64_t>(candidates_.finished()),
       .failed = static_cast<std::uint64_t>(candidates_.failed()),
       .total = std::min(task_.space().size(), rules_.evaluations().value_or(task_.space().size())),
       .best_ns = candidates_.best_ns(),
       .best_configuration = best ? candidates_.text(*best) : "",
       .elapsed_s = seconds(),
       .phase = std::string(phase)});
}

double SearchLoop::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace tuner::engine
