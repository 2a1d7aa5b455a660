#include <fmt/format.h>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/capture/replay_folder.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/trusted_capture.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {
namespace {

ExitCode run_replay(const Arguments& arguments) {
  if (arguments.operands().empty())
    throw Error(Errc::bad_usage, "`tuner replay` needs the folder of a capture. Usage: tuner replay FOLDER [options]");
  ReplayRequest request{
      .folder = arguments.operands().front(),
      .ordinal = static_cast<int>(arguments.number("device", 0, 1023).value_or(0)),
      .launch_timeout = arguments.duration("launch-timeout").value_or(ReplayRequest{}.launch_timeout)};
  const capture::Capture capture = capture::read_capture(request.folder);
  if (const auto number = arguments.number("launch", 1)) {
    request.launch = *number - 1;
    if (*request.launch >= capture.launches.size())
      throw Error(Errc::bad_usage, fmt::format("--launch {}: the capture has {} launches.", *request.launch + 1,
                                               capture.launches.size()));
  }
  require_trust(arguments, "Replaying runs the machine code of", request.folder,
                files_with_code(request.folder, capture));
  const Interrupts interrupts;
  const FolderReplay replay = replay_folder(request, capture, interrupts.flag());
  if (arguments.has("json")) {
    print_json({{"folder", request.folder.string()}, {"launches", replay.json(capture)}});
  } else {
    print(replay.text(capture));
  }
  if (interrupts.flag()) return ExitCode::interrupted;
  return replay.all_repeatable() ? ExitCode::done : ExitCode::no_result;
}

}  // namespace

Command replay_command() {
  return {
      .name = "replay",
      .synopsis = "tuner replay FOLDER [options]",
      .summary = "run the launches of a capture again, and say what they read and write",
      .purpose =
          "Runs the launches that `tuner capture --kernel` stored again and compares what they leave with what\n"
          "the program's did. Says of each piece of memory whether the kernel reads or writes it, and where.",
      .options = {{"launch", Option::Kind::value, "N", "only this one, counted from 1; default: all"},
                  {"device", Option::Kind::value, "N", "on this GPU, as `tuner devices` counts them; default 0"},
                  {"launch-timeout", Option::Kind::value, "TIME", "a launch that runs longer is stopped; default 2s"},
                  {"trust", Option::Kind::flag, "", "run machine code that others could have put there"}},
      .most_operands = 1,
      .operands = {"FOLDER"},
      .examples = {{"tuner replay scale.capture", "does it do the same again? what does it write?"}},
      .exit_codes = {ExitCode::no_device, ExitCode::no_toolkit, ExitCode::device_failed, ExitCode::shortage},
      .run = run_replay,
  };
}

}  // namespace tuner::cli
