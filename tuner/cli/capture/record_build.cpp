#include "tuner/cli/capture/record_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cache/file/fresh_file.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/recorded/build_file.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"
#include "tuner/sources/recorded/watch.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using sources::CompilerCommand;
using Commands = std::vector<CompilerCommand>;

void refuse_options_of_launches(const Arguments& arguments) {
  for (const std::string option : {"stop", "after", "randomise", "kernel", "o", "launches", "limit", "no-replay"}) {
    if (!arguments.has(option)) continue;
    throw Error(Errc::bad_usage, fmt::format("{} is about a program that runs, and --build about one that is built. "
                                             "Remove one of them.{}",
                                             spelled(option), option == "o" ? " --output names the record." : ""));
  }
}

/// What the record has already. It will be run, so what others may have written there is not taken over.
Commands recorded_earlier(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return {};
  sources::RecordedBuild earlier = sources::read_build_file(file);
  if (!earlier.distrust) return std::move(earlier.commands);
  throw Error(Errc::bad_usage, fmt::format("What this build starts would be added to {}, which is not trusted: {}. "
                                           "Remove that file, or name another one with --output.",
                                           file.string(), *earlier.distrust));
}

/// Before a build runs for nothing.
void require_place_for_record(const fs::path& file) {
  recorded_earlier(file);
  const cache::FreshFile can_be_written(file, true, cache::FreshFile::Kind::text);
}

/// What a build compiled.
struct Compiled {
  std::map<std::string, std::vector<std::string>> sources;  ///< by each compiler, each once
  std::size_t links = 0;
};

Compiled compiled_by(const Commands& commands) {
  Compiled compiled;
  for (const CompilerCommand& command : commands) {
    const std::vector<fs::path> sources = sources::sources_of(command);
    if (sources.empty()) ++compiled.links;
    for (const std::string source : sources) {
      std::vector<std::string>& all = compiled.sources[command.program];
      if (std::ranges::find(all, source) == all.end()) all.push_back(source);
    }
  }
  return compiled;
}

std::string compiled_text(const Compiled& compiled) {
  constexpr std::size_t kMostShown = 20;
  std::string text;
  for (const auto& [compiler, sources] : compiled.sources) {
    text += fmt::format("{} compiled {}\n", one_line(compiler), counted(sources.size(), "source"));
    const std::size_t shown = std::min(sources.size(), kMostShown);
    for (std::size_t i = 0; i < shown; ++i) text += "  " + one_line(sources[i]) + "\n";
    if (shown < sources.size()) text += fmt::format("  and {} more\n", grouped(sources.size() - shown));
  }
  if (compiled.links > 0) text += counted(compiled.links, "link") + " of objects by nvcc\n";
  return text;
}

OrderedJson compiled_json(const Compiled& compiled) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [compiler, sources] : compiled.sources)
    for (const std::string& source : sources) list.push_back({{"source", source}, {"compiler", compiler}});
  return list;
}

void say_nothing_compiled(const fs::path& file, bool was_anything) {
  std::error_code error;
  const std::string record =
      fs::exists(file, error) ? fmt::format("{} is left as it was", file.string()) : "no record was written";
  if (was_anything) {
    warn(
        fmt::format("CUDA compilers were started, but none of the sources that they read is there any more, and {}: "
                    "have the build keep them.",
                    record));
  } else {
    warn(
        fmt::format("No CUDA compiler was started, and {}: if all was up to date, remove what was built (make clean), "
                    "or touch the sources, and build again.",
                    record));
  }
}

/// Adds them to the record, and returns how many it has.
std::size_t write_record(const fs::path& file, const Commands& commands) {
  const Commands all = sources::merged(recorded_earlier(file), commands);
  const std::size_t left_out = sources::write_build_file(file, all);
  if (left_out > 0)
    warn(fmt::format("The record lacks {}, in which something is not UTF-8.", counted(left_out, "command")));
  return all.size() - left_out;
}

}  // namespace

ExitCode record_build(const Arguments& arguments) {
  refuse_options_of_launches(arguments);
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                "`tuner capture --build` needs a build to run. Usage: tuner capture --build [options] -- make");
  }
  // The build may not have the last word on what the current folder is.
  const fs::path file = fs::absolute(arguments.value("output").value_or(sources::kBuildFile));
  require_place_for_record(file);

  const Interrupts interrupts;
  const SomethingToEnd build;
  const bool as_json = arguments.has("json");
  const sources::WatchedBuild watched =
      sources::watch_build({.command = arguments.operands(), .output_to_stderr = as_json}, interrupts.flag());
  const Commands commands = sources::merged({}, watched.commands);
  const Compiled compiled = compiled_by(commands);
  std::size_t recorded = 0;
  if (commands.empty()) {
    say_nothing_compiled(file, !watched.commands.empty());
  } else {
    recorded = write_record(file, commands);
  }
  if (as_json) {
    print_json({{"format", 1},
                {"command", arguments.operands()},
                {"exit_code", or_null(watched.status.code)},
                {"signal", or_null(watched.status.signal)},
                {"sources", compiled_json(compiled)},
                {"links", compiled.links},
                {"file", commands.empty() ? OrderedJson(nullptr) : OrderedJson(file.string())},
                {"commands", recorded}});
  } else if (!commands.empty()) {
    const std::size_t earlier = recorded - std::min(recorded, commands.size());
    print(fmt::format("{}{} in {}{}\n", compiled_text(compiled), counted(recorded, "command"), one_line(file.string()),
                      earlier == 0 ? "" : fmt::format(", {} of them from earlier builds", grouped(earlier))));
  }
  if (interrupts.flag()) return ExitCode::interrupted;
  if (const int code = watched.status.shell_code(); code != 0) return static_cast<ExitCode>(code);
  return commands.empty() ? ExitCode::no_result : ExitCode::done;
}

}  // namespace tuner::cli
