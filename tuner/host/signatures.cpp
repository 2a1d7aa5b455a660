#include "tuner/host/signatures.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/error.hpp"
#include "tuner/host/shortage.hpp"

namespace tuner::host {
namespace {

/// What the compiler made of a variant.
struct Compiled {
  std::string symbol;
  std::vector<std::uint64_t> constants;  ///< bytes, in the order of the directives
};

std::map<int, Compiled> read_answer(const std::filesystem::path& file) {
  std::map<int, Compiled> all;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    int number = 0;
    Compiled compiled;
    words >> number >> compiled.symbol;
    for (std::uint64_t bytes = 0; words >> bytes;) compiled.constants.push_back(bytes);
    all.emplace(number, std::move(compiled));
  }
  return all;
}

void check_constants(const HostProblem& problem, const std::vector<std::uint64_t>& sizes) {
  const KernelDescription& description = problem.task->description();
  std::vector<SignatureMistake> mistakes;
  std::size_t next = 0;
  for (std::size_t i = 0; i < problem.arguments.size() && next < sizes.size(); ++i) {
    const BoundArgument& argument = problem.arguments[i];
    if (argument.role != Argument::Role::constant) continue;
    const std::uint64_t compiled = sizes[next++];
    const std::uint64_t described =
        size_of(argument.type) * static_cast<std::uint64_t>(argument.lanes) * argument.length;
    if (compiled >= described) continue;  // what is not described keeps its initial values
    mistakes.push_back({&description.arguments[i],
                        fmt::format("`{}` is described with {} bytes, but the array in constant memory has {}: correct "
                                    "its type or its length",
                                    argument.name, described, compiled)});
  }
  if (!mistakes.empty()) throw Error(Errc::bad_description, mistake_text(description, {}, mistakes));
}

}  // namespace

std::string check_signatures(const Cases& cases, const std::filesystem::path& program,
                             const std::filesystem::path& folder, const JobLimits& limits) {
  const std::filesystem::path file = folder / "signatures";
  std::vector<Job> jobs(1);
  jobs[0].command = {program.string(), "--signatures", file.string()};
  jobs[0].output = file;
  run_jobs(jobs, limits);
  if (jobs[0].done && !jobs[0].ok) return why_program_failed(jobs[0], limits);
  const std::map<int, Compiled> compiled = read_answer(file);
  for (const HostCase& one : cases.cases) {
    const HostProblem& problem = cases.problems[one.problem];
    const Task& task = *problem.task;
    const auto variant = compiled.find(one.variant);
    const auto baseline = task.baseline();
    if (variant == compiled.end() || !baseline || one.configuration != task.space().text(*baseline)) continue;
    check_constants(problem, variant->second.constants);
    const auto signature = signature_from_symbol(variant->second.symbol);
    if (!signature) continue;
    const std::string& function = cases.variants[static_cast<std::size_t>(one.variant)].function;
    const auto reference = reference_call(task.description());
    const bool is_reference = reference && function == reference->function;
    check_compiled_signature(task, is_reference ? *reference : kernel_call(task.description()), *signature);
  }
  return {};
}

}  // namespace tuner::host
