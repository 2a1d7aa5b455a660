#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/explanation.hpp"
#include "tuner/cli/explanation_json.hpp"
#include "tuner/cli/interrupts.hpp"
#include "tuner/cli/message.hpp"
#include "tuner/cli/side.hpp"
#include "tuner/cli/stores.hpp"
#include "tuner/cli/workplace.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/comparison/pair.hpp"
#include "tuner/engine/comparison/path.hpp"
#include "tuner/engine/roofline/measured_roofline.hpp"
#include "tuner/engine/session/session_stores.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

struct ExplainRequest {
  Side to, from;
  std::string kernel;
  ProblemValues problem;
  engine::SessionOptions session;
  engine::PathOptions path;
  bool with_counters = false, with_path = true;
  int device = 0;
  std::filesystem::path database;
};

ExplainRequest read_explain_request(const Arguments& arguments) {
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner explain` needs a kernel file whose winner is stored, for example `tuner "
                                     "explain kernel_sources/prefetch.cu`, or FILE@A=1,B=2."));
  }
  ExplainRequest request;
  request.to = parse_side(arguments.operands().front());
  if (request.to.configuration.empty()) request.to.configuration = "winner";
  request.from = request.to;
  request.from.configuration = arguments.value("against").value_or("baseline");
  request.kernel = arguments.value("kernel").value_or("");
  if (const auto problem = arguments.value("problem")) request.problem = parse_problem(*problem);
  if (const auto device = arguments.number("device", 0, 1023)) request.device = static_cast<int>(*device);
  if (const auto mode = arguments.choice("mode", {"cold", "warm"})) request.session.mode = *timing_from_string(*mode);
  request.path.limit = arguments.duration("limit").value_or(request.path.limit);
  request.session.seed = arguments.number("seed").value_or(0);
  request.session.launch_timeout = arguments.duration("launch-timeout").value_or(request.session.launch_timeout);
  for (const std::string& folder : arguments.values("I")) request.session.include_folders.emplace_back(folder);
  request.with_counters = arguments.has("counters");
  request.with_path = !arguments.has("no-path");
  request.database = arguments.value("db").value_or("");
  if (arguments.has("json") && arguments.has("markdown"))
    throw Error(Errc::bad_usage, "--json and --markdown exclude each other: use one of them.");
  return request;
}

/// "the winner", "the baseline", or "it" and "the other".
std::string name_of(const Side& side, const char* otherwise) {
  if (side.configuration == "winner") return "the winner";
  return side.configuration == "baseline" ? "the baseline" : otherwise;
}

explain::ConfigurationFacts facts_of(const engine::Contestant& contestant, std::string name) {
  const DeviceInfo& device = contestant.task->device();
  explain::ConfigurationFacts facts;
  facts.name = std::move(name);
  facts.configuration = contestant.text;
  facts.geometry = contestant.geometry;
  facts.resources = contestant.binary.facts;
  facts.resources.dynamic_shared_bytes = static_cast<int>(contestant.geometry.shared_bytes);
  facts.resources.occupancy = contestant.run.occupancy;
  facts.resources.occupancy_limiter = contestant.run.occupancy_limiter;
  facts.idle_registers = idle_registers(facts.resources, contestant.geometry, device);
  facts.code = machine_code(contestant.binary.cubin.bytes, contestant.binary.cubin.kernel);
  explain::add_derived(facts, device);
  return facts;
}

std::vector<std::string> next_step_sentences(const explain::ConfigurationFacts& facts, const DeviceInfo& device) {
  std::vector<std::string> sentences;
  if (!facts.resources.registers) return sentences;
  const BlockNeeds needs =
      block_needs(*facts.resources.registers, facts.resources.static_shared_bytes.value_or(0), facts.geometry);
  for (const NextStep& step : tuner::next_steps(device, needs)) {
    constexpr std::array kUnits{"threads a block", "registers a thread", "bytes of shared memory a block",
                                "threads a block"};
    sentences.push_back(fmt::format("{} instead of {} {} would let {} be resident instead of {}", step.to, step.from,
                                    kUnits[static_cast<std::size_t>(step.resource)],
                                    counted(static_cast<std::uint64_t>(step.then.blocks), "block"),
                                    facts.resident ? facts.resident->blocks : 0));
  }
  return sentences;
}

