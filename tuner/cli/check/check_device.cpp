// `tuner check` on a GPU: each configuration reproduces the reference behind fences, and is timed no longer than it
// takes to see whether that changes anything.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/cli/check/check_request.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/lanes/wait.hpp"
#include "tuner/engine/workplace/compile_batch.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Failed {
  Outcome outcome = Outcome::ok;
  std::string message, configuration, problem;
  std::size_t configurations = 1;
};

Json to_json(const Failed& failed) {
  return {{"class", to_string(failed.outcome)},
          {"message", failed.message},
          {"configuration", failed.configuration},
          {"problem", failed.problem},
          {"configurations", failed.configurations}};
}

class DeviceCheck {
 public:
  DeviceCheck(const CheckRequest& request, const std::atomic<bool>& stop)
      : request_(request),
        stop_(stop),
        ordinal_(request.device),
        compile_(
            {.workers = request.workers, .memory = request.compile_memory, .include_folders = request.include_folders},
            stop, line_.counting("compiling")),
        device_({.ordinal = request.device, .stop = &stop}) {}

  const DeviceInfo& info() { return engine::wait_for_gpu(device_, ordinal_); }

  void run(const ProblemValues& problem) {
    const Task task(request_.description, problem, info(), {}, request_.include_folders, search::Listing::when_needed);
    const std::optional<search::Configuration> baseline = task.baseline();
    if (!baseline)
      throw Error(Errc::baseline_failed,
                  "The kernel's own constraints exclude its defaults, so there is nothing to compare with: change a "
                  "`default` or a constraint.");
    const std::string text = problem_text(task.problem());
    engine::Candidates candidates(task, cache::Trial{});
    compile_.check_signatures(task, *baseline);
    if (stop_) interrupted();
    prepare(task, *baseline);
    const engine::EntryId first = candidates.add(*baseline);
    candidates.compiled(first, compile({candidates.request(first)}).front());
    run_reference(task, candidates, first, *baseline, text);

    std::vector<engine::EntryId> entries;
    std::vector<engine::CompileRequest> sources;
    for (const std::string& picked : picked_configurations(request_, problem, info())) {
      const std::optional<engine::EntryId> entry = candidates.ask(task.space().parse(picked));
      if (!entry) continue;  // the baseline
      entries.push_back(*entry);
      sources.push_back(candidates.request(*entry));
    }
    std::vector<engine::CompileReply> binaries = compile(std::move(sources));
    for (std::size_t i = 0; i < entries.size() && !stop_; ++i) {
      ++checked_;
      if (binaries[i].outcome != Outcome::ok) {
        note(binaries[i].outcome, binaries[i].message, candidates.text(entries[i]), text);
        continue;
      }
      if (!candidates.compiled(entries[i], std::move(binaries[i]))) continue;  // the same program as another one
      const engine::DeviceReply reply =
          ask(engine::ScreenCandidate{candidates.candidate(entries[i]), {.samples = 1}, std::nullopt});
      candidates.ran(entries[i], reply);
      note(reply.outcome, reply.message, candidates.text(entries[i]), text);
      line_.count("running", i + 1, entries.size());
    }
    problems_.push_back(text);
  }

  ExitCode finish() {
    line_.erase();
    if (request_.json) {
      print_json({{"format", 1},
                  {"kernel", request_.description->kernel},
                  {"file", request_.description->file.string()},
                  {"host", false},
                  {"device", info().name},
                  {"problems", problems_},
                  {"cases", checked_},
                  {"findings", json_list(failed_, to_json)},
                  {"notes", notes_},
                  {"interrupted", stop_.load()}});
    } else {
      std::string text = fmt::format("{} on {}: {} runs (configurations x problems)\n", request_.description->kernel,
                                     info().name, checked_);
      text += labelled("Problems: ", fmt::format("{}", fmt::join(problems_, "; ")));
      text += failed_.empty() ? "\nNo findings.\n" : "\nFindings:\n";
      for (const Failed& failed : failed_) {
        text += fmt::format("{}: {}\n    {} times; first {} on {}\n", to_string(failed.outcome), failed.message,
                            failed.configurations, failed.configuration, failed.problem);
      }
      for (const std::string& note : notes_) text += note + '\n';
      text += "\n`tuner check --host` looks for races, and reports the lines responsible.\n";
      print(text);
    }
    if (stop_) return ExitCode::interrupted;
    return failed_.empty() ? ExitCode::done : ExitCode::no_result;
  }

 private:
  static Clock::time_point soon() { return Clock::now() + std::chrono::milliseconds(100); }

  [[noreturn]] static void interrupted() { throw Error(Errc::device_lost, "The check was interrupted."); }

