#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "tuner/capture/capture.hpp"
#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/capture/profile_output.hpp"
#include "tuner/cli/capture/record_build.hpp"
#include "tuner/cli/capture/replay_folder.hpp"
#include "tuner/cli/capture/store_kernel.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/count_text.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {
namespace {

using capture::Profile;

/// A time, or a number of launches.
void read_stop(const Arguments& arguments, capture::CaptureOptions& options) {
  const std::optional<std::string> text = arguments.value("stop");
  if (!text) return;
  if (text->find_first_not_of("0123456789") == std::string::npos) {
    options.stop_at_launches = arguments.number("stop", 1);
  } else if (!(options.stop_after = duration_from_text(*text))) {
    throw Error(Errc::bad_usage,
                fmt::format("--stop needs a duration such as 10s, or a number of launches, not `{}`.", *text));
  }
}

ExitCode exit_code_of_program(const Profile& profile, bool is_interrupted) {
  if (is_interrupted) return ExitCode::interrupted;
  const ExitCode seen = profile.kernels.empty() ? ExitCode::no_result : ExitCode::done;
  if (profile.ended_by_us) return seen;
  const int code = profile.status.shell_code();
  return code != 0 ? static_cast<ExitCode>(code) : seen;
}

std::uint64_t read_limit(const Arguments& arguments) {
  constexpr double kDefault = 8e9;
  const std::optional<std::string> text = arguments.value("limit");
  const std::optional<double> bytes = text ? read_byte_count(*text) : kDefault;
  if (!bytes || !(*bytes >= 1 && *bytes < 0x1p60))
    throw Error(Errc::bad_usage, fmt::format("--limit needs a size, such as 512MB or 20GB, not `{}`.", *text));
  return static_cast<std::uint64_t>(*bytes);
}

/// "1,100,1000".
std::vector<std::uint64_t> read_launches(const Arguments& arguments) {
  std::vector<std::uint64_t> ordinals;
  for (const std::string& word : arguments.listed("launches")) {
    std::uint64_t ordinal = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), ordinal);
    if (error != std::errc() || end != word.data() + word.size() || ordinal == 0) {
      throw Error(Errc::bad_usage, fmt::format("--launches needs numbers of launches, counted from 1, such as 1,100; "
                                               "`{}` is none.",
                                               word));
    }
    ordinals.push_back(ordinal);
  }
  if (ordinals.size() > capture::kMostLaunches)
    throw Error(Errc::bad_usage, fmt::format("--launches takes at most {} launches.", capture::kMostLaunches));
  return ordinals;
}

/// What is to be stored, if anything is. Throws Error{bad_usage} if options for that stand without it.
std::optional<StoringRequest> storing_request(const Arguments& arguments) {
  const std::optional<std::string> kernel = arguments.value("kernel");
  if (!kernel) {
    for (const char* const option : {"o", "launches", "limit", "no-replay"}) {
      if (arguments.has(option))
        throw Error(Errc::bad_usage,
                    fmt::format("{} says how launches are stored; add --kernel NAME.", spelled(option)));
    }
    return std::nullopt;
  }
  return StoringRequest{.kernel = *kernel,
                        .folder = arguments.value("o").value_or(default_folder(*kernel)),
                        .ordinals = read_launches(arguments),
                        .limit = read_limit(arguments)};
}

/// What was stored stays, whatever comes of this.
nlohmann::ordered_json replay(const std::filesystem::path& folder, bool as_json, const std::atomic<bool>& interrupted) {
  try {
    const capture::Capture capture = capture::read_capture(folder);
    const FolderReplay replay = replay_folder({.folder = folder}, capture, interrupted);
    if (!as_json) print("\n" + replay.text(capture));
    return replay.json(capture);
  } catch (const Error& error) {
    warn(fmt::format("What was stored was not replayed: {}", error.what()));
    return nullptr;
  }
}

