#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "search/strategy/strategy.hpp"
#include "tuner/cli/given/compile_memory.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/device_list.hpp"
#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/given/timing_option.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/terminal/progress_line.hpp"
#include "tuner/cli/tune/captured_file.hpp"
#include "tuner/cli/tune/hints.hpp"
#include "tuner/cli/tune/report_printer.hpp"
#include "tuner/cli/tune/tune_request.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/effort.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

constexpr std::uint64_t kMostWorkers = 1024;

/// Nothing is compiled or launched, so these would change nothing.
void refuse_what_a_replay_ignores(const Arguments& arguments) {
  for (const char* option : {"device", "devices", "workers", "launch-timeout", "compile-timeout", kCompileMemory,
                             "fresh", "no-warm-start", "no-source", "if-busy", "build", "only", "pad", "I"}) {
    const bool is_compared = option == std::string_view("I") || option == std::string_view("pad");
    if (!arguments.has(option) || (is_compared && !arguments.operands().empty())) continue;
    throw Error(Errc::bad_usage,
                fmt::format("{} has no effect on a replay, which compiles and launches nothing{}. Leave it out.",
                            spelled(option), is_compared ? " and was given no kernel file" : ""));
  }
}

/// The list says what is tuned.
void refuse_beside_wanted(const Arguments& arguments) {
  if (!arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                fmt::format("--wanted tunes what programs missed, from the sources that they had: leave {} out, or "
                            "--wanted.",
                            in_command(arguments.operands().front())));
  }
  for (const char* option :
       {"problem", "problems", "where", "only", "pad", "record", "force", "replay", "hints", "build"}) {
    if (!arguments.has(option)) continue;
    throw Error(Errc::bad_usage, fmt::format("{} has no place beside --wanted, which takes kernels and problems from "
                                             "the list. Leave one of them out.",
                                             spelled(option)));
  }
}

void read_if_busy(const Arguments& arguments, TuneRequest& request) {
  const std::string word = arguments.value("if-busy").value_or("wait");
  const bool waits_no_time = word == "ignore" || word == "0s" || word == "0ms" || word == "0min";
  if (waits_no_time) {
    request.longest_wait = std::chrono::milliseconds(0);
    return;
  }
  if (!word.empty() && word.front() >= '0' && word.front() <= '9') {
    request.longest_wait = *arguments.duration("if-busy");
    return;
  }
  arguments.choice("if-busy", {"wait", "leave", "ignore", "a TIME such as 10min"});
  if (word == "leave") request.if_busy = IfBusy::leave;
}

/// The option by which users give rules of their own, which take the place of effort; empty: none. A strategy, which
/// limits nothing, is named if there is nothing else.
std::string_view own_rule(const Arguments& arguments) {
  for (const char* option : {"budget", "stop-at", "stop-after-idle", "stop-when-gain-below", "strategy"}) {
    if (arguments.has(option)) return option;
  }
  return {};
}

/// A recording is to be complete, and a replay costs nothing.
std::optional<Effort> read_effort(const Arguments& arguments) {
  const auto named = arguments.choice("effort", {kEfforts.begin(), kEfforts.end()});
  if (!own_rule(arguments).empty()) return std::nullopt;
  if (named) return effort_from_string(*named);
  return arguments.has("record") || arguments.has("replay") ? Effort::full : Effort::normal;
}

