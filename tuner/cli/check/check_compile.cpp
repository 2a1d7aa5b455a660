// `tuner check --compile`: configurations through the compiler, without a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/cli/check/check_request.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/binary/ptx_uses.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/toolkit.hpp"
#include "tuner/engine/workplace/compile_batch.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Their texts are in memory at the same time.
constexpr std::size_t kTogether = 512;

/// One configuration of one problem.
struct Compiled {
  std::string problem, configuration;
  Outcome outcome = Outcome::ok;
  std::string message;
  cache::ResourceFacts facts;
  double milliseconds = 0;
};

/// Configurations that fail with the same words.
struct SharedFailure {
  const Compiled* first = nullptr;
  std::size_t configurations = 0;
};

std::string supported_architectures() {
  const engine::Toolkit& toolkit = engine::toolkit();
  return fmt::format("NVRTC {} compiles for {}", toolkit.version, fmt::join(toolkit.architectures, ", "));
}

/// The GPU to compile for: the one at hand, or one of the architecture that was named.
DeviceInfo target_of(const CheckRequest& request) {
  if (!request.architecture.empty()) {
    const DeviceInfo device = planned_device(request.architecture);
    const std::vector<std::string>& known = engine::toolkit().architectures;
    if (!known.empty() && std::find(known.begin(), known.end(), device.architecture()) == known.end()) {
      throw Error(Errc::bad_usage, fmt::format("The compiler does not know the architecture `{}`: {}.",
                                               request.architecture, supported_architectures()));
    }
    return device;
  }
  std::vector<DeviceInfo> devices;
  try {
    devices = engine::find_devices("");
  } catch (const Error& error) {
    throw Error(Errc::bad_usage, fmt::format("{} Name what to compile for, such as `--arch {}`: {}.", error.what(),
                                             known_device(kPlanDevice).architecture(), supported_architectures()));
  }
  for (const DeviceInfo& device : devices) {
    if (device.ordinal == request.device) return device;
  }
  engine::refuse_number_without_gpu(request.device);
  throw Error(Errc::no_driver, "There is no GPU here: name what to compile for with --arch.");
}

/// What is picked for any check, then more of the space, evenly, until there are as many as wanted.
std::vector<search::Configuration> configurations_of(const CheckRequest& request, const Task& task) {
  const search::Space& space = task.space();
  const bool all = request.most == std::numeric_limits<std::size_t>::max() && request.configurations.empty();
  std::vector<search::Configuration> picked;
  if (!all) picked = picked_configurations(request, task);
  // The baseline is picked for any check, whatever is excluded.
  std::erase_if(picked, [&](const search::Configuration& one) { return space.why_invalid(one).has_value(); });
  if (!all && !request.configurations.empty()) return picked;
  if (space.size() == 0) throw Error(Errc::empty_space, space.why_empty());
  if (all && space.size() > kMostConfigurations) {
    throw Error(Errc::bad_usage, fmt::format("The space has {}: give `--compile` a number, or narrow it with --where.",
                                             counted(space.size(), "configuration")));
  }
  std::set<search::Configuration> known(picked.begin(), picked.end());
  const std::uint64_t wanted = std::min<std::uint64_t>(request.most, space.size());
  if (picked.size() >= wanted) return picked;
  for (const std::uint64_t step : {space.size() / (wanted - picked.size()), std::uint64_t{1}}) {
    for (std::uint64_t i = 0; i < space.size() && picked.size() < wanted; i += step) {
      if (known.insert(space.at(i)).second) picked.push_back(space.at(i));
    }
  }
  return picked;
}

/// What the description's own options say, or else what is asked for.
std::string architecture_of(const engine::CompileRequest& request) {
  for (std::size_t i = 0; i < request.options.size(); ++i) {
    const std::string& option = request.options[i];
    for (const std::string_view name : {"-arch", "--arch", "-gpu-architecture", "--gpu-architecture"}) {
      if (!option.starts_with(name)) continue;
      if (option.size() == name.size()) return i + 1 < request.options.size() ? request.options[i + 1] : "";
      if (option[name.size()] == '=') return option.substr(name.size() + 1);
    }
  }
  return request.architecture;
}

