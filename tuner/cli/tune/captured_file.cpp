#include "tuner/cli/tune/captured_file.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/described/described_capture.hpp"
#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/given/trusted_capture.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace fs = std::filesystem;

bool is_capture(const Arguments& arguments) {
  return !arguments.operands().empty() && capture::is_capture_folder(arguments.operands().front());
}

void take_capture(const Arguments& arguments, TuneRequest& request) {
  const fs::path folder = arguments.operands().front();
  constexpr std::string_view kRuns = "Tuning runs the kernel of";
  require_trust(arguments, kRuns, folder, files_with_code(folder, capture::read_capture(folder)));
  CapturedSource from{.folder = folder, .limits = compiler_limits(arguments)};
  // Only one that is named: it says which programs to start.
  if (const auto build = arguments.value("build")) from.build = *build;
  if (const auto source = arguments.value("source")) from.source = *source;
  for (const std::string& named : arguments.values("I")) from.header_folders.emplace_back(named);
  if (!from.build && from.source.empty())
    throw Error(Errc::bad_usage,
                fmt::format("{} does not say which source its kernel is of: add --build FILE, which `tuner capture "
                            "--build -- make` writes, or --source FILE.cu.",
                            folder.string()));
  const fs::path source = from.source;
  const CapturedKernel kernel(std::move(from));
  request.file = folder / (kernel.name() + ".cu");
  std::error_code none;
  if (fs::exists(request.file, none)) {
    require_trust(arguments, kRuns, folder, {request.file});
    say(fmt::format("{0} is there already and is tuned as it is. Remove it to describe the capture again.",
                    request.file.string()));
  } else {
    kernel.write(request.file, true);  // data without it are what an interrupted command left
    // What is refused above must not be what this wrote.
    fs::permissions(request.file, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove);
  }
  if (kernel.proved()) {
    request.recorded = {*kernel.proved(), compiler_choice(arguments)};
  } else {
    request.session.include_folders.push_back(fs::absolute(source).parent_path());
  }
}

}  // namespace tuner::cli
