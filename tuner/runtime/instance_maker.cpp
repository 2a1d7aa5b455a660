#include "tuner/runtime/instance_maker.hpp"

#include <fmt/format.h>

#include <utility>

#include "cache/store/store_rules.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/served_winner.hpp"

namespace tuner::detail {
namespace {

LaunchPlan refusing_plan(const KernelState& kernel, const std::string& why) {
  LaunchPlan plan;
  plan.provenance.why = why;
  if (kernel.options.fallback) {
    plan.fallback = &kernel.options.fallback;
    plan.provenance.rung = Rung::fallback;
  }
  return plan;
}

/// What tuning found meanwhile, after all, stays; but where the instance had a plan before, that was not to.
void publish(InstanceState& instance, LaunchPlan plan, bool again) {
  if (again) {
    instance.publish(std::move(plan));
  } else {
    instance.publish_first(std::move(plan));
  }
}

}  // namespace

InstanceMaker::InstanceMaker(const Parts& parts)
    : settings_(parts.settings),
      frozen_(parts.frozen),
      contexts_(parts.contexts),
      stores_(parts.stores),
      loader_(parts.loader),
      engine_(parts.engine),
      tuner_(parts.tuner) {
  if (!settings_.lists_misses()) return;
  wanted_ = std::make_unique<WantedList>(
      options_.database, [this](const std::string& sentence) { settings_.report(Notice::Kind::database, sentence); });
}

InstanceMaker::Made InstanceMaker::make(const Request& request, InstanceState* before) {
  LookupState lookup;
  std::shared_ptr<const Task> task;
  bool remembers = frozen_ == nullptr;  // what others found is none of this database's
  try {
    const DeviceInfo& device = contexts_.info(request.place.device);
    std::optional<LayeredStores::FoundServed> found;
    if (settings_.mode() != Mode::off && frozen_ == nullptr) {
      const std::string place = served_place(request.text, device, to_string(options_.timing));
      found = stores_.served(request.kernel.source, place, lookup);
    }
    if (found) {
      if (auto made = make_served(request, before, *found, lookup.complete())) return *std::move(made);
      remembers = false;
    }
    task = request.kernel.task(request.problem, device);
  } catch (const Error& error) {
    return {.refusal = error.what()};
  }
  std::unique_ptr<InstanceState> fresh;
  if (before == nullptr) fresh = new_instance(request.kernel, task->arguments());
  Pending pending{request, std::move(task), before != nullptr ? *before : *fresh, before != nullptr};
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
  return {std::move(fresh), !pending.may_improve && pending.lookup.complete()};
}

/// From what a start finds without parsing the source. Nothing if it cannot be used as it is: the ladder says why, or
/// has it tuned again.
std::optional<InstanceMaker::Made> InstanceMaker::make_served(const Request& request, InstanceState* before,
                                                              const LayeredStores::FoundServed& found, bool is_final) {
  const ServedWinner& winner = found.winner;
  const Provenance provenance =
      stored_provenance(Rung::exact, winner.decision, found.database, contexts_.info(request.place.device));
  if (wants_more(provenance) && !BackgroundTuner::forbidden(request.place.device)) return std::nullopt;
  if (provenance.stale && settings_.mode() != Mode::cache) return std::nullopt;
  std::unique_ptr<InstanceState> fresh;
  try {
    LaunchPlan plan = loader_.load(request.place, winner.facts, provenance, found.cubin);
    if (before == nullptr) fresh = new_instance(request.kernel, winner.facts.arguments);
    (before != nullptr ? *before : *fresh).publish(std::move(plan));
  } catch (const Error&) {
    return std::nullopt;
  }
  return Made{std::move(fresh), is_final};
}

std::unique_ptr<InstanceState> InstanceMaker::new_instance(const KernelState& kernel,
                                                           std::vector<BoundArgument> arguments) const {
  return std::make_unique<InstanceState>(
      kernel.outline->kernel, std::move(arguments),
      [this](Notice::Kind kind, const std::string& sentence) { settings_.report(kind, sentence); });
}

std::unique_ptr<InstanceState> InstanceMaker::make_refusal(const KernelState& kernel, const std::string& why) const {
  auto refused = new_instance(kernel, {});
  refused->publish(refusing_plan(kernel, why));
  return refused;
}

/// Whether what is stored for the problem is the result of less effort than is wanted. Tuning beside the program goes
/// on from where a quick search ended.
bool InstanceMaker::wants_more(const Provenance& provenance) const {
  if (options_.tune_evaluations != 0 || !settings_.tunes()) return false;
  const Effort wanted =
      settings_.mode() == Mode::background ? std::max(options_.effort, Effort::normal) : options_.effort;
  return provenance.effort.value_or(Effort::normal) < wanted;  // unknown: of an earlier version
}

/// Where to count the launches of what serves in place of a decision; null if none is missing, as far as could be seen.
WantedList::Count* InstanceMaker::note_miss(Pending& pending, const Ladder& ladder, const Provenance& served) {
  if (!wanted_ || ladder.found_exact() || !pending.lookup.complete()) return nullptr;
  const bool is_request = !pending.again && !std::exchange(pending.is_noted, true);
  return wanted_->note(ladder.key(), pending.request.kernel.description(), served, is_request);
}

/// Publishes the best plan that can be had now, and starts tuning where that is wanted.
void InstanceMaker::fill(Pending& pending) {
  const bool tunes = settings_.tunes();
  std::optional<std::string> declined;
  if (tunes && !pending.request.capturing) declined = tuner_.why_not(*pending.task, pending.request.place);
  const BackgroundTuner::Order order{pending.request.kernel, pending.request.place, pending.task, pending.instance,
                                     pending.since_unix_ms};
  const bool may_tune = tunes && !pending.request.capturing && !declined && !pending.instance.tuning();

  if (settings_.mode() == Mode::tune && may_tune) {
    Ladder only_exact(*pending.task, {true, true, options_.timing}, stores_, pending.lookup);
    const bool is_served = serve(pending, only_exact);
    if (is_served && !wants_more(pending.instance.plan().provenance)) return;
    // What could not be seen may be there.
    if (pending.lookup.complete() && tuner_.tune_and_wait(order)) return;
    if (is_served) return;
  }
  Ladder ladder(*pending.task, {settings_.mode() != Mode::off, options_.exact_only, options_.timing, frozen_}, stores_,
                pending.lookup);
  if (!serve(pending, ladder)) {
    LaunchPlan plan = refusing_plan(pending.request.kernel, ladder.reasons());
    plan.launches = note_miss(pending, ladder, plan.provenance);
    publish(pending.instance, std::move(plan), pending.again);
    if (!pending.again) settings_.report(Notice::Kind::request, ladder.reasons());
  }
  const Provenance& provenance = pending.instance.plan().provenance;
  if (provenance.rung == Rung::exact && !provenance.stale && (declined || !wants_more(provenance))) return;
  if (declined) {
    const std::string sentence = fmt::format("`{}` is not tuned for {}: {}", pending.request.kernel.outline->kernel,
                                             problem_text(pending.task->problem()), *declined);
    settings_.report(Notice::Kind::tuning, sentence);
    LaunchPlan told = pending.instance.plan();
    told.provenance.why += " It is not tuned: " + *declined;
    pending.instance.publish(std::move(told));
  } else if (tunes && pending.request.capturing) {
    pending.may_improve = true;  // it is tuned when it is asked for again
  } else if (may_tune && settings_.mode() == Mode::background && pending.lookup.complete()) {
    tuner_.tune(order);
  }
}

/// Publishes the first offer that can be loaded; false if there is none.
bool InstanceMaker::serve(Pending& pending, Ladder& ladder) {
  int failures = 0;
  while (const auto offer = ladder.next()) {
    // Before the binary is there: the list is written meanwhile, so that a program that ends at once leaves its entry.
    WantedList::Count* const launches = note_miss(pending, ladder, offer->provenance);
    const auto binary = find_or_compile(pending, *offer, ladder, failures);
    if (!binary) continue;
    try {
      LaunchPlan plan = loader_.load(pending.request.place, launch_facts(*pending.task, offer->configuration),
                                     offer->provenance, *binary);
      plan.launches = launches;
      publish(pending.instance, std::move(plan), pending.again);
      remember_served(pending, *offer, *binary);
      return true;
    } catch (const Error& error) {
      ladder.reject(fmt::format("The binary of {} is not used: {}", offer->provenance.configuration, error.what()));
    }
  }
  return false;
}

std::optional<cache::Cubin> InstanceMaker::find_or_compile(Pending& pending, const Offer& offer, Ladder& ladder,
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
  if (pending.request.capturing) {
    pending.may_improve = true;
    ladder.reject(
        fmt::format("No binary of {} is stored, and nothing is compiled while a graph is captured.", configuration));
    return std::nullopt;
  }
  if (failures >= kMostFailures) return std::nullopt;
  const CompileAnswer answer = engine_.compile(*pending.task, configuration, key);
  if (answer.outcome == Outcome::ok) return answer.cubin;
  if (answer.outcome == Outcome::compile_error) {
    ladder.reject(fmt::format("{} does not compile: {}", configuration, answer.message));
    return std::nullopt;
  }
  if (++failures == 1) settings_.report(Notice::Kind::engine, answer.message);
  pending.may_improve = true;
  ladder.reject(
      fmt::format("No usable binary of {} is stored, and it cannot be compiled: {}", configuration, answer.message));
  return std::nullopt;
}

/// Writes the row from which the next start is served, unless that cannot be done now: another start will do it.
void InstanceMaker::remember_served(const Pending& pending, const Offer& offer, const cache::Cubin& binary) noexcept
    try {
  if (!pending.remembers || pending.request.capturing || offer.provenance.rung != Rung::exact) return;
  stores_.remember(served_row(*pending.task, pending.request.kernel.source, offer.decision, binary),
                   offer.provenance.database);
} catch (...) {
}

}  // namespace tuner::detail
