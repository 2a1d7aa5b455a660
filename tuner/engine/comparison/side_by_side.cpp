#include "tuner/engine/comparison/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/candidates/signature_probe.hpp"
#include "tuner/engine/comparison/same_arguments.hpp"
#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/measure/noise.hpp"
#include "tuner/engine/measure/statistics.hpp"
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
          .scratch_lengths = task.scratch_lengths(configuration),
          .ptx = binary.ptx};
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
  if (&other == &task_) return;
  const std::string what = different_arguments(task_, other);
  if (what.empty()) return;
  throw Error(Errc::bad_usage,
              fmt::format("{} and {} take different arguments, so they cannot run on the same buffers: they differ in "
                          "{}. Make that the same in both, or tune each by itself.",
                          task_.description().file.string(), other.description().file.string(), what));
}

std::vector<std::size_t> SideBySide::add(const std::vector<NewContestant>& all) {
  std::vector<std::size_t> added;
  for (const NewContestant& one : all) {
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

/// What to do with a block that failed: true if blocks go on. A GPU has its hiccups, so an illegal access must happen
/// twice: in the blocks, and when the contestant runs alone, or again later. A worker that was lost may have taken with
/// it which contestant it was: then it is the one that fails alone.
bool SideBySide::goes_on(std::span<const std::size_t> contestants, const DeviceReply& whole, RaceTrouble& trouble) {
  const auto alone = [&](std::size_t slot) {
    RunBlock block;
    block.order = {slot};
    block.launches = trouble.launches;
    return device_.call(std::move(block));
  };
  std::vector<std::size_t> suspects;
  if (const auto culprit = whole.result_of<RunBlock>().culprit) {
    if (whole.outcome != Outcome::illegal_access || trouble.struck.contains(*culprit)) {
      fail(contestants[*culprit], failure_of(whole));
      return false;
    }
    trouble.struck.insert(*culprit);
    suspects.push_back(*culprit);
  } else {
    for (std::size_t slot = 0; slot < contestants.size(); ++slot) suspects.push_back(slot);
  }
  for (const std::size_t slot : suspects) {
    const DeviceReply reply = alone(slot);
    if (reply.ok()) continue;
    fail(contestants[slot], failure_of(reply));
    return false;
  }
  if (++trouble.unexplained < 3) return true;
  throw Error(Errc::device_lost,
              fmt::format("The GPU's worker was lost three times while configurations were timed side by side, but "
                          "none of them loses it alone: {} Run again, and look at the driver's log.",
                          whole.message));
}

/// False if one of them failed to load.
bool SideBySide::load(std::span<const std::size_t> contestants, RaceTrouble& trouble) {
  for (;;) {
    LoadFinalists request;
    for (const std::size_t contestant : contestants) request.candidates.push_back(contestants_[contestant].candidate());
    request.launches = trouble.launches;
    const DeviceReply reply = device_.call(std::move(request));
    if (reply.ok()) return true;
    if (const auto culprit = reply.result_of<LoadFinalists>().culprit) {
      fail(contestants[*culprit], failure_of(reply));
      return false;
    }
    if (++trouble.unexplained >= 3)
      throw Error(Errc::device_lost, "Configurations cannot be loaded side by side: " + reply.message);
  }
}

Panel SideBySide::race(std::span<const std::size_t> contestants, const std::function<bool(const Panel&)>& enough,
                       std::chrono::steady_clock::time_point until) {
  Panel panel(contestants.size(), options_.seed);
  double best_ns = 0;
  for (const std::size_t contestant : contestants) {
    const std::vector<double>& samples = contestants_[contestant].run.samples_ns;
    const double time_ns = samples.empty() ? 0 : median(samples);
    if (best_ns == 0 || time_ns < best_ns) best_ns = time_ns;
  }
  RaceTrouble trouble{.launches = launches_per_sample(best_ns)};
  if (!load(contestants, trouble)) return panel;
  int launched = 0;
  while (!enough(panel) && std::chrono::steady_clock::now() < until && !parts_.stop) {
    RunBlock block;
    block.launches = trouble.launches;
    const std::vector<EntrantId> order = panel.next_block();
    for (const EntrantId entrant : order) block.order.push_back(entrant.index);
    const DeviceReply reply = device_.call(std::move(block));
    if (!reply.ok()) {
      if (!goes_on(contestants, reply, trouble)) return panel;
      continue;
    }
    const BlockResult& result = reply.result_of<RunBlock>();
    panel.add_block({order, result.samples_ns, result.disturbed, result.launches_per_sample});
    launched += result.launches_per_sample;
  }
  for (std::size_t i = 0; i < contestants.size() && !parts_.stop; ++i) {
    const DeviceReply reply = device_.call(RecheckFinalist{i, launched, false});
    if (!reply.ok()) fail(contestants[i], failure_of(reply));
  }
  return panel;
}

bool SideBySide::all_run(std::span<const std::size_t> contestants) const {
  return std::none_of(contestants.begin(), contestants.end(),
                      [this](std::size_t contestant) { return contestants_[contestant].failure.has_value(); });
}

}  // namespace tuner::engine
