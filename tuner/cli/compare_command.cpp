#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/comparison_report.hpp"
#include "tuner/cli/decisions.hpp"
#include "tuner/cli/interrupts.hpp"
#include "tuner/cli/measured_facts.hpp"
#include "tuner/cli/message.hpp"
#include "tuner/cli/side.hpp"
#include "tuner/cli/stored_kernel.hpp"
#include "tuner/cli/stores.hpp"
#include "tuner/cli/workplace.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/launch_facts.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

struct CompareRequest {
  Side first, second;
  std::string kernel;
  ProblemValues problem;
  engine::SessionOptions session;
  engine::PairOptions pair;
  int device = 0;
  std::filesystem::path database;
};

/// "1%" → 0.01.
double read_within(const std::string& text) {
  char* end = nullptr;
  const double percents = std::strtod(text.c_str(), &end);
  const bool is_number = end != text.c_str() && std::string_view(end) == "%";
  if (is_number && percents >= 0.05 && percents <= 50) return percents / 100;
  throw Error(Errc::bad_usage,
              fmt::format("--within {} is no margin. Write a percentage from 0.05% to 50%, such as 1%.", text));
}

CompareRequest read_compare_request(const Arguments& arguments) {
  if (arguments.operands().size() != 2) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner compare` needs two things to compare, for example `tuner compare old.cu "
                                     "new.cu`, `tuner compare kernel_sources/prefetch.cu@baseline @winner` or two "
                                     "numbers that `tuner list` shows."));
  }
  CompareRequest request;
  request.first = parse_side(arguments.operands()[0]);
  request.second = parse_side(arguments.operands()[1], &request.first);
  request.kernel = arguments.value("kernel").value_or("");
  if (const auto problem = arguments.value("problem")) request.problem = parse_problem(*problem);
  if (const auto device = arguments.number("device", 0, 1023)) request.device = static_cast<int>(*device);
  if (const auto mode = arguments.choice("mode", {"cold", "warm"})) request.session.mode = *timing_from_string(*mode);
  if (const auto within = arguments.value("within")) request.pair.within = read_within(*within);
  request.pair.limit = arguments.duration("limit").value_or(request.pair.limit);
  request.session.seed = arguments.number("seed").value_or(0);
  request.session.launch_timeout = arguments.duration("launch-timeout").value_or(request.session.launch_timeout);
  for (const std::string& folder : arguments.values("I")) request.session.include_folders.emplace_back(folder);
  request.database = arguments.value("db").value_or("");
  if (arguments.has("json") && arguments.has("markdown"))
    throw Error(Errc::bad_usage, "--json and --markdown exclude each other: use one of them.");
  return request;
}

// ---- On a GPU ----

ComparedSide compared(const Side& side, const engine::Contestant& contestant, double time_ns) {
  ComparedSide shown{measured_facts(contestant, side.written), {}};
  if (time_ns > 0) shown.facts.time_ns = time_ns;
  if (contestant.failure) shown.failure = contestant.failure->message;
  return shown;
}

/// What a side is that names no configuration: its winner if both have one, so that like is compared with like.
void choose_unsaid(CompareRequest& request, const Task& first, const Task& second, const cache::Store* store) {
  if (request.first.number || request.second.number) {
    for (Side* side : {&request.first, &request.second}) {
      if (side->configuration.empty()) side->configuration = "winner";
    }
  }
  const Timing mode = request.session.mode;
  const bool both = stored_winner(first, mode, store) && stored_winner(second, mode, store);
  for (Side* side : {&request.first, &request.second}) {
    if (!side->configuration.empty()) continue;
    side->configuration = both ? "winner" : "baseline";
    side->written += "@" + side->configuration;
  }
}

/// A side's kernel. A decision's is the stored one, and the side becomes its configuration.
KernelDescription description_of(Side& side, const CompareRequest& request, Workplace& workplace,
                                 const cache::Store* store) {
  if (!side.number) {
    return load_description(side.file, request.kernel,
                            [&](const std::string& sentence) { workplace.line().warning(sentence); });
  }
  const cache::Decision decision = decision_of_number(*side.number, *store);
  side.configuration = decision.configuration;
  return stored_kernel(decision, *store).value();
}

