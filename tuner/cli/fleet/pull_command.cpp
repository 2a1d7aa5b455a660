#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cache/file/location.hpp"
#include "tuner/cli/fleet/fleet_actions.hpp"
#include "tuner/cli/fleet/queue_option.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/stored/imported.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/fleet/queue/pull.hpp"

namespace tuner::cli {

ExitCode pull(const Arguments& arguments) {
  const cache::Location to = cache::locate(arguments.value("db").value_or(""));
  fleet::Queue queue(queue_address(arguments));
  const fleet::Pulled pulled = fleet::pull(queue, to.decisions, warn);
  const auto here = kinds_of_gpu_here();
  const ImportedFile sums = summed("the queue", pulled.keys, here);
  if (arguments.has("json")) {
    nlohmann::ordered_json object{{"format", 1},
                                  {"database", to.decisions.string()},
                                  {"jobs", pulled.jobs},
                                  {"known", pulled.known},
                                  {"damaged", pulled.damaged}};
    object.update(counts_json(sums.total, here.has_value()));
    object["kernels"] = kernels_json(sums, here.has_value());
    print_json(object);
    return ExitCode::done;
  }
  print(fmt::format("Pulled {}; {} known already.\n", counted(static_cast<std::uint64_t>(pulled.jobs), "job"),
                    grouped(static_cast<std::uint64_t>(pulled.known))));
  if (pulled.jobs > 0) {
    print_kernels(sums, here.has_value());
    print_foreign(sums.total.foreign, here.has_value());
  }
  return ExitCode::done;
}

}  // namespace tuner::cli
