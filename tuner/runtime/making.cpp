// How an instance is made: from the row of its source, problem and device, or by the ladder.
#include <fmt/format.h>

#include <utility>

#include "cache/file/hash.hpp"
#include "cache/store/store_rules.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/runtime/runtime_state.hpp"
#include "tuner/runtime/signature.hpp"
#include "tuner/runtime/time_limits.hpp"

namespace tuner::detail {
namespace {

std::vector<ValueSize> value_sizes(const std::vector<BoundArgument>& arguments,
                                   const std::vector<KernelParameter>& parameters) {
  std::vector<ValueSize> sizes;
  std::size_t parameter = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_parameter(arguments[i].role)) continue;
    const auto bytes = static_cast<std::uint32_t>(parameters[parameter++].size);
    if (arguments[i].role == Argument::Role::value) sizes.push_back({i, bytes});
  }
  return sizes;
}

TunedValues tuned_values(const std::vector<ParameterValue>& parameters) {
  std::vector<TunedValues::Named> values;
  for (const auto& [name, value] : parameters) {
    TunedValues::Named named{name, value.is_name() ? value.as_name() : std::string()};
    if (value.is_integer()) named.value = value.as_integer();
    if (value.is_real()) named.value = value.as_real();
    if (value.is_boolean()) named.value = value.as_boolean();
    values.push_back(std::move(named));
  }
  return TunedValues(std::move(values));
}

}  // namespace

/// Throws Error if there is no such problem. `problem` is canonical.
std::shared_ptr<const Task> RuntimeState::task_for(const KernelState& kernel, const std::string& problem, int device) {
  return std::make_shared<const Task>(kernel.description(), parse_problem(problem), contexts_.info(device),
                                      std::vector<std::string>{}, std::vector<std::filesystem::path>{},
                                      search::Listing::when_needed);
}

EngineClient& RuntimeState::engine() {
  std::call_once(engine_started_, [this] { engine_ = std::make_unique<EngineClient>(); });
  return *engine_;
}

/// Makes the claimed instance, or gives the one that is there another plan.
const Instance& RuntimeState::make(const Wanted& wanted) {
  LookupState lookup;
  std::shared_ptr<const Task> task;
  bool remembers = !frozen_;  // what others found is none of this database's
  try {
    const DeviceInfo& device = contexts_.info(wanted.place.device);
    std::optional<LayeredStores::FoundServed> found;
    if (mode_ != Mode::off && !frozen_) {
      const std::string place = served_place(wanted.key.second, device, to_string(timing_));
      found = stores_.served(wanted.kernel.source, place, lookup);
    }
    if (found) {
      if (const Instance* const instance = make_served(wanted, *found, lookup.complete())) return *instance;
      remembers = false;
    }
    task = task_for(wanted.kernel, wanted.key.second, wanted.place.device);
  } catch (const Error& error) {
    return refuse_always(wanted.kernel, wanted.values, error.what());
  }
  InstanceState* const before = known_instance(wanted);
  std::unique_ptr<InstanceState> fresh;
  if (before == nullptr) fresh = new_instance(wanted.kernel, task->arguments());
  PendingInstance pending{wanted.kernel,    wanted.place,     task, before != nullptr ? *before : *fresh,
                          wanted.capturing, before != nullptr};
  pending.since_unix_ms = cache::now_unix_ms();
  pending.lookup = std::move(lookup);
  pending.remembers = remembers;
  try {
    fill(pending);
    if (pending.is_noted) wanted_->await_first();
  } catch (...) {
    if (fresh && fresh->tuning()) static_cast<void>(fresh.release());  // the engine's answer will come to it
    throw;
  }
  return keep(wanted, std::move(fresh), !pending.may_improve && pending.lookup.complete());
}

/// From what a start finds without parsing the source. Null if it cannot be used as it is: the ladder says why, or has
/// it tuned again.
const Instance* RuntimeState::make_served(const Wanted& wanted, const LayeredStores::FoundServed& found,
                                          bool is_final) {
  const ServedWinner& winner = found.winner;
  const Provenance provenance =
      stored_provenance(Rung::exact, winner.decision, found.database, contexts_.info(wanted.place.device));
  if (wants_more(provenance) && !tuning_is_forbidden(wanted.place.device)) return nullptr;
  if (provenance.stale && mode_ != Mode::cache) return nullptr;
  InstanceState* const before = known_instance(wanted);
  std::unique_ptr<InstanceState> fresh;
  try {
    LaunchPlan plan = load(wanted.place, winner.facts, provenance, found.cubin);
    if (before == nullptr) fresh = new_instance(wanted.kernel, winner.facts.arguments);
    (before != nullptr ? *before : *fresh).publish(std::move(plan));
  } catch (const Error&) {
    return nullptr;
  }
  return &keep(wanted, std::move(fresh), is_final);
}