/// The line of the argument through which a handle comes, as far as the types say that; else that of the kernel.
std::string handle_mistake(const KernelDescription& description, std::string_view instruction) {
  const DescribedCall call = kernel_call(description);
  const Argument* handle = nullptr;
  for (const Argument* argument : call.arguments) {
    const auto shape = shape_of_type(argument->type);
    const bool is_number = argument->role == Argument::Role::scalar || argument->role == Argument::Role::in;
    const bool may_hold = argument->role == Argument::Role::value ||
                          (is_number && shape &&
                           (shape->element == ElementType::uint64 || shape->element == ElementType::int64 ||
                            shape->element == ElementType::uint8));
    if (may_hold && handle == nullptr) handle = argument;
  }
  const std::string kernel = fmt::format("the kernel `{}` {}", description.kernel, handle_text(instruction));
  return mistake_text(
      description, call,
      {{handle, handle == nullptr ? kernel : fmt::format("`{}` may be its handle: {}", handle->name, kernel)}});
}

class CompileCheck {
 public:
  CompileCheck(const CheckRequest& request, const std::atomic<bool>& stop)
      : request_(request),
        stop_(stop),
        device_(target_of(request)),
        architecture_(request.architecture.empty() ? device_.architecture() : request.architecture),
        until_(request.budget ? Clock::now() + *request.budget : Clock::time_point::max()),
        batch_({.workers = request.workers,
                .timeout = compile_timeout(request.recorded),
                .memory = request.compile_memory,
                .include_folders = request.include_folders,
                .architecture = architecture_,
                .niceness = 0},
               stop, line_.counting("compiling")) {}

  void run(const ProblemValues& problem) {
    std::optional<NothingToKeep> counting(std::in_place);
    const Task task(request_.description, problem, device_, request_.where, request_.include_folders,
                    request_.configurations.empty() ? search::Listing::at_once : search::Listing::when_needed);
    const std::vector<search::Configuration> picked = configurations_of(request_, task);
    if (request_.configurations.empty()) space_ = std::max(space_, task.space().size());
    counting.reset();
    if (problems_.empty() && request_.recorded) choose_compiler(task, picked.front());
    if (stop_) return;
    problems_.push_back(problem_text(task.problem()));
    batch_.check_signatures(task, task.baseline().value_or(picked.front()), architecture_, until_);
    for (std::size_t first = 0; first < picked.size(); first += kTogether) {
      const auto together = std::span(picked).subspan(first, std::min(kTogether, picked.size() - first));
      if (stop_ || Clock::now() >= until_)
        left_out_ += together.size();
      else
        compile(task, together);
    }
  }

  ExitCode finish() {
    line_.erase();
    const std::vector<SharedFailure> failures = shared_failures();
    if (request_.json)
      print_json(to_json(failures));
    else
      print(to_text(failures));
    if (stop_) return ExitCode::interrupted;
    if (compiled_.empty()) return ExitCode::bad_input;
    return failures.empty() ? ExitCode::done : ExitCode::no_result;
  }

 private:
  void choose_compiler(const Task& task, const search::Configuration& first) {
    engine::CompileRequest baseline = engine::compile_request(task, task.baseline().value_or(first));
    baseline.architecture = architecture_;
    if (const auto chosen = batch_.choose_compiler(baseline, *request_.recorded)) say(chosen->sentence);
  }