ExitCode run_capture(const Arguments& arguments) {
  if (arguments.has("build")) return record_build(arguments);
  if (arguments.has("output"))
    throw Error(Errc::bad_usage,
                "--output names the record of a build: add --build. Launches are stored where -o says.");
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage,
                "`tuner capture` needs a program to run. Usage: tuner capture [options] -- PROGRAM [ARGUMENTS]");
  }
  capture::CaptureOptions options{.command = arguments.operands(),
                                  .after = arguments.duration("after").value_or(std::chrono::milliseconds(0)),
                                  .randomise = arguments.has("randomise"),
                                  .output_to_stderr = arguments.has("json")};
  read_stop(arguments, options);
  const std::optional<StoringRequest> request = storing_request(arguments);
  const Interrupts interrupts;
  const SomethingToEnd program;
  std::optional<LaunchStore> store;
  if (request) store.emplace(*request, options.command);  // before the program runs for nothing
  const Profile profile = capture::profile_program(options, interrupts.flag());
  warn_of_troubles(profile);
  nlohmann::ordered_json json = profile_json(profile, options.command);
  if (!arguments.has("json")) print(profile_text(profile));
  ExitCode code = exit_code_of_program(profile, interrupts.flag());
  if (store && !profile.kernels.empty() && !interrupts.flag()) {
    const StoringResult result = store->store_from(profile, options, interrupts.flag());
    json["stored"] = result.json;
    if (!arguments.has("json")) print(result.text);
    if (result.launches == 0) {
      code = ExitCode::no_result;
    } else if (!arguments.has("no-replay") && !interrupts.flag()) {
      json["replayed"] = replay(request->folder, arguments.has("json"), interrupts.flag());
    }
    if (interrupts.flag()) code = ExitCode::interrupted;
  }
  if (arguments.has("json")) print_json(json);
  return code;
}

}  // namespace

Command capture_command() {
  return {
      .name = "capture",
      .synopsis = "tuner capture [options] -- PROGRAM [ARGUMENTS]",
      .summary = "list a CUDA program's kernels by GPU time, store launches, or record how it is built",
      .purpose =
          "Runs a CUDA program, unchanged, and lists the kernels that it launched: their share of the GPU's\n"
          "time, launches, launch shapes, and what they need. The driver loads a library into the program.\n"
          "With --kernel it runs the program once more and stores launches of that kernel with all memory that\n"
          "they can reach. Then it runs them again, as `tuner replay` does.\n"
          "With --build it runs a build instead, and records which CUDA compilers that starts, and how.",
      .options =
          {{"stop", Option::Kind::value, "TIME|N", "end the program after TIME (10s), or after N launches"},
           {"after", Option::Kind::value, "TIME", "launches before TIME do not count; default: all count"},
           {"randomise", Option::Kind::flag, "",
            "leave address randomisation on; by default the program runs without it, so that its memory is at "
            "the same addresses each time"},
           {"kernel", Option::Kind::value, "NAME",
            "run the program once more, and store launches of this kernel; default: none"},
           {"o", Option::Kind::value, "FOLDER", "where launches are stored, a new folder; default: NAME.capture"},
           {"launches", Option::Kind::repeatable, "N,...",
            "which launches of the kernel are stored, counted from 1; default: of each of the four shapes that "
            "take most time, the one in the middle"},
           {"limit", Option::Kind::value, "SIZE",
            "memory that is stored with a launch, such as 512MB; default: 8 GB. If the program has allocated more, "
            "what the kernel can reach is looked for"},
           {"no-replay", Option::Kind::flag, "", "do not run what was stored again, as `tuner replay` does"},
           {"build", Option::Kind::flag, "", "PROGRAM builds a program: record the CUDA compilers that it starts"},
           {"output", Option::Kind::value, "FILE",
            "with --build: the record, to which later builds are added; default: tuner-build.json"}},
      .most_operands = std::numeric_limits<std::size_t>::max(),
      .operands = {"FILE"},
      .examples = {{"tuner capture -- ./simulate 100", "which kernels take the time?"},
                   {"tuner capture --after 5s --stop 20s --json -- ./simulate",
                    "the kernels of 15 seconds, as JSON; what the program prints goes to standard error"},
                   {"tuner capture --kernel scale -o scale.capture -- ./simulate 100",
                    "store launches of the kernel `scale`"},
                   {"tuner capture --build -- make -j8", "record how the sources are compiled"}},
      .exit_codes = {ExitCode::no_toolkit, ExitCode::shortage},
      .run = run_capture,
  };
}

}  // namespace tuner::cli
