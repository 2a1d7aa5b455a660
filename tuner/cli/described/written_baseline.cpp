#include "tuner/cli/described/written_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvcc_compiler.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/reproduction.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using sources::SourceOfBuild;

/// The source as its command names it: __FILE__ has that name.
fs::path name_in_command(const SourceOfBuild& one) {
  const fs::path folder = one.command.folder;
  const auto word = std::ranges::find_if(one.command.arguments, [&](const std::string& argument) {
    return !argument.starts_with('-') && (folder / argument).lexically_normal() == one.source;
  });
  return word == one.command.arguments.end() ? fs::path(one.source) : fs::path(*word);
}

/// In what the baseline differs from what ran; empty if in nothing. What is wrong with the description is such, too.
std::string difference_of(const ProvedKernel& kernel, const std::string& text, const sources::RunLimits& limits) try {
  std::vector<KernelDescription> described = parse_descriptions(text, kernel.source.source);
  described.front().file = name_in_command(kernel.source);
  const auto description = std::make_shared<const KernelDescription>(std::move(described.front()));
  std::vector<fs::path> folders{fs::path(kernel.source.source).parent_path()};
  folders.insert(folders.end(), kernel.folders.begin(), kernel.folders.end());
  const Task task(description, ProblemValues(), known_device(kPlanDevice), {}, folders);
  const auto baseline = task.baseline();
  if (!baseline) return "it has none";
  engine::CompileRequest request = engine::compile_request(task, *baseline);
  request.architecture = fmt::format("sm_{}", cubin_architecture(kernel.module));
  request.keeps_ptx = false;
  request.nvcc = {kernel.source, sources::nvcc_version(kernel.source.command, limits).number, ""};
  request.nvcc->recorded.linked.clear();
  engine::CompileReply made = engine::compile_with_nvcc(request, limits);
  if (made.outcome != Outcome::ok && !kernel.source.linked.empty()) {
    request.nvcc->recorded.linked = kernel.source.linked;
    made = engine::compile_with_nvcc(request, limits);
  }
  if (made.outcome != Outcome::ok) return made.message;
  const sources::Reproduction code =
      sources::reproduces(made.cubin.bytes, kernel.module, kernel.mangled, kernel.source.source);
  if (code.result == sources::Reproduction::Result::no_such_kernel) return code.sentence;
  return std::string(code.difference);
} catch (const Error& error) {
  if (error.code() == Errc::shortage) throw;
  return error.what();
}

}  // namespace

WrittenBaseline written_baseline(
    const ProvedKernel& kernel,
    const std::function<sources::CapturedDescription(const std::set<std::string>& fixed)>& describe,
    const sources::RunLimits& limits) {
  WrittenBaseline all{describe({}), {}, {}};
  all.difference = difference_of(kernel, all.description.text, limits);
  const std::vector<std::string> constants = all.description.constants;
  if (all.difference.empty() || constants.empty()) return all;
  std::set<std::string> fixed(constants.begin(), constants.end());
  WrittenBaseline best{describe(fixed), constants, {}};
  if (!difference_of(kernel, best.description.text, limits).empty()) return all;  // they are not why
  if (constants.size() == 1) return best;
  for (const std::string& constant : constants) {
    fixed.erase(constant);
    sources::CapturedDescription description = describe(fixed);
    if (difference_of(kernel, description.text, limits).empty())
      best.description = std::move(description);
    else
      fixed.insert(constant);
  }
  best.fixed.assign(fixed.begin(), fixed.end());
  return best;
}

}  // namespace tuner::cli