class Explainer {
 public:
  Explainer(const ExplainRequest& request, Workplace& workplace, const Task& task, const cache::Store* store)
      : request_(request),
        task_(task),
        from_(configuration_of(request.from, task, request.session.mode, store)),
        to_(configuration_of(request.to, task, request.session.mode, store)),
        parts_(workplace.parts()),
        side_by_side_(task, request.session, parts_) {}

  /// Nothing if it was interrupted.
  std::optional<Explanation> explain(const std::atomic<bool>& stop) {
    found_.kernel = task_.description().kernel;
    found_.file = task_.description().file.string();
    found_.problem = problem_text(task_.problem());
    found_.device = task_.device().name;
    found_.mode = to_string(request_.session.mode);
    const std::vector<std::size_t> both = side_by_side_.add({{&task_, from_}, {&task_, to_}});
    if (stop) return std::nullopt;
    for (const std::size_t one : both) {
      if (!side_by_side_[one].failure) continue;
      throw Error(Errc::baseline_failed, fmt::format("{} does not run, so there is nothing to explain: {}",
                                                     side_by_side_[one].text, side_by_side_[one].failure->message));
    }
    found_.from = facts_of(side_by_side_[both[0]], name_of(request_.from, "the other"));
    found_.to = facts_of(side_by_side_[both[1]], name_of(request_.to, "this one"));
    found_.next_steps = next_step_sentences(found_.to, task_.device());
    if (from_ != to_) {
      if (request_.with_path) find_the_path();
      if (stop) return std::nullopt;
      if (!found_.time) race(both);
    }
    if (stop) return std::nullopt;
    if (request_.with_counters) count(stop);
    if (stop) return std::nullopt;
    find_reasons();
    return std::move(found_);
  }

  /// What the GPU reaches is measured once and stored.
  void add_roofline() {
    const WorkDescription& work = task_.description().work;
    if (!work.bytes && !work.flops) return;
    try {
      require_roofline(task_, request_.session.mode);
    } catch (const Error&) {
      return;  // nothing bounds it from below
    }
    engine::SessionStores stores = engine::open_for_session(request_.database);
    const engine::SessionParts parts{.compile = parts_.compile,
                                     .device = parts_.device,
                                     .store = *stores.store,
                                     .binaries = stores.binaries.get(),
                                     .observer = parts_.observer,
                                     .stop = parts_.stop};
    rates_ = engine::measured_roofline(task_.device(), work.bytes.has_value(),
                                       work.flops ? task_.work_type() : std::nullopt, true, parts);
  }

 private:
  void find_the_path() {
    const engine::Path path = engine::find_path(side_by_side_, task_, from_, to_, request_.path);
    found_.path_failures = path.failures;
    if (!path.is_complete) return;
    found_.time = path.whole;
    found_.blocks = path.blocks;
    found_.is_noisy = path.is_noisy;
    for (const engine::PathStep& step : path.steps)
      found_.path.push_back({step.assignments, step.time, step.share, step.is_idle});
    for (const engine::Interaction& both : path.interactions) {
      found_.interactions.push_back(
          {path.steps[both.first].assignments, path.steps[both.second].assignments, both.time});
    }
    found_.from.time_ns = path.from_ns;
    found_.to.time_ns = path.to_ns;
  }

  void race(const std::vector<std::size_t>& both) {
    const engine::PairResult result = engine::race_pair(side_by_side_, both[0], both[1], {.within = 0.005});
    if (result.blocks == 0) return;
    found_.time = result.ratio;
    found_.blocks = result.blocks;
    found_.is_noisy = result.is_noisy;
    found_.from.time_ns = result.first_ns;
    found_.to.time_ns = result.second_ns;
  }

  /// In a worker of its own, since what is timed beside a profiler is slower.
  void count(const std::atomic<bool>& stop) {
    engine::DeviceProcessLane device({.ordinal = request_.device, .stop = &stop});
    const engine::SessionParts parts{.compile = parts_.compile,
                                     .device = device,
                                     .store = parts_.store,
                                     .observer = parts_.observer,
                                     .stop = parts_.stop};
    engine::SideBySide counting(task_, request_.session, parts);
    const std::vector<std::size_t> counted = counting.add({{&task_, from_}, {&task_, to_}});
    for (explain::ConfigurationFacts* facts : {&found_.from, &found_.to}) {
      if (stop) return;
      engine::CountResult result = counting.count(counted[facts == &found_.to ? 1 : 0]);
      found_.no_counters = result.refused;
      if (!result.refused.empty()) return;
      facts->counters = std::move(result.counters);
    }
  }

