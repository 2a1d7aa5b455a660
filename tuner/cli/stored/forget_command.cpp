#include <fmt/format.h>

#include "cache/store/sqlite_store.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/selection.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

struct Wish {
  Selection selection;
  cache::Forget what = cache::Forget::everything;
};

Wish read_wish(const Arguments& arguments) {
  Wish wish{Selection(arguments, arguments.operands().empty() ? "" : arguments.operands().front())};
  const auto only = arguments.choice("only", {"quarantine", "decisions", "trials"});
  if (only == "quarantine") wish.what = cache::Forget::quarantine;
  if (only == "decisions") wish.what = cache::Forget::decisions;
  if (only == "trials") wish.what = cache::Forget::trials;

  const bool restricted = wish.selection.restricts();
  if (arguments.has("all") == restricted) {
    throw Error(
        Errc::bad_usage,
        restricted
            ? "--all forgets every kernel, problem and device: leave it out, or leave "
              "the kernel, --problem and --device out."
            : "`tuner forget` needs a kernel, --problem or --device, for example `tuner forget prefetch`, or --all.");
  }
  return wish;
}

struct Deed {
  cache::Filter filter;
  cache::Forgotten forgotten;
};

std::vector<Deed> forget(cache::Database& store, const Wish& wish) {
  std::vector<cache::Filter> filters;
  for (const cache::DecisionKey& key : store.list_keys({})) {
    // Several keys have the same filter, which then forgets nothing: those that differ in mode or in the version of the
    // source.
    if (wish.selection.includes(key)) filters.push_back({key.kernel_name, key.problem, key.device});
  }
  if (filters.empty()) return {};
  const std::vector<cache::Forgotten> forgotten = store.forget_each(filters, wish.what);
  std::vector<Deed> deeds;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (!forgotten[i].nothing()) deeds.push_back({filters[i], forgotten[i]});
  }
  return deeds;
}

nlohmann::ordered_json to_json(const Deed& deed) {
  return {{"kernel", deed.filter.kernel_name}, {"problem", deed.filter.problem},
          {"device", deed.filter.device},      {"decisions", deed.forgotten.decisions},
          {"trials", deed.forgotten.trials},   {"quarantined", deed.forgotten.quarantined}};
}

std::string counts(const cache::Forgotten& forgotten) {
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, std::string_view singular) {
    if (count > 0) parts.push_back(counted(count, singular));
  };
  add(forgotten.decisions, "decision");
  add(forgotten.trials, "trial");
  add(forgotten.quarantined, "quarantined configuration");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string nothing_matched(const std::string& kernel, const std::vector<cache::DecisionKey>& keys,
                            const std::string& path) {
  return fmt::format(
      "Nothing was forgotten: {} has nothing {}in force that matches.{} `tuner list` and `tuner list --quarantine` "
      "show what is stored.",
      path, kernel.empty() ? "" : fmt::format("for a kernel `{}` ", kernel), nearest_kernel(kernel, keys));
}

ExitCode run_forget(const Arguments& arguments) {
  const Wish wish = read_wish(arguments);
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::string path = location.decisions.string();
  if (is_not_there_yet(location.decisions)) {
    say(fmt::format("Nothing is stored in {} yet, so there is nothing to forget.", path));
    return ExitCode::no_result;
  }
  const auto store = cache::SqliteStore::open({.path = location.decisions});
  const std::vector<Deed> deeds = forget(*store, wish);
  if (deeds.empty()) {
    say(nothing_matched(wish.selection.kernel(), store->list_keys({}), path));
    return ExitCode::no_result;
  }
  if (arguments.has("json")) {
    print_json({{"format", 1}, {"database", path}, {"forgotten", json_list(deeds, to_json)}});
    return ExitCode::done;
  }
  print("Forgotten, but kept in the file as history:\n");
  for (const auto& [filter, forgotten] : deeds) {
    print(labelled(
        "  ", fmt::format("{} on {}, {}: {}", one_line(filter.kernel_name), one_line(device_name(filter.device)),
                          filter.problem.empty() ? "no problem values" : one_line(filter.problem), counts(forgotten))));
  }
  return ExitCode::done;
}

}  // namespace

Command forget_command() {
  using Kind = Option::Kind;
  return {
      .name = "forget",
      .synopsis =
          "tuner forget [KERNEL] [--problem A=1,B=2] [--device TEXT] [--only quarantine|decisions|trials] [--all] "
          "[--db PATH] [--json]",
      .summary = "stop using what is stored: decisions, trials, quarantined binaries",
      .purpose =
          "Stops using stored decisions, trials and quarantined binaries; their rows stay in the database as\n"
          "history. The next `tuner tune` starts afresh.",
      .options =
          {
              {"problem", Kind::value, "A=1,B=2", "only problems with these values; default: all"},
              {"device", Kind::value, "TEXT", "only GPUs whose name contains TEXT, for example H200; default: all"},
              {"only", Kind::value, "quarantine|decisions|trials", "forget only these; default: all three"},
              {"all", Kind::flag, "", "every kernel, problem and device"},
          },
      .most_operands = 1,
      .operands = {"KERNEL"},
      .examples = {{"tuner forget prefetch", "tune prefetch from scratch the next time"},
                   {"tuner forget prefetch --only quarantine", "let binaries that crashed or hung run again"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_forget,
  };
}

}  // namespace tuner::cli
