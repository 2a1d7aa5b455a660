#include "tuner/engine/recording/recorded_lane.hpp"

#include <fmt/format.h>

#include <utility>

namespace tuner::engine {

namespace {

/// Failures that a compiler finds; everything later is the device's to report.
bool fails_to_compile(Outcome outcome) {
  return outcome == Outcome::compile_error || outcome == Outcome::compile_timeout || outcome == Outcome::compile_memory;
}

}  // namespace

RecordedRows::RecordedRows(const Recording& recording, const Task& task) : recording_(recording) {
  for (const RecordedTrial& trial : recording.trials) rows_.emplace(task.space().text(trial.configuration), &trial);
}

const RecordedTrial& RecordedRows::find(const std::string& configuration) const {
  const auto found = rows_.find(configuration);
  if (found == rows_.end()) {
    throw Error(Errc::bad_recording,
                fmt::format("The configuration {} was not recorded in {}.", configuration, recording_.file.string()));
  }
  return *found->second;
}

void RecordedCompileLane::submit(TicketId ticket, CompileRequest request) {
  const RecordedTrial& row = rows_.find(request.configuration);
  CompileReply reply{.cubin = {.kernel = request.name_expression},
                     .facts = row.facts,
                     .toolkit = recording_.conditions.toolkit,
                     .milliseconds = row.compile_ms};
  if (fails_to_compile(row.outcome)) {
    reply.outcome = row.outcome;
    reply.message = row.message;
  }
  answered_.push_back({ticket, std::move(reply)});
}

void RecordedDeviceLane::submit(TicketId ticket, DeviceRequest request) {
  DeviceReply reply = std::visit([this](const auto& known) { return answer(known); }, request);
  answered_.push_back({ticket, std::move(reply)});
}

DeviceReply RecordedDeviceLane::screen(const std::string& configuration, const ScreenPolicy& policy,
                                       std::optional<double> best_ns) const {
  const RecordedTrial& row = rows_.find(configuration);
  DeviceReply reply{
      .outcome = row.outcome, .message = row.message, .verify_ms = row.verify_ms, .timing_ms = row.bench_ms};
  TimedRun& run = reply.result.emplace<ScreenResult>().run;
  run.occupancy = row.facts.occupancy;
  run.occupancy_limiter = row.facts.occupancy_limiter;
  if (row.outcome != Outcome::ok) return reply;
  Screen timing(policy, best_ns);
  Screen::SampleVerdict verdict = Screen::SampleVerdict::more;
  for (std::size_t i = 0; verdict == Screen::SampleVerdict::more; ++i) {
    verdict = timing.add(row.samples_ns[i % row.samples_ns.size()]);
  }
  run.samples_ns = timing.samples_ns();
  run.censored = timing.censored();
  return reply;
}

DeviceReply RecordedDeviceLane::answer(const RunReference& request) {
  DeviceReply reply = screen(request.candidate.configuration, request.policy, std::nullopt);
  reply.result = ReferenceResult{reply.timed_run(), {}};
  return reply;
}

DeviceReply RecordedDeviceLane::answer(const ScreenCandidate& request) {
  return screen(request.candidate.configuration, request.policy, request.best_ns);
}

DeviceReply RecordedDeviceLane::answer(const LoadFinalists& request) {
  finalists_.clear();
  blocks_ = 0;
  for (const Candidate& candidate : request.candidates) finalists_.push_back(&rows_.find(candidate.configuration));
  return {};
}

DeviceReply RecordedDeviceLane::answer(const RunBlock& request) {
  DeviceReply reply;
  BlockResult& block = reply.result.emplace<BlockResult>();
  for (const std::size_t finalist : request.order) {
    const RecordedTrial& row = *finalists_.at(finalist);
    const std::vector<double>& samples = row.race_ns.empty() ? row.samples_ns : row.race_ns;
    block.samples_ns.push_back(samples[blocks_ % samples.size()]);
  }
  ++blocks_;
  return reply;
}

}  // namespace tuner::engine