/// Whether what is stored for the problem is the result of less effort than is wanted. Tuning beside the program goes
/// on from where a quick search ended.
bool RuntimeState::wants_more(const Provenance& provenance) const {
  if (options_.tune_evaluations != 0 || (mode_ != Mode::background && mode_ != Mode::tune)) return false;
  const Effort wanted = mode_ == Mode::background ? std::max(options_.effort, Effort::normal) : options_.effort;
  return provenance.effort.value_or(Effort::normal) < wanted;  // unknown: of an earlier version
}

/// What tuning found meanwhile, after all, stays.
void RuntimeState::publish(PendingInstance& pending, LaunchPlan plan) {
  if (pending.again) {
    pending.instance.publish(std::move(plan));
  } else {
    pending.instance.publish_first(std::move(plan));
  }
}

/// Where to count the launches of what serves in place of a decision; null if none is missing, as far as could be seen.
WantedList::Count* RuntimeState::note_miss(PendingInstance& pending, const Ladder& ladder, const Provenance& served) {
  if (!wanted_ || ladder.found_exact() || !pending.lookup.complete()) return nullptr;
  const bool is_request = !pending.again && !std::exchange(pending.is_noted, true);
  return wanted_->note(ladder.key(), pending.kernel.description(), served, is_request);
}

/// Publishes the best plan that can be had now, and starts tuning where that is wanted.
void RuntimeState::fill(PendingInstance& pending) {
  const bool tunes = mode_ == Mode::background || mode_ == Mode::tune;
  std::optional<std::string> declined;
  if (tunes && !pending.capturing) declined = why_not_tune(pending);
  const bool may_tune = tunes && !pending.capturing && !declined && !pending.instance.tuning();

  if (mode_ == Mode::tune && may_tune) {
    Ladder only_exact(*pending.task, {true, true, timing_}, stores_, pending.lookup);
    const bool is_served = serve(pending, only_exact);
    if (is_served && !wants_more(pending.instance.plan().provenance)) return;
    // What could not be seen may be there.
    if (pending.lookup.complete() && tune_and_wait(pending)) return;
    if (is_served) return;
  }
  Ladder ladder(*pending.task, {mode_ != Mode::off, options_.exact_only, timing_, frozen_.get()}, stores_,
                pending.lookup);
  if (!serve(pending, ladder)) {
    LaunchPlan plan = last_resort(pending.kernel, ladder.reasons());
    plan.launches = note_miss(pending, ladder, plan.provenance);
    publish(pending, std::move(plan));
    if (!pending.again) report(Notice::Kind::request, ladder.reasons());
  }
  const Provenance& provenance = pending.instance.plan().provenance;
  if (provenance.rung == Rung::exact && !provenance.stale && (declined || !wants_more(provenance))) return;
  if (declined) {
    const std::string sentence = fmt::format("`{}` is not tuned for {}: {}", pending.kernel.outline->kernel,
                                             problem_text(pending.task->problem()), *declined);
    report(Notice::Kind::tuning, sentence);
    LaunchPlan told = pending.instance.plan();
    told.provenance.why += " It is not tuned: " + *declined;
    pending.instance.publish(std::move(told));
  } else if (tunes && pending.capturing) {
    pending.may_improve = true;  // it is tuned when it is asked for again
  } else if (may_tune && mode_ == Mode::background && pending.lookup.complete()) {
    start_tuning(pending, false);
  }
}

/// Publishes the first offer that can be loaded; false if there is none.
bool RuntimeState::serve(PendingInstance& pending, Ladder& ladder) {
  int failures = 0;
  while (const auto offer = ladder.next()) {
    // Before the binary is there: the list is written meanwhile, so that a program that ends at once leaves its entry.
    WantedList::Count* const launches = note_miss(pending, ladder, offer->provenance);
    const auto binary = find_or_compile(pending, *offer, ladder, failures);
    if (!binary) continue;
    try {
      LaunchPlan plan =
          load(pending.place, launch_facts(*pending.task, offer->configuration), offer->provenance, *binary);
      plan.launches = launches;
      publish(pending, std::move(plan));
      remember_served(pending, *offer, *binary);
      return true;
    } catch (const Error& error) {
      ladder.reject(fmt::format("The binary of {} is not used: {}", offer->provenance.configuration, error.what()));
    }
  }
  return false;
}

