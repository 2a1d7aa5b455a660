#include "tuner/engine/comparison/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/measure/noise.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/engine/session/candidate_request.hpp"
#include "tuner/engine/session/signature_probe.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

search::Configuration baseline_of(const Task& task) {
  if (const auto baseline = task.baseline()) return *baseline;
  throw Error(Errc::baseline_failed,
              fmt::format("The defaults of {} are no valid configuration, so there is nothing to verify results with: "
                          "{} Choose defaults that satisfy every constraint.",
                          task.description().kernel, task.space().why_invalid(task.space().defaults()).value_or("")));
}

Candidate candidate_of(const Task& task, const search::Configuration& configuration, const CompileReply& binary) {
  return {.configuration = task.space().text(configuration),
          .cubin = binary.cubin,
          .parameters = binary.parameters,
          .geometry = task.geometry(configuration),
          .scratch_lengths = task.scratch_lengths(configuration)};
}

}  // namespace

Candidate Contestant::candidate() const {
  return candidate_of(*task, configuration, binary);
}

SideBySide::SideBySide(const Task& task, const SessionOptions& options, const SessionParts& parts)
    : task_(task),
      options_(options),
      parts_(parts),
      baseline_(baseline_of(task)),
      journal_(parts.store, parts.observer, options),
      compile_(parts.compile, journal_, parts.stop),
      device_(task, options, parts.device, parts.observer, journal_),
      preparation_(task, compile_, device_) {}

void SideBySide::prepare() {
  prepared_ = true;
  std::vector<SignatureProbe> probes = signature_probes(task_, baseline_);
  preparation_.prepare_device(parts_.device.support_sources());
  preparation_.compile_probes(std::move(probes));
  preparation_.compile_reference(baseline_);
  if (task_.description().reference.is_named()) return;
  compile_.submit(compile_request(task_, baseline_), [this](CompileReply reply) {
    if (reply.outcome != Outcome::ok) {
      throw Error(Errc::baseline_failed,
                  fmt::format("The baseline of {}, which says what is right, does not compile: {}",
                              task_.description().file.string(), reply.message));
    }
    baseline_binary_ = std::move(reply);
  });
}

void SideBySide::run_reference() {
  std::optional<Candidate> reference = preparation_.reference(baseline_);
  if (baseline_binary_) reference = candidate_of(task_, baseline_, *baseline_binary_);
  if (!reference) return;
  device_.run_reference(*std::move(reference), [this](const DeviceReply& reply) {
    if (reply.ok()) return;
    throw Error(
        Errc::baseline_failed,
        fmt::format("What says which results of {} are right fails with {}: {} Nothing can be compared with it.",
                    task_.description().kernel, to_string(reply.outcome), reply.message));
  });
}

void SideBySide::require_same_arguments(const Task& other) const {
  if (&other == &task_ || other.reuse_hash() == task_.reuse_hash()) return;
  throw Error(Errc::bad_usage,
              fmt::format("{} and {} describe different arguments, so they cannot run on the same buffers. Give both "
                          "the same arguments, generators, tolerances and reference, or tune each by itself.",
                          task_.description().file.string(), other.description().file.string()));
}

std::vector<std::size_t> SideBySide::add(const std::vector<Wanted>& wanted) {
  std::vector<std::size_t> added;
  for (const Wanted& one : wanted) {
    require_same_arguments(*one.task);
    added.push_back(contestants_.size());
    Contestant& contestant = contestants_.emplace_back();
    contestant.task = one.task;
    contestant.configuration = one.configuration;
    contestant.text = one.task->space().text(one.configuration);
    contestant.geometry = one.task->geometry(one.configuration);
  }
  if (!prepared_) prepare();
  for (const std::size_t contestant : added) compile(contestant);
  work_until([&] { return compiling_ == 0 && device_.can_screen() && !device_.busy(); });
  for (const std::size_t contestant : added) {
    if (contestants_[contestant].failure || parts_.stop) continue;
    device_.screen(contestants_[contestant].candidate(), std::nullopt, [this, contestant](const DeviceReply& reply) {
      if (!reply.ok()) fail(contestant, failure_of(reply));
      contestants_[contestant].run = reply.timed_run();
    });
    work_until([&] { return !device_.busy(); });
  }
  return added;
}

