#include <nlohmann/json.hpp>

#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/stored/known_sizes.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/wrapping.hpp"

namespace tuner::cli {

namespace {

ExitCode run_sizes(const Arguments& arguments) {
  const std::string kernel = arguments.operands().empty() ? "" : arguments.operands().front();
  const Selection selection(arguments, kernel);
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::unique_ptr<cache::Database> store = open_for_reading(location);
  std::vector<KernelSizes> known;
  if (store) known = known_sizes(*store, selection);
  if (arguments.has("json")) {
    const auto as_json = [](const KernelSizes& sizes) { return nlohmann::ordered_json::parse(sizes_json(sizes)); };
    print_json({{"format", 1}, {"database", location.decisions.string()}, {"sizes", json_list(known, as_json)}});
    return known.empty() ? ExitCode::no_result : ExitCode::done;
  }
  if (known.empty()) {
    const std::string nearest = store ? nearest_kernel(kernel, store->list_keys({})) : "";
    say(no_sizes(kernel) + nearest);
    return ExitCode::no_result;
  }
  for (std::size_t i = 0; i < known.size(); ++i) print((i == 0 ? "" : "\n") + sizes_text(known[i], output_width()));
  return ExitCode::done;
}

}  // namespace

Command sizes_command() {
  return {
      .name = "sizes",
      .synopsis = "tuner sizes [KERNEL] [--device TEXT] [--db PATH] [--json]",
      .summary = "show what is known of a kernel over its problems: few configurations for all, and a rule",
      .purpose =
          "Shows for each GPU the fewest configurations that serve all problems tuned so far, what fewer or more\n"
          "would lose, and the rule by which programs choose for sizes that were never tuned.",
      .options = {{"device", Option::Kind::repeatable, "TEXT",
                   "only GPUs whose name contains TEXT, for example H200; default: all"}},
      .most_operands = 1,
      .operands = {"KERNEL"},
      .examples = {{"tuner sizes sgemm", "portfolio, curve and rule of one kernel"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_sizes,
  };
}

}  // namespace tuner::cli