std::optional<cache::Cubin> RuntimeState::find_or_compile(PendingInstance& pending, const Offer& offer, Ladder& ladder,
                                                          int& failures) {
  /// So often the compiler may be lost or late for one request: it may be the configuration, or no compiler is to be
  /// had.
  constexpr int kMostFailures = 2;
  const std::string key = binary_key(*pending.task, offer.configuration);
  cache::Hash measured;
  if (offer.frozen != nullptr) {
    if (offer.frozen->binary_key == key && !offer.frozen->binary.bytes.empty()) return offer.frozen->binary;
    measured = offer.frozen->binary_hash;
  } else if (offer.provenance.rung == Rung::exact) {  // else another binary was measured
    measured = offer.decision.binary_hash;
  }
  if (auto binary = stores_.binary(key, measured, pending.lookup)) return binary;
  const std::string& configuration = offer.provenance.configuration;
  if (pending.capturing) {
    pending.may_improve = true;
    ladder.reject(
        fmt::format("No binary of {} is stored, and nothing is compiled while a graph is captured.", configuration));
    return std::nullopt;
  }
  if (failures >= kMostFailures) return std::nullopt;
  const CompileAnswer answer = compile(*pending.task, configuration, key);
  if (answer.outcome == Outcome::ok) return answer.cubin;
  if (answer.outcome == Outcome::compile_error) {
    ladder.reject(fmt::format("{} does not compile: {}", configuration, answer.message));
    return std::nullopt;
  }
  if (++failures == 1) report(Notice::Kind::engine, answer.message);
  pending.may_improve = true;
  ladder.reject(
      fmt::format("No usable binary of {} is stored, and it cannot be compiled: {}", configuration, answer.message));
  return std::nullopt;
}

/// Asks the engine. What it compiled, or what does not compile, is asked for once: where nothing can be stored, each
/// new problem would compile the same again.
CompileAnswer RuntimeState::compile(const Task& task, const std::string& configuration, const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second;
  }
  CompileAnswer answer = engine().compile({subject(task), configuration}, after(options_.compile_limit));
  if (answer.outcome == Outcome::ok || answer.outcome == Outcome::compile_error) {
    const std::lock_guard lock(mutex_);
    compiled_.emplace(key, answer);
  }
  return answer;
}

/// Writes the row from which the next start is served, unless that cannot be done now: another start will do it.
void RuntimeState::remember_served(const PendingInstance& pending, const Offer& offer,
                                   const cache::Cubin& binary) noexcept try {
  if (!pending.remembers || pending.capturing || offer.provenance.rung != Rung::exact) return;
  stores_.remember(served_row(*pending.task, pending.kernel.source, offer.decision, binary), offer.provenance.database);
} catch (...) {
}

JobSubject RuntimeState::subject(const Task& task) const {
  const KernelDescription& description = task.description();
  return {description.source, description.file, full_name(description), description.given_headers,
          task.problem(),     task.device(),    options_.database};
}

LaunchPlan RuntimeState::load(const ContextPlace& place, const LaunchFacts& launch, const Provenance& provenance,
                              const cache::Cubin& binary) {
  LaunchPlan plan;
  if (const auto facts = facts_from_cubin(binary.bytes, binary.kernel)) {
    if (const auto why = why_not_described(launch.kernel, launch.arguments, facts->parameters))
      throw Error(Errc::bad_description, *why);
    plan.value_sizes = value_sizes(launch.arguments, facts->parameters);
  }
  const cache::Hash hash = cache::content_hash(binary.bytes);  // whatever a message said
  plan.geometry = launch.geometry;
  plan.function = modules_.load(place, binary.bytes, hash, binary.kernel, launch, contexts_.info(place.device));
  plan.constants = modules_.constants(place, binary.bytes, hash, launch.arguments);
  for (const ConstantCopy& constant : plan.constants) {
    if (constant.array_bytes == constant.bytes) continue;
    const std::string& array = launch.arguments[constant.position].name;
    if (modules_.is_news(launch.kernel, array)) {
      report(Notice::Kind::request, partly_filled(array, constant.array_bytes, constant.bytes));
    }
  }
  (plan.constants.empty() ? plan.launch : plan.launch_after_copies) = cuda::driver().launch;
  plan.copy = cuda::driver().copy_on_device;
  plan.bound = launch.bound;
  plan.buffers = launch.buffers;
  plan.scratch = &scratch_.in(cuda::driver(), place);
  plan.values = tuned_values(launch.values);
  plan.provenance = provenance;
  plan.binary = hash;
  return plan;
}

}  // namespace tuner::detail