  void find_reasons() {
    if (rates_) add_bound();
    explain_again(found_, task_.device());
  }

  void add_bound() {
    const auto bound = roofline_bound(*rates_, task_, to_);
    if (!bound || !found_.to.time_ns) return;
    found_.roofline =
        RooflineReport{*rates_, *bound, bound_text(*bound, *rates_, task_, to_), bound->time_ns / *found_.to.time_ns};
  }

  const ExplainRequest& request_;
  const Task& task_;
  const search::Configuration from_, to_;
  const engine::SessionParts parts_;
  engine::SideBySide side_by_side_;
  std::optional<Roofline> rates_;
  Explanation found_;
};

ExitCode run_explain(const Arguments& arguments) {
  const ExplainRequest request = read_explain_request(arguments);
  const std::unique_ptr<cache::Store> store = open_for_reading(cache::locate(request.database));
  const Interrupts interrupts;
  Workplace workplace(request.device, request.session.include_folders, interrupts.flag());
  const DeviceInfo* device = nullptr;
  try {
    device = &workplace.device();
  } catch (const Error&) {
    if (interrupts.flag()) return ExitCode::interrupted;
    throw;
  }
  const Task task(load_description(request.to.file, request.kernel,
                                   [&](const std::string& sentence) { workplace.line().warning(sentence); }),
                  request.problem, *device, {}, request.session.include_folders, search::Listing::when_needed);
  if (!workplace.take_turn(task)) return ExitCode::interrupted;
  Explainer explainer(request, workplace, task, store.get());
  explainer.add_roofline();
  std::optional<Explanation> explanation = explainer.explain(interrupts.flag());
  workplace.line().erase();
  if (!explanation) return ExitCode::interrupted;
  explanation->warnings = workplace.line().take_warnings();
  if (arguments.has("json")) {
    print(to_json(*explanation));
  } else {
    print(arguments.has("markdown") ? to_markdown(*explanation) : to_text(*explanation, output_width()));
  }
  return ExitCode::done;
}

}  // namespace

Command explain_command() {
  using Kind = Option::Kind;
  return {
      .name = "explain",
      .synopsis = "tuner explain FILE[@CONFIG] [options]",
      .summary = "say why the winner wins, in words and numbers",
      .purpose =
          "Measures what each change from the baseline to the winner brings, reads both machine codes, has\n"
          "the hardware count what it does if asked to, and says what makes the difference.",
      .options =
          {
              {"against", Kind::value, "CONFIG", "what to compare with: `baseline` (default), or A=1,B=2"},
              {"problem", Kind::value, "A=1,B=2", "values that define the problem"},
              {"kernel", Kind::value, "NAME", "which kernel, if the file describes several"},
              {"counters", Kind::flag, "", "count instructions, sectors, conflicts and stalls; takes seconds more"},
              {"no-path", Kind::flag, "", "leave out what each change brings"},
              {"limit", Kind::value, "TIME", "for the path; default 60s"},
              {"mode", Kind::value, "cold|warm", "cold (default): the L2 cache is flushed before every sample"},
              {"device", Kind::value, "N", "which GPU, as `tuner devices` numbers them; default 0"},
              {"seed", Kind::value, "N", "of the generated inputs and of the order in blocks; default 0"},
              {"launch-timeout", Kind::value, "TIME", "a launch that takes longer is stopped; default 2s"},
              {"I", Kind::repeatable, "DIR", "folder in which headers are looked for"},
              {"markdown", Kind::flag, "", "print headings and tables for a page"},
          },
      .most_operands = 1,
      .examples =
          {
              {"tuner explain kernel_sources/prefetch.cu --problem rows=528,row_length=65536 --counters",
               "why the stored winner beats the baseline"},
              {"tuner explain kernel.cu@BLOCK=256 --against BLOCK=128", "one configuration against another"},
          },
      .exit_codes = {ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store, ExitCode::device_failed},
      .run = run_explain,
  };
}

}  // namespace tuner::cli