TuneRequest read_tune_request(const Arguments& arguments) {
  TuneRequest request;
  if (!arguments.operands().empty()) request.file = arguments.operands().front();
  request.kernel = arguments.value("kernel").value_or("");
  request.problems = given_problems(arguments);
  request.where = arguments.values("where");
  for (const std::string& names : arguments.values("only"))
    for (std::string& name : split_assignments(names)) request.only.push_back(std::move(name));
  request.pads = arguments.values("pad");
  request.replay = arguments.value("replay").value_or("");
  request.record = arguments.value("record").value_or("");
  if (const auto device = arguments.number("device", 0, 1023)) request.devices = {static_cast<int>(*device)};
  if (const auto devices = arguments.value("devices")) {
    if (arguments.has("device")) {
      throw Error(Errc::bad_usage, "--device names one GPU and --devices several: leave one of them out.");
    }
    if (request.replay.empty()) request.devices = read_device_list(*devices);
  }
  if (const auto workers = arguments.number("workers", 1, kMostWorkers)) request.workers = *workers;
  request.mode = timing_option(arguments);
  engine::SessionOptions& session = request.session;
  session.strategy = arguments.value("strategy").value_or(session.strategy);
  search::require_strategy(session.strategy);
  for (const std::string& limit : arguments.values("budget")) session.budget.add(limit);
  if (const auto target = arguments.value("stop-at")) session.budget.stop_at(*target);
  session.budget.idle = arguments.number("stop-after-idle", 1);
  if (const auto gain = arguments.value("stop-when-gain-below")) session.budget.stop_when_gain_below(*gain);
  session.effort = read_effort(arguments);
  if (const auto worth = arguments.duration("percent-worth")) session.percent_worth = *worth;
  session.takes_stored = true;
  session.mode = request.mode.value_or(Timing::cold);
  session.seed = arguments.number("seed").value_or(0);
  session.launch_timeout = arguments.duration("launch-timeout").value_or(session.launch_timeout);
  request.compile_timeout = arguments.duration("compile-timeout");
  request.compile_memory = compile_memory(arguments);
  if (is_capture(arguments)) {
    take_capture(arguments, request);
  } else {
    if (arguments.has("trust"))
      throw Error(Errc::bad_usage, "--trust is for the folder of a capture: leave it out, or name one.");
    request.recorded = recorded_source(arguments, request.file);
  }
  for (const std::string& folder : arguments.values("I")) session.include_folders.emplace_back(folder);
  add_header_folders(request.recorded, session.include_folders);
  request.database = arguments.value("db").value_or("");
  session.reuse = !arguments.has("fresh");
  session.warm_start = !arguments.has("no-warm-start");
  if (const auto hints = arguments.value("hints")) {
    request.hints = *hints;
    session.hints = read_hints(request.hints);
  }
  session.keeps_source = !arguments.has("no-source");
  read_if_busy(arguments, request);

  if (arguments.has("wanted")) refuse_beside_wanted(arguments);
  if (const auto limit = arguments.duration("for")) {
    if (!arguments.has("wanted")) {
      throw Error(Errc::bad_usage,
                  "--for limits how long --wanted works off its list: add that, or limit a search with --budget.");
    }
    request.begin_before = session.started + *limit;
  }
  if (request.file.empty() && request.replay.empty() && !arguments.has("wanted")) {
    throw Error(Errc::bad_usage,
                with_shipped_kernels("`tuner tune` needs a kernel file, for example `tuner tune "
                                     "kernel_sources/prefetch.cu --problem rows=528,row_length=65536`, "
                                     "or a recording with --replay FILE."));
  }
  if (!request.replay.empty()) refuse_what_a_replay_ignores(arguments);
  if (!request.record.empty()) {
    if (!request.replay.empty()) {
      throw Error(Errc::bad_usage,
                  "--record and --replay exclude each other: a replay measures nothing to record. Use one of them.");
    }
    if (request.problems.size() > 1) {
      throw Error(
          Errc::bad_usage,
          "--record writes one problem to one file. Give one --problem, and run `tuner tune` again for the next.");
    }
    if (session.effort && *session.effort != Effort::full) {
      throw Error(Errc::bad_usage, fmt::format("--record keeps the whole space, and --effort {} leaves some of it out. "
                                               "Leave --effort out, or limit the search with --budget.",
                                               to_string(*session.effort)));
    }
    session.early_kill = false;  // a recording keeps every sample of every candidate
  }
  if (session.budget.roofline && !request.replay.empty()) {
    throw Error(Errc::bad_usage,
                "--stop-at with a percentage measures what the GPU reaches, and a replay has none. Give a time or a "
                "speed-up, such as 1.5x.");
  }
  if (arguments.has("force")) {
    if (request.record.empty())
      throw Error(Errc::bad_usage, "--force replaces an older recording: add --record FILE, or leave it out.");
    request.replace = engine::Replace::recordings;
  }
  if (arguments.has("no-times") && !arguments.has("json")) {
    throw Error(Errc::bad_usage, "--no-times omits keys from a JSON report: add --json.");
  }
  return request;
}

