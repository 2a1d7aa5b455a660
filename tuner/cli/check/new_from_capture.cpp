#include "tuner/cli/check/new_from_capture.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "tuner/cli/described/described_capture.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

ExitCode new_from_capture(const Arguments& arguments) {
  const std::optional<std::string> output = arguments.value("output"), build = arguments.value("build");
  if (!output || *output == kStandardOutput)
    throw Error(Errc::bad_usage, "--capture writes data beside the description: add --output FILE.");
  if (arguments.has("kernel")) throw Error(Errc::bad_usage, "The capture says which kernel it is: leave out --kernel.");
  CapturedSource from{.folder = *arguments.value("capture"),
                      .limits = compiler_limits(arguments),
                      .launch = arguments.number("launch", 1)};
  if (!arguments.operands().empty()) from.source = arguments.operands().front();
  if (build) from.build = *build;
  for (const std::string& folder : arguments.values("I")) from.header_folders.emplace_back(folder);
  if (!build && from.source.empty())
    throw Error(Errc::bad_usage,
                "`tuner new --capture` needs the kernel's source, or --build FILE to find it: `tuner "
                "capture --build -- make` writes that.");
  const CapturedKernel kernel(std::move(from));
  kernel.write(*output, arguments.has("force"));
  std::string with;
  if (kernel.proved())
    with = fmt::format(" --build {} --source {}", in_command(*build), in_command(kernel.name_in_build()));
  say(
      fmt::format("`tuner check {0}{1}` tells whether the kernel leaves what the program's left, and `tuner tune "
                  "{0}{1}` tunes it.",
                  in_command(*output), with));
  return ExitCode::done;
}

}  // namespace tuner::cli
