#include "tuner/engine/workplace/device_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/not_compared.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/lanes/call.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

DeviceCheck::DeviceCheck(Options options, const std::atomic<bool>& stop, CountCompiled count_compiled,
                         CountRun count_run)
    : options_(std::move(options)),
      stop_(stop),
      count_running_(std::move(count_run)),
      compile_(options_.compile, stop, std::move(count_compiled)),
      device_({.ordinal = options_.device, .stop = &stop}) {}

const DeviceInfo& DeviceCheck::device() {
  return wait_for_gpu(device_, options_.device);
}

void DeviceCheck::run(const ProblemValues& problem, const Pick& pick) {
  const Task task(options_.kernel, problem, device(), {}, options_.compile.include_folders,
                  search::Listing::when_needed);
  const std::optional<search::Configuration> baseline = task.baseline();
  if (!baseline)
    throw Error(Errc::baseline_failed,
                "The kernel's own constraints exclude its defaults, so there is nothing to compare with: change a "
                "`default` or a constraint.");
  const std::string text = problem_text(task.problem());
  Candidates candidates(task, cache::Trial{});
  choose_compiler(task, *baseline);
  compile_.check_signatures(task, *baseline);
  if (stop_) interrupted();
  prepare(task, *baseline);
  const EntryId first = candidates.add(*baseline);
  candidates.compiled(first, compile({candidates.request(first)}).front());
  run_reference(task, candidates, first, *baseline, text);

  std::vector<EntryId> entries;
  std::vector<CompileRequest> sources;
  for (const std::string& picked : pick()) {
    const std::optional<EntryId> entry = candidates.ask(task.space().parse(picked));
    if (!entry) continue;  // the baseline
    entries.push_back(*entry);
    sources.push_back(candidates.request(*entry));
  }
  std::vector<CompileReply> binaries = compile(std::move(sources));
  for (std::size_t i = 0; i < entries.size() && !stop_; ++i) {
    ++checked_;
    if (binaries[i].outcome != Outcome::ok) {
      note(binaries[i].outcome, binaries[i].message, candidates.text(entries[i]), text);
      continue;
    }
    if (!candidates.compiled(entries[i], std::move(binaries[i]))) continue;  // the same program as another one
    const DeviceReply reply = ask(ScreenCandidate{candidates.candidate(entries[i]), {.samples = 1}, std::nullopt});
    candidates.ran(entries[i], reply);
    note(reply.outcome, reply.message, candidates.text(entries[i]), text);
    count_running_(i + 1, entries.size());
  }
  problems_.push_back(text);
}

void DeviceCheck::interrupted() {
  throw Error(Errc::device_lost, "The check was interrupted.");
}

DeviceReply DeviceCheck::ask(DeviceRequest request) {
  std::optional<DeviceReply> reply = call(device_, std::move(request), stop_);
  if (!reply) interrupted();
  return *std::move(reply);
}

std::vector<CompileReply> DeviceCheck::compile(std::vector<CompileRequest> requests) {
  std::vector<CompileReply> replies;
  for (std::optional<CompileReply>& reply : compile_.compile(std::move(requests))) {
    if (!reply) interrupted();
    replies.push_back(std::move(*reply));
  }
  if (stop_) interrupted();
  return replies;
}

void DeviceCheck::choose_compiler(const Task& task, const search::Configuration& baseline) {
  if (!options_.recorded || std::exchange(has_compiler_, true)) return;
  const auto chosen = compile_.choose_compiler(compile_request(task, baseline), *options_.recorded);
  if (!chosen) interrupted();
  notes_.push_back(chosen->sentence);
}

void DeviceCheck::prepare(const Task& task, const search::Configuration& baseline) {
  std::vector<CompileRequest> support;
  for (const std::string& source : device_.support_sources())
    support.push_back(support_request(source, task.device().architecture()));
  PrepareProblem problem;
  problem.arguments = task.arguments_with_data();
  problem.deterministic = task.description().deterministic;
  problem.seed = options_.seed;
  problem.mode = Timing::warm;
  for (CompileReply& reply : compile(std::move(support)))
    problem.support_cubins.push_back(std::move(reply.cubin.bytes));
  if (auto values = value_request(task, baseline))
    problem.value_cubin = value_cubin(compile({*std::move(values)}).front());
  const DeviceReply reply = ask(std::move(problem));
  if (reply.outcome != Outcome::ok)
    throw Error(Errc::device_lost,
                "The buffers for " + problem_text(task.problem()) + " cannot be prepared: " + reply.message);
}

void DeviceCheck::run_reference(const Task& task, const Candidates& candidates, EntryId baseline,
                                const search::Configuration& configuration, const std::string& problem) {
  const bool named = task.description().reference.is_named();
  CompileReply binary;
  if (named) binary = compile({reference_request(task, configuration)}).front();
  const Candidate candidate = named ? reference_candidate(task, configuration, binary) : candidates.candidate(baseline);
  if (candidate.cubin.bytes.empty())
    throw Error(Errc::baseline_failed, fmt::format("The reference does not compile: {}",
                                                   named ? binary.message : candidates[baseline].trial.message));
  const DeviceReply reply = ask(RunReference{candidate, {.samples = 1}});
  note_not_compared(task, reply.result_of<RunReference>().not_compared, candidates.text(baseline), problem);
  if (reply.outcome != Outcome::ok)
    throw Error(
        Errc::baseline_failed,
        fmt::format("The reference fails on {} with {}: {} `tuner check --host` reports the line.{}", problem,
                    to_string(reply.outcome), reply.message, grid_barrier_text(task.description(), task.headers())));
  ++checked_;
  if (!named) return;
  const DeviceReply own = ask(ScreenCandidate{candidates.candidate(baseline), {.samples = 1}, std::nullopt});
  note(own.outcome, own.message, candidates.text(baseline), problem);
}

/// An output of which nothing is written from some element on is likely to be declared too long.
void DeviceCheck::note_not_compared(const Task& task, const std::vector<NotCompared>& not_compared,
                                    const std::string& configuration, const std::string& problem) {
  for (const NotCompared& left : not_compared) {
    const std::string sentence =
        fmt::format("The reference leaves {} unwritten, so they are not compared", text_of({left}));
    if (left.is_tail() && !is_partial(left, task.arguments())) {
      note(Outcome::unwritten_output,
           sentence + ": nothing after that is written. Correct the length, or declare the output `partial`.",
           configuration, problem);
    } else {
      notes_.push_back(fmt::format("On {}: {}.", problem, sentence));
    }
  }
}

void DeviceCheck::note(Outcome outcome, const std::string& message, const std::string& configuration,
                       const std::string& problem) {
  if (outcome == Outcome::ok) return;
  const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const Finding& other) {
    return other.outcome == outcome && other.problem == problem;
  });
  if (same != findings_.end())
    ++same->configurations;
  else
    findings_.push_back({outcome, message, configuration, problem, 1});
}

}  // namespace tuner::engine