/// Why the sides cannot be raced although there is a GPU; empty if they can. Decisions bring problem and mode along.
std::string why_not_raced(CompareRequest& request, const cache::Store* store) {
  std::optional<cache::Decision> before;
  for (const Side* side : {&request.first, &request.second}) {
    if (!side->number) continue;
    if (store == nullptr) throw Error(Errc::bad_usage, "There is no database, so there are no numbers of decisions.");
    cache::Decision decision = decision_of_number(*side->number, *store);
    if (!stored_kernel(decision, *store))
      return fmt::format("The source of decision {} is not stored: name its file instead of its number.",
                         *side->number);
    if (before && (before->key.problem != decision.key.problem || before->key.mode != decision.key.mode))
      return "The two are for different problems or cache modes.";
    request.problem = parse_problem(decision.key.problem);
    request.session.mode = timing_from_string(decision.key.mode).value_or(request.session.mode);
    before = std::move(decision);
  }
  return {};
}

/// Nothing if it was interrupted.
std::optional<ComparisonReport> race(CompareRequest request, Workplace& workplace, const DeviceInfo& device,
                                     const cache::Store* store) {
  const Task first(description_of(request.first, request, workplace, store), request.problem, device, {},
                   request.session.include_folders, search::Listing::when_needed);
  std::optional<Task> other;
  if (request.second.file != request.first.file || request.second.number) {
    other.emplace(description_of(request.second, request, workplace, store), request.problem, device,
                  std::vector<std::string>{}, request.session.include_folders, search::Listing::when_needed);
  }
  const Task& second = other ? *other : first;
  choose_unsaid(request, first, second, store);
  const search::Configuration of_first = configuration_of(request.first, first, request.session.mode, store);
  const search::Configuration of_second = configuration_of(request.second, second, request.session.mode, store);
  if (!workplace.take_turn(first)) return std::nullopt;

  const engine::SessionParts parts = workplace.parts();
  engine::SideBySide side_by_side(first, request.session, parts);
  const std::vector<std::size_t> both = side_by_side.add({{&first, of_first}, {&second, of_second}});
  if (side_by_side.stopped()) return std::nullopt;
  ComparisonReport report{.kernel = first.description().kernel,
                          .problem = problem_text(first.problem()),
                          .device = device.name,
                          .mode = std::string(to_string(request.session.mode)),
                          .within = request.pair.within};
  engine::PairResult result;
  if (!side_by_side[both[0]].failure && !side_by_side[both[1]].failure)
    result = engine::race_pair(side_by_side, both[0], both[1], request.pair);
  if (side_by_side.stopped()) return std::nullopt;
  report.raced = result;
  report.first = compared(request.first, side_by_side[both[0]], result.first_ns);
  report.second = compared(request.second, side_by_side[both[1]], result.second_ns);
  return report;
}

// ---- Without one ----

/// The newest decision for the kernel of the side's file and the problem, on whatever GPU.
std::optional<cache::Decision> decision_of(const Side& side, const CompareRequest& request, const cache::Store& store) {
  if (side.number) return decision_of_number(*side.number, store);
  constexpr const char* kStandIn = "H200";
  const Task task(load_description(side.file, request.kernel), request.problem, known_device(kStandIn), {},
                  request.session.include_folders, search::Listing::when_needed);
  const std::string identity = task.kernel_identity(), problem = problem_text(task.problem());
  for (cache::Decision& decision : store.list_decisions({.kernel_name = task.description().kernel})) {
    if (decision.key.kernel_identity == identity && decision.key.problem == problem) return std::move(decision);
  }
  return std::nullopt;
}

ComparedSide stored_side(const Side& side, const CompareRequest& request, const cache::Store& store,
                         ComparisonReport& report) {
  const std::optional<cache::Decision> decision = decision_of(side, request, store);
  if (!decision) {
    throw Error(Errc::no_driver,
                fmt::format("There is no GPU to race on, and no decision is stored for {} with this problem.",
                            side.file.string()));
  }
  report.kernel = decision->key.kernel_name;
  report.problem = decision->key.problem;
  report.device = device_name(decision->key.device);
  report.mode = decision->key.mode;
  ComparedSide shown;
  explain::ConfigurationFacts& facts = shown.facts;
  facts.name = side.written;
  facts.configuration = side.configuration == "baseline" ? decision->baseline : decision->configuration;
  const bool is_named =
      !side.configuration.empty() && side.configuration != "baseline" && side.configuration != "winner";
  if (is_named) facts.configuration = side.configuration;
  for (const cache::Trial& trial : trials_behind(*decision, store)) {
    if (trial.configuration != facts.configuration) continue;
    facts.time_ns = trial.time_ns;
    facts.geometry = geometry_from_text(trial.launch).value_or(Geometry{});
    facts.resources = trial.facts;
    if (trial.outcome != Outcome::ok) shown.failure = trial.message;
  }
  if (facts.configuration == decision->configuration) facts.time_ns = decision->time_ns;
  if (facts.configuration == decision->baseline && decision->baseline_time_ns)
    facts.time_ns = decision->baseline_time_ns;
  if (facts.time_ns || !shown.failure.empty()) return shown;
  throw Error(Errc::bad_usage,
              fmt::format("No trial of {} is stored. There is no GPU to measure it on.", facts.configuration));
}