  engine::DeviceReply ask(engine::DeviceRequest request) {
    const engine::TicketId ticket = ++ticket_;
    device_.submit(ticket, std::move(request));
    for (;;) {
      for (auto& completion : device_.poll()) {
        if (completion.ticket == ticket) return std::move(completion.reply);
      }
      if (stop_) interrupted();
      engine::wait_for(soon(), device_);
    }
  }

  std::vector<engine::CompileReply> compile(std::vector<engine::CompileRequest> requests) {
    std::vector<engine::CompileReply> replies;
    for (std::optional<engine::CompileReply>& reply : compile_.compile(std::move(requests))) {
      if (!reply) interrupted();
      replies.push_back(std::move(*reply));
    }
    if (stop_) interrupted();
    return replies;
  }

  void prepare(const Task& task, const search::Configuration& baseline) {
    std::vector<engine::CompileRequest> support;
    for (const std::string& source : device_.support_sources())
      support.push_back(engine::support_request(source, task.device().architecture()));
    engine::PrepareProblem problem;
    problem.arguments = task.arguments_with_data();
    problem.deterministic = task.description().deterministic;
    problem.seed = request_.seed;
    problem.mode = Timing::warm;
    for (engine::CompileReply& reply : compile(std::move(support)))
      problem.support_cubins.push_back(std::move(reply.cubin.bytes));
    if (auto values = engine::value_request(task, baseline))
      problem.value_cubin = engine::value_cubin(compile({*std::move(values)}).front());
    const engine::DeviceReply reply = ask(std::move(problem));
    if (reply.outcome != Outcome::ok)
      throw Error(Errc::device_lost,
                  "The buffers for " + problem_text(task.problem()) + " cannot be prepared: " + reply.message);
  }

  void run_reference(const Task& task, const engine::Candidates& candidates, engine::EntryId baseline,
                     const search::Configuration& configuration, const std::string& problem) {
    const bool named = task.description().reference.is_named();
    engine::CompileReply binary;
    if (named) binary = compile({engine::reference_request(task, configuration)}).front();
    const engine::Candidate candidate =
        named ? engine::reference_candidate(task, configuration, binary) : candidates.candidate(baseline);
    if (candidate.cubin.bytes.empty())
      throw Error(Errc::baseline_failed, fmt::format("The reference does not compile: {}",
                                                     named ? binary.message : candidates[baseline].trial.message));
    const engine::DeviceReply reply = ask(engine::RunReference{candidate, {.samples = 1}});
    note_not_compared(task, reply.result_of<engine::RunReference>().not_compared, candidates.text(baseline), problem);
    if (reply.outcome != Outcome::ok)
      throw Error(
          Errc::baseline_failed,
          fmt::format("The reference fails on {} with {}: {} `tuner check --host` reports the line.{}", problem,
                      to_string(reply.outcome), reply.message, grid_barrier_text(task.description(), task.headers())));
    ++checked_;
    if (!named) return;
    const engine::DeviceReply own =
        ask(engine::ScreenCandidate{candidates.candidate(baseline), {.samples = 1}, std::nullopt});
    note(own.outcome, own.message, candidates.text(baseline), problem);
  }

  /// An output of which nothing is written from some element on is likely to be declared too long.
  void note_not_compared(const Task& task, const std::vector<NotCompared>& not_compared,
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

  void note(Outcome outcome, const std::string& message, const std::string& configuration, const std::string& problem) {
    if (outcome == Outcome::ok) return;
    const auto same = std::find_if(failed_.begin(), failed_.end(), [&](const Failed& other) {
      return other.outcome == outcome && other.problem == problem;
    });
    if (same != failed_.end())
      ++same->configurations;
    else
      failed_.push_back({outcome, message, configuration, problem, 1});
  }

  const CheckRequest& request_;
  const std::atomic<bool>& stop_;
  const int ordinal_;
  ProgressLine line_;
  engine::CompileBatch compile_;
  engine::DeviceProcessLane device_;
  engine::TicketId ticket_ = 0;
  std::size_t checked_ = 0;
  std::vector<Failed> failed_;
  std::vector<std::string> problems_;
  std::vector<std::string> notes_;
};

}  // namespace

ExitCode check_on_gpu(const CheckRequest& request, const std::atomic<bool>& stop) {
  std::optional<DeviceCheck> begun;
  try {
    begun.emplace(request, stop).info();
  } catch (const Error& error) {
    if (stop) return ExitCode::interrupted;
    throw Error(error.code(),
                fmt::format("{} Without a GPU, `tuner check --host` runs the kernel on the CPU.", error.what()));
  }
  try {
    const std::vector<ProblemValues> defaults{{}};
    for (const ProblemValues& problem : request.problems.empty() ? defaults : request.problems) begun->run(problem);
  } catch (const Error&) {
    if (!stop) throw;
  }
  return begun->finish();
}

}  // namespace tuner::cli
