#include "tuner/cli/explain/measuring_request.hpp"

#include <fmt/format.h>

#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/given/timing_option.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

void read_measuring(const Arguments& arguments, const char* decision, MeasuringRequest& request) {
  for (const char* option : {"kernel", "problem", "mode"}) {
    if (decision == nullptr || !arguments.has(option)) continue;
    throw Error(Errc::bad_usage,
                fmt::format("{} has no effect {}, which has its own. Leave it out.", spelled(option), decision));
  }
  request.kernel = arguments.value("kernel").value_or("");
  if (const auto problem = arguments.value("problem")) request.problem = one_problem(*problem);
  if (const auto device = arguments.number("device", 0, 1023)) request.device = static_cast<int>(*device);
  if (const auto timing = timing_option(arguments)) request.session.mode = *timing;
  request.session.seed = arguments.number("seed").value_or(0);
  request.session.launch_timeout = arguments.duration("launch-timeout").value_or(request.session.launch_timeout);
  for (const std::string& folder : arguments.values("I")) request.session.include_folders.emplace_back(folder);
  request.database = arguments.value("db").value_or("");
  if (arguments.has("json") && arguments.has("markdown"))
    throw Error(Errc::bad_usage, "--json and --markdown exclude each other: use one of them.");
}

}  // namespace tuner::cli
