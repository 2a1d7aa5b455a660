#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "cache/sqlite_store.hpp"
#include "search/expression.hpp"
#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/decisions.hpp"
#include "tuner/cli/message.hpp"
#include "tuner/cli/stores.hpp"
#include "tuner/core/task.hpp"
#include "tuner/core/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

struct Wish {
  std::string kernel;
  std::vector<ProblemValues> values;  ///< each of them must be the problem's
  std::string device;                 ///< a part of the GPU's name, in lower case
  cache::Forget what = cache::Forget::everything;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Wish read_wish(const Arguments& arguments) {
  Wish wish;
  if (!arguments.operands().empty()) wish.kernel = arguments.operands().front();
  for (const std::string& problem : arguments.values("problem")) {
    wish.values.push_back(parse_problem(problem));
    // A variable of a script that is empty by mistake must not forget every problem.
    if (wish.values.back().empty()) {
      throw Error(Errc::bad_problem, "--problem is empty; write for example --problem rows=528, or leave it out.");
    }
  }
  wish.device = lower(arguments.value("device").value_or(""));
  if (!wish.device.empty() && wish.device.find_first_not_of("0123456789") == std::string::npos) {
    throw Error(Errc::bad_usage,
                fmt::format("--device {} is a number: `tuner tune` counts GPUs, but what is stored goes by the GPU's "
                            "name. Give a part of that, for example --device H200.",
                            wish.device));
  }
  const auto only = arguments.choice("only", {"quarantine", "decisions", "trials"});
  if (only == "quarantine") wish.what = cache::Forget::quarantine;
  if (only == "decisions") wish.what = cache::Forget::decisions;
  if (only == "trials") wish.what = cache::Forget::trials;

  const bool restricted = !wish.kernel.empty() || !wish.values.empty() || !wish.device.empty();
  if (arguments.has("all") == restricted) {
    throw Error(Errc::bad_usage, restricted ? "--all forgets every kernel, problem and device: leave it out, or leave "
                                              "the kernel, --problem and --device out."
                                            : "`tuner forget` needs to know what to forget: a kernel, --problem or "
                                              "--device, for example `tuner forget prefetch`, or --all.");
  }
  return wish;
}

/// Whether a stored problem has these values, however either is written: 0x10 is 16.
bool has_values(const std::string& problem, const std::vector<ProblemValues>& wanted) {
  if (wanted.empty()) return true;
  ProblemValues actual;
  try {
    actual = parse_problem(problem);
  } catch (const Error&) {
    return false;  // a recording's problem is whatever text its author wrote
  }
  const auto is_actual = [&](const auto& value) {
    const auto found = actual.find(value.first);
    return found != actual.end() && found->second == value.second;
  };
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const ProblemValues& values) { return std::all_of(values.begin(), values.end(), is_actual); });
}

bool is_meant(const Wish& wish, const cache::DecisionKey& key) {
  return (wish.kernel.empty() || wish.kernel == key.kernel_name) &&
         lower(device_name(key.device)).find(wish.device) != std::string::npos && has_values(key.problem, wish.values);
}

struct Deed {
  cache::Filter filter;
  cache::Forgotten forgotten;
};

std::vector<Deed> forget(cache::Store& store, const Wish& wish) {
  std::vector<Deed> deeds;
  for (const cache::DecisionKey& key : store.list_keys({})) {
    if (!is_meant(wish, key)) continue;
    // Several keys have the same filter: those that differ in mode or in the version of the source.
    const cache::Filter filter{key.kernel_name, key.problem, key.device};
    const cache::Forgotten forgotten = store.forget(filter, wish.what);
    if (!forgotten.nothing()) deeds.push_back({filter, forgotten});
  }
  return deeds;
}

std::string counts(const cache::Forgotten& forgotten) {
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, std::string_view singular) {
    if (count > 0) parts.push_back(counted(static_cast<std::uint64_t>(count), singular));
  };
  add(forgotten.decisions, "decision");
  add(forgotten.trials, "trial");
  if (forgotten.quarantined > 0) {
    parts.push_back(counted(static_cast<std::uint64_t>(forgotten.quarantined), "quarantined configuration"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string nothing_matched(const Wish& wish, const std::vector<cache::DecisionKey>& keys, const std::string& path) {
  std::vector<std::string> kernels;
  for (const cache::DecisionKey& key : keys) kernels.push_back(key.kernel_name);
  const bool known = wish.kernel.empty() || std::find(kernels.begin(), kernels.end(), wish.kernel) != kernels.end();
  const std::string nearest = known ? "" : search::nearest_name(wish.kernel, kernels);
  return fmt::format(
      "Nothing was forgotten: {} has nothing {}that matches and still counts.{} `tuner list` and `tuner list "
      "--quarantine` show what there is.",
      path, wish.kernel.empty() ? "" : fmt::format("for a kernel `{}` ", wish.kernel),
      nearest.empty() ? "" : fmt::format(" Did you mean `{}`?", nearest));
}

ExitCode run(const Arguments& arguments) {
  const Wish wish = read_wish(arguments);
  const cache::Location location = cache::locate(arguments.value("db").value_or(""));
  const std::string path = location.decisions.string();
  if (is_not_there_yet(location.decisions)) {
    say(fmt::format("There is nothing in {} yet, so there is nothing to forget.", path));
    return ExitCode::no_result;
  }
  const auto store = cache::SqliteStore::open({.path = location.decisions});
  const std::vector<Deed> deeds = forget(*store, wish);
  if (deeds.empty()) {
    say(nothing_matched(wish, store->list_keys({}), path));
    return ExitCode::no_result;
  }
  if (arguments.has("json")) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [filter, forgotten] : deeds) {
      list.push_back({{"kernel", filter.kernel_name},
                      {"problem", filter.problem},
                      {"device", filter.device},
                      {"decisions", forgotten.decisions},
                      {"trials", forgotten.trials},
                      {"quarantined", forgotten.quarantined}});
    }
    print_json({{"format", 1}, {"database", path}, {"forgotten", std::move(list)}});
    return ExitCode::done;
  }
  print("Forgotten, and kept in the file as history:\n");
  for (const auto& [filter, forgotten] : deeds) {
    print(
        labelled("  ", fmt::format("{} on {}, {}: {}", filter.kernel_name, device_name(filter.device),
                                   filter.problem.empty() ? "no problem values" : filter.problem, counts(forgotten))));
  }
  return ExitCode::done;
}

}  // namespace

Command forget_command() {
  using Kind = Option::Kind;
  return {
      .name = "forget",
      .synopsis =
          "tuner forget [KERNEL] [--problem A=1,B=2] [--device TEXT] [--only WHAT] [--all] [--db PATH] [--json]",
      .summary = "stop using what is stored: decisions, trials, quarantined binaries",
      .purpose =
          "What is forgotten is not served, not reused and not kept from running any more; its rows stay in\n"
          "the database as history. The next `tuner tune` begins anew.",
      .options =
          {
              {"problem", Kind::value, "A=1,B=2", "only problems with these values; default: all"},
              {"device", Kind::value, "TEXT", "only GPUs whose name contains TEXT, for example H200; default: all"},
              {"only", Kind::value, "WHAT",
               "forget only one thing: quarantine, decisions or trials; default: all three"},
              {"all", Kind::flag, "", "every kernel, problem and device"},
          },
      .most_operands = 1,
      .examples = {{"tuner forget prefetch", "tune prefetch from scratch the next time"},
                   {"tuner forget prefetch --only quarantine", "let binaries that crashed or hung run once more"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run,
  };
}

}  // namespace tuner::cli