ComparisonReport compare_stored(const CompareRequest& request, const cache::Store* store, const std::string& why) {
  if (store == nullptr) throw Error(Errc::no_driver, fmt::format("{} Nothing is stored that could be compared.", why));
  ComparisonReport report{.within = request.pair.within};
  report.first = stored_side(request.first, request, *store, report);
  report.second = stored_side(request.second, request, *store, report);
  report.not_raced = fmt::format("these are times that are stored, of different moments. {}", why);
  return report;
}

ExitCode exit_code_of(const ComparisonReport& report) {
  if (!report.first.failure.empty() || !report.second.failure.empty()) return ExitCode::no_result;
  switch (report.raced ? report.raced->verdict : engine::Verdict::undecided) {
    case engine::Verdict::faster:
    case engine::Verdict::same:
      return ExitCode::done;
    case engine::Verdict::slower:
      return ExitCode::slower;
    case engine::Verdict::undecided:
      break;
  }
  return ExitCode::undecided;
}

ExitCode run_compare(const Arguments& arguments) {
  CompareRequest request = read_compare_request(arguments);
  const std::unique_ptr<cache::Store> store = open_for_reading(cache::locate(request.database));
  const Interrupts interrupts;
  std::optional<ComparisonReport> report;
  if (const std::string why_not = why_not_raced(request, store.get()); !why_not.empty()) {
    report = compare_stored(request, store.get(), why_not);
  } else {
    std::optional<Workplace> workplace;
    const DeviceInfo* device = nullptr;
    std::string why;
    try {
      workplace.emplace(request.device, request.session.include_folders, interrupts.flag());
      device = &workplace->device();
    } catch (const Error& error) {
      if (interrupts.flag()) return ExitCode::interrupted;
      if (error.code() != Errc::no_driver) throw;
      why = error.what();
    }
    report =
        device != nullptr ? race(request, *workplace, *device, store.get()) : compare_stored(request, store.get(), why);
    if (workplace) {
      workplace->line().erase();
      if (report) report->warnings = workplace->line().take_warnings();
    }
  }
  if (!report) return ExitCode::interrupted;
  if (arguments.has("json")) {
    print(to_json(*report));
  } else {
    print(arguments.has("markdown") ? to_markdown(*report) : to_text(*report, output_width()));
  }
  return exit_code_of(*report);
}

}  // namespace

Command compare_command() {
  using Kind = Option::Kind;
  return {
      .name = "compare",
      .synopsis = "tuner compare FIRST SECOND [options]",
      .summary = "race two configurations or two versions of a kernel",
      .purpose =
          "Runs both in pairs until it is known whether the second is faster or slower. Each is FILE,\n"
          "FILE@baseline, FILE@winner, FILE@A=1,B=2, @CONFIG of the first's file, or a decision's NUMBER.",
      .options =
          {
              {"problem", Kind::value, "A=1,B=2", "values that define the problem"},
              {"kernel", Kind::value, "NAME", "which kernel, if the files describe several"},
              {"within", Kind::value, "P%", "a difference up to this is none; default 1%"},
              {"limit", Kind::value, "TIME", "for the race; then it is undecided; default 10s"},
              {"mode", Kind::value, "cold|warm", "cold (default): the L2 cache is flushed before every sample"},
              {"device", Kind::value, "N", "which GPU, as `tuner devices` numbers them; default 0"},
              {"seed", Kind::value, "N", "of the generated inputs and of the order in pairs; default 0"},
              {"launch-timeout", Kind::value, "TIME", "a launch that takes longer is stopped; default 2s"},
              {"I", Kind::repeatable, "DIR", "folder in which headers are looked for"},
              {"markdown", Kind::flag, "", "print a line and a table for a comment"},
          },
      .most_operands = 2,
      .examples =
          {
              {"tuner compare kernel_sources/prefetch.cu@baseline @winner --problem rows=528,row_length=65536",
               "what tuning brought, measured now"},
              {"tuner compare old.cu new.cu --problem n=1000000 --within 2%",
               "two versions of a kernel, for a script: exit code 8 if the second is slower"},
              {"tuner compare 3 7", "what is stored of decisions 3 and 7"},
          },
      .exit_codes = {ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store, ExitCode::device_failed,
                     ExitCode::slower, ExitCode::undecided},
      .run = run_compare,
  };
}

}  // namespace tuner::cli
