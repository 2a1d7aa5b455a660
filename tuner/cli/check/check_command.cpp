#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "tuner/cli/check/check_request.hpp"
#include "tuner/cli/given/compile_memory.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/error.hpp"
#include "tuner/host/picks.hpp"
#include "tuner/process/usable_cores.hpp"

namespace tuner::cli {

namespace {

CheckRequest read_check_request(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage, with_shipped_kernels("`tuner check` needs a kernel file, for example `tuner check "
                                                      "kernel_sources/prefetch.cu --host`."));
  }
  CheckRequest request;
  KernelDescription description =
      load_description(arguments.operands().front(), arguments.value("kernel").value_or(""), warn);
  for (const std::string& pad : arguments.values("pad")) set_padding(description, pad);
  request.description = std::make_shared<const KernelDescription>(std::move(description));
  for (GivenProblem& given : given_problems(arguments)) request.problems.push_back(std::move(given.values));
  request.configurations = arguments.values("config");
  request.where = arguments.values("where");
  for (const std::string& folder : arguments.values("I")) request.include_folders.emplace_back(folder);
  request.recorded = recorded_source(arguments, request.description->file);
  if (request.recorded && arguments.has("host"))
    throw Error(Errc::bad_usage,
                "`--build` names the program's compiler, and `--host` uses one for the CPU: leave one of "
                "them out.");
  add_header_folders(request.recorded, request.include_folders);
  check_written_signatures(*request.description, quoted_headers(*request.description, request.include_folders));
  if (const auto most = arguments.number("configurations", 1, kMostConfigurations)) request.most = *most;
  if (const auto count = arguments.value("compile"); count && *count == "all") {
    request.most = std::numeric_limits<std::size_t>::max();
  } else if (count && count->find_first_not_of("0123456789") != std::string::npos) {
    throw Error(Errc::bad_usage,
                fmt::format("`--compile` needs a number of configurations, or `all`, not `{}`.", *count));
  } else if (count) {
    request.most = *arguments.number("compile", 1, kMostConfigurations);
  }
  request.architecture = arguments.value("arch").value_or("");
  request.budget = arguments.duration("budget");
  if (const auto device = arguments.number("device", 0, 1023)) request.device = static_cast<int>(*device);
  request.seed = arguments.number("seed").value_or(0);
  request.workers =
      static_cast<int>(arguments.number("workers", 1, 1024).value_or(static_cast<std::uint64_t>(usable_cores())));
  request.compile_memory = compile_memory(arguments);
  request.json = arguments.has("json");
  return request;
}

/// What has no effect is refused rather than ignored.
void refuse_together(const Arguments& arguments) {
  struct Pair {
    const char *option, *with, *reason;
  };
  for (const Pair& pair :
       {Pair{"device", "host", "uses no GPU"}, Pair{"compile", "host", "runs what it compiles"},
        Pair{"configurations", "compile", "says itself how many configurations there are to be"},
        Pair{"seed", "compile", "runs nothing"}, Pair{kCompileMemory, "host", "uses another compiler"},
        Pair{"pad", "compile", "runs nothing"}, Pair{"device", "arch", "says itself what to compile for"}}) {
    if (arguments.has(pair.option) && arguments.has(pair.with)) {
      throw Error(Errc::bad_usage, fmt::format("`--{}` has no effect with `--{}`, which {}. Use one of them.",
                                               pair.option, pair.with, pair.reason));
    }
  }
  if (arguments.has("config") && arguments.value("compile").value_or("all") != "all")
    throw Error(Errc::bad_usage, "A number has no effect for `--compile` with `--config`: use `--compile all`.");
  if (arguments.has("arch") && !arguments.has("compile"))
    throw Error(Errc::bad_usage, "`--arch` says what `--compile` compiles for: add `--compile all`, or leave it out.");
  if (arguments.has("budget") && !arguments.has("compile") && !arguments.has("host"))
    throw Error(Errc::bad_usage, "`--budget` limits `--host` and `--compile`: add one of them, or leave it out.");
}

ExitCode run_check(const Arguments& arguments) {
  const CheckRequest request = read_check_request(arguments);
  refuse_together(arguments);
  const Interrupts interrupts;
  if (arguments.has("compile")) return check_by_compiling(request, interrupts.flag());
  return arguments.has("host") ? check_on_cpu(request, interrupts.flag()) : check_on_gpu(request, interrupts.flag());
}

}  // namespace