ExitCode run_tune(const Arguments& arguments) {
  const TuneRequest request = read_tune_request(arguments);
  const Interrupts interrupts;
  ProgressLine line;
  ReportPrinter printer(line, arguments.has("json"), !arguments.has("no-times"), request.devices.size() > 1);
  const TuneContext context{.observer = line,
                            .stop = interrupts.flag(),
                            .deliver = [&](TuneReport report) { printer.print(std::move(report)); },
                            .deliver_sizes = [&](const KernelSizes& sizes) { printer.add(sizes); }};
  if (arguments.has("effort") && !own_rule(arguments).empty()) {
    const std::string_view rule = own_rule(arguments);
    line.warning(fmt::format("--effort has no effect beside {}, which takes its place.{}", spelled(rule),
                             rule == "strategy" ? " The whole space is searched: limit that with --budget." : ""));
  }
  if (arguments.has("percent-worth") && request.session.effort.value_or(Effort::full) == Effort::full) {
    line.warning("--percent-worth has no effect on this search: that is for `--effort quick` and `normal`.");
  }
  const auto tell = [&](const std::string& sentence) {
    line.erase();
    say(sentence);
  };
  bool all_tuned = true;
  try {
    if (arguments.has("wanted")) {
      all_tuned = tune_wanted(request, context, tell);
    } else {
      request.replay.empty() ? tune_live(request, context) : tune_replay(request, context);
    }
  } catch (const Error&) {
    line.erase();
    printer.finish();  // the problems before this one are done
    throw;
  }
  printer.finish(arguments.has("wanted"));
  if (interrupts.flag()) return ExitCode::interrupted;
  if (arguments.has("wanted")) return all_tuned ? ExitCode::done : ExitCode::no_result;
  return printer.all_usable() ? ExitCode::done : ExitCode::no_result;
}

}  // namespace