  void compile(const Task& task, std::span<const search::Configuration> configurations) {
    std::vector<engine::CompileRequest> requests;
    for (const search::Configuration& configuration : configurations) {
      requests.push_back(engine::compile_request(task, configuration));
      requests.back().architecture = architecture_;
      requests.back().keeps_ptx = true;
      compiled_for_.insert(architecture_of(requests.back()));
    }
    const auto replies = batch_.compile(std::move(requests), until_);
    for (std::size_t i = 0; i < replies.size(); ++i) {
      if (!replies[i]) {
        ++left_out_;
        continue;
      }
      compiled_.push_back({problems_.back(), task.space().text(configurations[i]), replies[i]->outcome,
                           replies[i]->message, replies[i]->facts, replies[i]->milliseconds});
      if (!replies[i]->toolkit.empty()) toolkit_ = replies[i]->toolkit;
      look_at(replies[i]->ptx, replies[i]->cubin.kernel, task);
    }
  }

  /// What the configuration that was compiled last cannot have when it runs.
  void look_at(std::string_view ptx, const std::string& kernel, const Task& task) {
    Compiled& one = compiled_.back();
    if (one.outcome != Outcome::ok) return;
    if (const std::string_view instruction = handle_instruction(ptx, kernel); !instruction.empty()) {
      one.outcome = Outcome::launch_refused;
      one.message = handle_mistake(task.description(), instruction);
    }
    if (barrier_.empty() && asks_for_grid_barrier(ptx, kernel))
      barrier_ = grid_barrier_text(task.description(), task.headers(), one.configuration);
  }

  std::vector<SharedFailure> shared_failures() const {
    std::vector<SharedFailure> failures;
    std::map<std::pair<Outcome, std::string_view>, std::size_t> places;
    for (const Compiled& one : compiled_) {
      if (one.outcome == Outcome::ok) continue;
      const auto [place, is_new] =
          places.emplace(std::pair(one.outcome, std::string_view(one.message)), failures.size());
      if (is_new) failures.push_back({&one, 0});
      ++failures[place->second].configurations;
    }
    std::stable_sort(failures.begin(), failures.end(), [](const SharedFailure& a, const SharedFailure& b) {
      return a.configurations > b.configurations;
    });
    return failures;
  }

  std::size_t failed() const {
    return static_cast<std::size_t>(std::count_if(compiled_.begin(), compiled_.end(),
                                                  [](const Compiled& one) { return one.outcome != Outcome::ok; }));
  }