std::vector<search::Configuration> picked_configurations(const CheckRequest& request, const Task& task) {
  std::vector<search::Configuration> configurations;
  for (const std::string& text : request.configurations) {
    configurations.push_back(task.space().parse(text));
    if (const auto reason = task.space().why_invalid(configurations.back()))
      throw Error(Errc::bad_usage, fmt::format("The configuration {} is not in the space: {}",
                                               task.space().text(configurations.back()), *reason));
  }
  if (!configurations.empty()) return configurations;
  if (task.space().size() == 0) throw Error(Errc::empty_space, task.space().why_empty());
  bool complete = true;
  for (host::Choice& choice : host::cover_tasks(
           {&task}, [](const Task&, const search::Configuration&) { return true; }, request.most, complete))
    configurations.push_back(std::move(choice.configuration));
  return configurations;
}

std::vector<std::string> picked_configurations(const CheckRequest& request, const ProblemValues& problem,
                                               const DeviceInfo& device) {
  const NothingToKeep counting;
  const Task task(request.description, problem, device, request.where, request.include_folders,
                  request.configurations.empty() ? search::Listing::at_once : search::Listing::when_needed);
  std::vector<std::string> texts;
  for (const search::Configuration& configuration : picked_configurations(request, task))
    texts.push_back(task.space().text(configuration));
  return texts;
}

Command check_command() {
  using Kind = Option::Kind;
  return {
      .name = "check",
      .synopsis =
          "tuner check FILE [--host | --compile N] [--problem A=1,B=2] [--config A=1,B=2] [--where EXPR] "
          "[--configurations N] "
          "[options]",
      .summary = "find mistakes in a kernel, on the GPU or, with --host, on the CPU; or only compile it",
      .purpose =
          "Runs many configurations of a kernel and reports mistakes. --host does so on the CPU, under\n"
          "sanitizers, and tells lines. --compile runs nothing: it compiles, and lists registers and spills.",
      .options =
          {
              {"host", Kind::flag, "", "on the CPU: compile the kernel as C++ with $CXX, c++, g++ or clang++"},
              {"compile", Kind::value, "N|all",
               "only compile N configurations, or all of them, without a GPU: registers, spills, static shared memory "
               "and time of each"},
              {"arch", Kind::value, "sm_90",
               "with --compile: the architecture to compile for; default: that of the GPU"},
              {"problem", Kind::repeatable, "A=1,B=2",
               "values that define the problem; several of one name, as in n=100,1000 or n=1..4, are a problem each; "
               "repeatable; default: with --host small sizes that kernels often get wrong, else the problem's "
               "defaults"},
              {"config", Kind::repeatable, "A=1,B=2",
               "check this configuration; omitted parameters have their defaults; repeatable; default: the baseline, "
               "and others that cover every pair of parameter values"},
              {"where", Kind::repeatable, "EXPR", "choose only configurations for which EXPR is true; repeatable"},
              {"configurations", Kind::value, "N", "choose at most N configurations; default 120"},
              {"pad", Kind::repeatable, "NAME=BYTES",
               "allow reads of up to BYTES bytes before and after buffer NAME; repeatable"},
              {"kernel", Kind::value, "NAME", "which kernel, if the file describes several"},
              {"device", Kind::value, "N", "which GPU, as numbered by `tuner devices`; default 0"},
              {"workers", Kind::value, "N",
               "how many compilers, and with --host kernels, run at the same time; default: one for each core"},
              compile_memory_option("without --host: "),
              build_option("without --host: "),
              source_option(),
              compiler_option(),
              {"budget", Kind::value, "TIME",
               "with --host or --compile: end after this time, such as 60s or 5min, and say what was left out; "
               "default: 10min with --host, none with --compile"},
              {"seed", Kind::value, "N", "seed of the generated inputs; default 0"},
              {"I", Kind::repeatable, "DIR",
               "also search DIR for headers included with quotes or angle brackets; repeatable"},
          },
      .most_operands = 1,
      .operands = {"FILE"},
      .examples = {{"tuner check kernel_sources/prefetch.cu --host",
                    "at small sizes, where bugs often show up; needs no GPU"},
                   {"tuner check my.cu --compile 20 --arch sm_90", "do they compile, and with how many registers?"},
                   {"tuner check my.cu --host --problem n=1000 --config BLOCKDIMX=64,ITEMS=4",
                    "one configuration on one problem"}},
      .exit_codes = {ExitCode::no_device, ExitCode::no_toolkit, ExitCode::device_failed},
      .run = run_check,
  };
}

}  // namespace tuner::cli