void SideBySide::compile(std::size_t contestant) {
  ++compiling_;
  const Contestant& one = contestants_[contestant];
  compile_.submit(compile_request(*one.task, one.configuration), [this, contestant](CompileReply reply) {
    --compiling_;
    if (reply.outcome != Outcome::ok) fail(contestant, {.outcome = reply.outcome, .message = reply.message});
    contestants_[contestant].binary = std::move(reply);
  });
}

void SideBySide::work_until(const std::function<bool()>& done) {
  while (!done() && !parts_.stop) {
    bool busy = compile_.poll();
    busy = device_.poll() || busy;
    if (device_.state() == DeviceSession::State::prepared && preparation_.may_launch()) run_reference();
    if (!busy && !done()) wait_for(journal_.wake_at(), parts_.compile, parts_.device);
  }
}

CountResult SideBySide::count(std::size_t contestant) {
  const auto names = counter_names();
  const DeviceReply reply =
      device_.call(CountCandidate{contestants_[contestant].candidate(), {names.begin(), names.end()}});
  CountResult result = reply.result_of<CountCandidate>();
  if (!reply.ok()) result.refused = reply.message;
  return result;
}

/// A worker that was lost took with it which contestant it was: then it is the one that fails when run alone.
void SideBySide::find_culprit(std::span<const std::size_t> contestants, const DeviceReply& whole) {
  if (const auto culprit = whole.result_of<RunBlock>().culprit) return fail(contestants[*culprit], failure_of(whole));
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const DeviceReply alone = device_.call(RunBlock{.order = {i}});
    if (!alone.ok()) return fail(contestants[i], failure_of(alone));
  }
  throw Error(Errc::device_lost,
              fmt::format("The GPU's worker was lost while configurations were timed side by side, but none of them "
                          "loses it alone: {} Run again, and look at the driver's log.",
                          whole.message));
}

Panel SideBySide::race(std::span<const std::size_t> contestants, const std::function<bool(const Panel&)>& enough,
                       std::chrono::steady_clock::time_point until) {
  Panel panel(contestants.size(), options_.seed);
  LoadFinalists load;
  double best_ns = 0;
  for (const std::size_t contestant : contestants) {
    load.candidates.push_back(contestants_[contestant].candidate());
    const std::vector<double>& samples = contestants_[contestant].run.samples_ns;
    const double time_ns = samples.empty() ? 0 : median(samples);
    if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
  }
  load.launches = launches_per_sample(best_ns);
  const int launches = load.launches;
  const DeviceReply loaded = device_.call(std::move(load));
  if (!loaded.ok()) {
    fail(contestants[loaded.result_of<LoadFinalists>().culprit.value_or(0)], failure_of(loaded));
    return panel;
  }
  std::vector<int> launched(contestants.size(), 0);
  while (!enough(panel) && std::chrono::steady_clock::now() < until && !parts_.stop) {
    RunBlock block;
    block.launches = launches;
    const std::vector<EntrantId> order = panel.next_block();
    for (const EntrantId entrant : order) block.order.push_back(entrant.index);
    const DeviceReply reply = device_.call(std::move(block));
    if (!reply.ok()) {
      find_culprit(contestants, reply);
      return panel;
    }
    const BlockResult& result = reply.result_of<RunBlock>();
    panel.add_block({order, result.samples_ns, result.disturbed, result.launches_per_sample});
    for (int& count : launched) count += result.launches_per_sample;
  }
  for (std::size_t i = 0; i < contestants.size() && !parts_.stop; ++i) {
    const DeviceReply reply = device_.call(RecheckFinalist{i, launched[i], false});
    if (!reply.ok()) fail(contestants[i], failure_of(reply));
  }
  return panel;
}

}  // namespace tuner::engine