  std::string compiled_for() const {
    return compiled_for_.empty() ? architecture_ : fmt::format("{}", fmt::join(compiled_for_, ", "));
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  Json to_json(const std::vector<SharedFailure>& failures) const {
    const auto number = [](const std::optional<int>& fact) { return fact ? Json(*fact) : Json(nullptr); };
    const auto row = [&](const Compiled& one) {
      return Json{{"configuration", one.configuration},
                  {"problem", one.problem},
                  {"outcome", to_string(one.outcome)},
                  {"message", one.message.empty() ? Json(nullptr) : Json(one.message)},
                  {"registers", number(one.facts.registers)},
                  {"stack_bytes", number(one.facts.stack_bytes)},
                  {"spill_store_bytes", number(one.facts.spill_store_bytes)},
                  {"spill_load_bytes", number(one.facts.spill_load_bytes)},
                  {"static_shared_bytes", number(one.facts.static_shared_bytes)},
                  {"compile_ms", one.milliseconds}};
    };
    const auto finding = [](const SharedFailure& failure) {
      return Json{{"class", to_string(failure.first->outcome)},
                  {"message", failure.first->message},
                  {"configuration", failure.first->configuration},
                  {"problem", failure.first->problem},
                  {"configurations", failure.configurations}};
    };
    return {{"format", 1},
            {"kernel", request_.description->kernel},
            {"file", request_.description->file.string()},
            {"host", false},
            {"architecture", compiled_for()},
            {"toolkit", toolkit_},
            {"problems", problems_},
            {"cases", compiled_.size()},
            {"left_out", left_out_},
            {"compiled", json_list(compiled_, row)},
            {"findings", json_list(failures, finding)},
            {"notes", barrier_.empty() ? Json::array() : Json{search::trimmed(barrier_)}},
            {"interrupted", stop_.load()},
            {"compile_s", seconds()}};
  }

  std::string table(const std::string& problem) const {
    using Align = Table::Align;
    Table table({{"registers", Align::right},
                 {"spill stores", Align::right},
                 {"spill loads", Align::right},
                 {"static shared", Align::right},
                 {"compile", Align::right},
                 {"configuration"}});
    const auto text = [](const std::optional<int>& fact, const char* unit) {
      return fact ? grouped(static_cast<std::uint64_t>(*fact)) + unit : "?";
    };
    for (const Compiled& one : compiled_) {
      if (one.problem != problem || one.outcome != Outcome::ok) continue;
      table.add({text(one.facts.registers, ""), text(one.facts.spill_store_bytes, " B"),
                 text(one.facts.spill_load_bytes, " B"), text(one.facts.static_shared_bytes, " B"),
                 fmt::format("{:.0f} ms", one.milliseconds),
                 one.configuration.empty() ? "the only one" : one.configuration});
    }
    return table.empty() ? "" : table.text(output_width());
  }

  std::string to_text(const std::vector<SharedFailure>& failures) const {
    std::string text = fmt::format(
        "{} for {} with {}{}: {} compiled{} in {:.1f} s by {}\n", request_.description->kernel, compiled_for(),
        toolkit_.starts_with("nvcc") ? "" : "NVRTC ", toolkit_, counted(compiled_.size() - failed(), "configuration"),
        failed() == 0 ? "" : fmt::format(", {} failed", grouped(failed())), seconds(),
        counted(static_cast<std::uint64_t>(batch_.workers()), "worker"));
    if (space_ > 0) text += fmt::format("The space has {}.\n", counted(space_, "configuration"));
    for (const std::string& problem : problems_) {
      text += '\n' + labelled("Problem: ", problem.empty() ? "the only one" : problem);
      text += table(problem);
    }
    if (!failures.empty()) text += "\nFindings:\n";
    for (const SharedFailure& failure : failures) {
      text += fmt::format("{}: {}\n    in {}; first {} on {}\n", to_string(failure.first->outcome),
                          failure.first->message, counted(failure.configurations, "configuration"),
                          failure.first->configuration.empty() ? "the only one" : failure.first->configuration,
                          failure.first->problem.empty() ? "the only problem" : failure.first->problem);
    }
    if (!barrier_.empty()) text += fmt::format("\n{}\n", search::trimmed(barrier_));
    if (left_out_ > 0) {
      text += fmt::format("\n{} not compiled: {}.\n", counted(left_out_, "configuration"),
                          stop_ ? "interrupted"
                                : fmt::format("the time limit was reached (`--budget {:g}s`)",
                                              std::chrono::duration<double>(*request_.budget).count()));
    }
    return text;
  }

  const CheckRequest& request_;
  const std::atomic<bool>& stop_;
  const Clock::time_point begun_ = Clock::now();
  const DeviceInfo device_;
  const std::string architecture_;
  const Clock::time_point until_;
  ProgressLine line_;
  engine::CompileBatch batch_;
  std::string toolkit_;
  std::set<std::string> compiled_for_;  ///< architectures
  std::uint64_t space_ = 0;
  std::vector<std::string> problems_;
  std::string barrier_;  ///< what is to be said of a barrier over the whole grid
  std::vector<Compiled> compiled_;
  std::size_t left_out_ = 0;
};

}  // namespace

ExitCode check_by_compiling(const CheckRequest& request, const std::atomic<bool>& stop) {
  CompileCheck check(request, stop);
  const std::vector<ProblemValues> defaults{{}};
  for (const ProblemValues& problem : request.problems.empty() ? defaults : request.problems) {
    if (!stop) check.run(problem);
  }
  return check.finish();
}

}  // namespace tuner::cli
