#include "tuner/engine/session/awkward_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/core/task/awkward_problems.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"

namespace tuner::engine {

struct AwkwardSizes::Problem {
  Task task;
  Candidate reference, winner;
  std::optional<CandidateFailure> failure = {};  ///< the winner does not compile for this size
  bool usable = true;                            ///< the reference has been compiled, or needs not to be

  std::string text() const { return problem_text(task.problem()); }
};

namespace {

void take_binary(const CompileReply& reply, Candidate& candidate) {
  candidate.cubin = reply.cubin;
  candidate.parameters = reply.parameters;
  candidate.ptx = reply.ptx;
}

CompileRequest reference_program(const Task& task, const search::Configuration& baseline) {
  return !task.description().reference.is_named() ? compile_request(task, baseline) : reference_request(task, baseline);
}

}  // namespace

std::optional<CandidateFailure> AwkwardSizes::check(EntryId winner) {
  checked_ = winner;
  verified_.clear();
  note_.clear();
  if (!declares_domain(task_.description())) {
    note_ = "no problem_constraint says which sizes the kernel accepts";
    return {};
  }
  std::vector<Problem> all = problems(winner);
  if (all.empty()) note_ = why_none();
  compile(all, winner);

  for (const Problem& problem : all) {
    if (parts_.stop) {
      // Some sizes are no sample of the domain: the winner serves its own.
      verified_.clear();
      note_ = "the session was stopped before all of them were checked";
      return {};
    }
    if (!problem.usable) continue;
    if (const auto failure = problem.failure ? problem.failure : run(problem)) {
      verified_.clear();
      device_.return_to_task();
      // Not confirmed: it failed at this size, not at the one that the session's rows are about.
      return CandidateFailure{failure->outcome, fmt::format("At the size {}: {}", problem.text(), failure->message)};
    }
  }
  if (verified_.empty() && note_.empty()) note_ = "it could not be checked at any of them";
  return {};
}

std::string AwkwardSizes::why_none() const {
  for (const BoundArgument& argument : task_.arguments()) {
    if (argument.file) {
      return fmt::format("{} contains the data of this size only", argument.file->path.filename().string());
    }
    if (argument.expected && !task_.description().reference.is_named()) {
      return fmt::format("{} contains the correct output for this size only, and no reference kernel is named",
                         argument.expected->path.filename().string());
    }
  }
  return "the kernel accepts no other size near this one";
}

std::vector<AwkwardSizes::Problem> AwkwardSizes::problems(EntryId winner) const {
  const search::Configuration configurations[] = {candidates_[winner].configuration, *task_.baseline()};
  const Candidate candidate = candidates_.candidate(winner);
  const Candidate reference = *device_.reference();
  const bool is_named = task_.description().reference.is_named();
  AwkwardOptions options;
  options.block = candidate.geometry.block[0];
  options.include_folders = options_.include_folders;

  std::vector<Problem> problems;
  for (Task& task : awkward_problems(task_, configurations, options)) {
    Problem problem{std::move(task), reference, candidate};
    problem.winner.geometry = problem.task.geometry(configurations[0]);
    problem.winner.scratch_lengths = problem.task.scratch_lengths(configurations[0]);
    problem.reference.geometry =
        is_named ? problem.task.reference_geometry(configurations[1]) : problem.task.geometry(configurations[1]);
    problem.reference.scratch_lengths = problem.task.scratch_lengths(configurations[1]);
    problems.push_back(std::move(problem));
  }
  return problems;
}

/// The programs that have their size as a constant, each once: many sizes are awkward in one way.
struct AwkwardSizes::Programs {
  struct Use {
    Problem* problem;
    bool is_reference;
    std::size_t program;
  };
  std::vector<CompileRequest> requests;
  std::vector<Use> uses;

  void add(Problem& problem, bool is_reference, CompileRequest program, const CompileRequest& known) {
    if (same_program(program, known)) return;
    const auto same = std::find_if(requests.begin(), requests.end(),
                                   [&](const CompileRequest& other) { return same_program(program, other); });
    uses.push_back({&problem, is_reference, static_cast<std::size_t>(same - requests.begin())});
    if (same == requests.end()) requests.push_back(std::move(program));
  }
};

AwkwardSizes::Programs AwkwardSizes::programs(std::vector<Problem>& problems, EntryId winner) const {
  const search::Configuration& configuration = candidates_[winner].configuration;
  const search::Configuration baseline = *task_.baseline();
  const CompileRequest tuned = compile_request(task_, configuration);
  const CompileRequest tuned_reference = reference_program(task_, baseline);
  Programs programs;
  for (Problem& problem : problems) {
    programs.add(problem, false, compile_request(problem.task, configuration), tuned);
    programs.add(problem, true, reference_program(problem.task, baseline), tuned_reference);
  }
  return programs;
}

void AwkwardSizes::compile_ahead(EntryId likely) {
  if (!device_.reference() || !declares_domain(task_.description())) return;
  std::vector<Problem> all = problems(likely);
  for (CompileRequest& program : programs(all, likely).requests) {
    if (compile_.room() == 0) return;
    if (find(program) != compiled_.end()) continue;
    Compiled& compiled = compiled_.emplace_back(Compiled{std::move(program)});
    compile_.submit(compiled.program, [&compiled](CompileReply reply) { compiled.reply = std::move(reply); });
  }
}

std::list<AwkwardSizes::Compiled>::iterator AwkwardSizes::find(const CompileRequest& program) {
  return std::find_if(compiled_.begin(), compiled_.end(),
                      [&](const Compiled& compiled) { return same_program(compiled.program, program); });
}

void AwkwardSizes::compile(std::vector<Problem>& problems, EntryId winner) {
  const Programs programs = this->programs(problems, winner);
  std::vector<CompileRequest> missing;
  for (const CompileRequest& program : programs.requests) {
    if (find(program) == compiled_.end()) missing.push_back(program);
  }
  // This waits for what was begun before, too.
  std::vector<CompileReply> replies = compile_.compile(missing);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    compiled_.push_back({std::move(missing[i]), std::move(replies[i])});
  }
  for (const auto& [problem, is_reference, program] : programs.uses) {
    const std::optional<CompileReply>& reply = find(programs.requests[program])->reply;
    if (reply && reply->outcome == Outcome::ok) {
      take_binary(*reply, is_reference ? problem->reference : problem->winner);
    } else if (reply && !is_reference && reply->outcome == Outcome::compile_error) {
      problem->failure = CandidateFailure{reply->outcome, reply->message};
    } else {
      problem->usable = false;
    }
  }
}

/// A reference that fails at the size is not the winner's failure.
std::optional<CandidateFailure> AwkwardSizes::run(const Problem& problem) {
  const DeviceReply prepared = device_.prepare_for(problem.task);
  if (prepared.outcome != Outcome::ok) {
    warn_of_reference(problem, prepared.message);
    return {};
  }
  const DeviceReply reply = device_.call(ConfirmCandidate{problem.reference, problem.winner, options_.seed + 1});
  if (reply.result_of<ConfirmCandidate>().reference_failed) {
    warn_of_reference(problem, reply.message);
  } else if (reply.outcome != Outcome::ok) {
    return failure_of(reply);
  } else {
    verified_.push_back(problem.text());
  }
  return {};
}

void AwkwardSizes::warn_of_reference(const Problem& problem, const std::string& message) const {
  parts_.observer.warning(fmt::format("The winner could not be checked at {}, because the reference fails there: {}",
                                      problem.text(), message));
}

}  // namespace tuner::engine