Command tune_command() {
  using Kind = Option::Kind;
  return {
      .name = "tune",
      .synopsis = "tuner tune [FILE|FOLDER|--wanted] [options]",
      .summary = "find the fastest configuration of a kernel and store it",
      .purpose =
          "Compiles, checks and times the configurations of a kernel, races the fastest, and stores every trial\n"
          "and the winner. Ctrl-C keeps the results. No FILE: --replay or --wanted. FOLDER: a captured kernel.",
      .options =
          {
              {"problem", Kind::repeatable, "A=1,B=2",
               "values that define the problem; several values of one name, such as n=1000,10000, 'n=64..8192 x2', "
               "'n=0..100 +25' or n=1..4, are a problem each, tuned in turn; with several names every combination; "
               "repeatable"},
              {"problems", Kind::repeatable, "FILE",
               "tune the problems in FILE too: on each line what --problem takes, perhaps with ' weight NUMBER' behind "
               "it; # begins a comment"},
              {"wanted", Kind::flag, "",
               "tune what programs missed, as `tuner wanted` lists it, for the GPU at hand: an entry leaves the list "
               "when its "
               "decision is stored"},
              {"for", Kind::value, "TIME", "with --wanted: begin no problem after this time (ms, s, min)"},
              {"kernel", Kind::value, "NAME",
               "which kernel to tune; needed if FILE describes several; with --wanted: only this one"},
              {"where", Kind::repeatable, "EXPR",
               "try only configurations for which EXPR is true, for example 'BLOCKDIMX >= 256'; if repeated, all must "
               "be true"},
              {"only", Kind::repeatable, "A,B", "vary these parameters only; the others keep their defaults"},
              {"pad", Kind::repeatable, "NAME=BYTES",
               "allow reads of up to BYTES bytes before and after buffer NAME, like `pad BYTES` in its directive; "
               "programs can use the winner only if the file declares the same padding; repeat for several buffers"},
              {"effort", Kind::value, "quick|normal|full",
               "how thoroughly to search: quick tries what takes a second or two, and at least 60 configurations; "
               "normal "
               "everything where that takes some 15 s, else until more is unlikely to pay; full everything; default "
               "normal, or full with --record and --replay; --strategy, --budget and --stop-... replace it"},
              {"percent-worth", Kind::value, "TIME",
               "what one per cent of the kernel's time is worth in time of a quick or normal search; default 2s"},
              {"strategy", Kind::value, "NAME",
               fmt::format("how to choose configurations: {}; default auto",
                           fmt::join(search::strategy_names(), ", "))},
              {"budget", Kind::repeatable, "200|60s|10%",
               "stop after this many configurations, this much time (ms, s, min) or this share of the space; combine "
               "limits with commas or by repeating the option: the first one reached ends the search"},
              {"stop-at", Kind::value, "TIME|1.5x|95%",
               "stop as soon as a configuration takes at most this long (ns, us, ms, s), reaches this speed-up over "
               "the baseline, or, where the file declares `work`, this share of what the GPU's memory and arithmetic "
               "were measured to reach"},
              {"stop-after-idle", Kind::value, "N", "stop after N configurations in a row without an improvement"},
              {"stop-when-gain-below", Kind::value, "2%",
               "stop when doubling the number of configurations tried is expected to gain less than this"},
              {"seed", Kind::value, "N", "random seed for the strategy and the generated inputs; default 0"},
              {"mode", Kind::value, "cold|warm",
               "cold flushes the L2 cache before every sample; warm does not; default cold"},
              {"device", Kind::value, "N", "which GPU, as numbered by `tuner devices`; default 0"},
              {"devices", Kind::value, "all|0,2|0-3",
               "several GPUs of one kind: each tunes one problem at a time, or all share a single one; what a GPU that "
               "fails was at is done by another"},
              {"launch-timeout", Kind::value, "TIME",
               "kill a kernel that runs longer than this and record it as failed (ms, s, min); default 2s"},
              {"compile-timeout", Kind::value, "TIME",
               "give up on a configuration that takes longer than this to compile (ms, s, min); default 30s, or 2min "
               "with "
               "--build"},
              compile_memory_option(),
              build_option(),
              source_option(),
              compiler_option(),
              {"trust", Kind::flag, "", "with FOLDER: run a kernel that others could have put there"},
              {"workers", Kind::value, "N",
               "number of compile processes; default: the number of usable cores minus one"},
              {"I", Kind::repeatable, "DIR",
               "also search DIR for headers included with quotes or angle brackets; repeatable"},
              {"record", Kind::value, "FILE",
               "write every trial with its samples to FILE (compressed if its name ends in .gz); slower, because no "
               "candidate is stopped early"},
              {"force", Kind::flag, "", "with --record: replace FILE if it exists and is a recording"},
              {"replay", Kind::value, "FILE",
               "replay a recording, or results of Kernel Tuner, KTT or T4, instead of using a GPU: nothing is compiled "
               "or launched, and results go to replay.db"},
              {"hints", Kind::value, "FILE",
               "start with the fastest configurations of a recording, or of results of Kernel Tuner, KTT or T4: at "
               "most "
               "a hundred, measured like any others, as results of other GPUs are (see --no-warm-start)"},
              {"fresh", Kind::flag, "", "ignore trials stored by earlier sessions and measure everything again"},
              {"no-warm-start", Kind::flag, "",
               "do not start with configurations suggested by earlier results (for any problem or GPU). By default, up "
               "to five are measured first, then more as long as they beat the strategy's own choices"},
              {"no-source", Kind::flag, "", "do not store the kernel's source and its headers with the decision"},
              {"if-busy", Kind::value, "wait|TIME|leave|ignore",
               "what to do if another process is tuning the same kernel and problem, or is tuning on the same "
               "GPU. wait: wait at most 30 min, then proceed anyway; TIME (ms, s, min): the same, but wait at "
               "most TIME; leave: exit with code 7; ignore: proceed at once; default wait"},
              {"no-times", Kind::flag, "",
               "with --json: omit fields that differ between otherwise identical replays (durations, dates, paths)"},
          },
      .most_operands = 1,
      .operands = {"FILE"},
      .examples = {{"tuner tune kernel_sources/prefetch.cu --problem rows=528,row_length=65536 --budget 60s",
                    "spend a minute on one problem and store the winner"},
                   {"tuner tune kernel_sources/prefetch.cu --problem 'rows=528,row_length=4K..64K x4'",
                    "three problems, one after the other"},
                   {"tuner tune --replay kernel_sources/recordings/prefetch__H200.csv --json",
                    "search a recorded space without a GPU, and print JSON"}},
      .exit_codes = {ExitCode::no_result, ExitCode::no_device, ExitCode::no_toolkit, ExitCode::device_failed,
                     ExitCode::busy},
      .run = run_tune,
  };
}

}  // namespace tuner::cli
