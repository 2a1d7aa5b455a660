#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cache/exchange/exchange.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/selection.hpp"
#include "tuner/cli/given/stored_kernel.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/pack/pack_binaries.hpp"
#include "tuner/cli/pack/pack_folder.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/sizes/pack_choice.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

namespace fs = std::filesystem;

struct PackRequest {
  fs::path folder;
  std::vector<Selection> selections;  ///< of which one must include a key
  engine::PackLimits limits;
  bool overwrite = false;
};

double read_loss(const std::string& text) {
  char* end = nullptr;
  const double percents = std::strtod(text.c_str(), &end);
  const bool is_number = end != text.c_str() && std::string_view(end) == "%";
  if (is_number && percents >= 0 && percents <= 50) return percents / 100;
  throw Error(Errc::bad_usage,
              fmt::format("--within {} is no loss. Write a percentage from 0% to 50%, such as 2%.", text));
}

PackRequest read_pack_request(const Arguments& arguments) {
  const std::vector<std::string>& operands = arguments.operands();
  if (operands.empty() || operands.front().empty())
    throw Error(Errc::bad_usage, "`tuner pack` needs the folder to make, for example `tuner pack share/tuned`.");
  if (operands.front().ends_with(".db")) {
    throw Error(
        Errc::bad_usage,
        fmt::format("{} would be taken for a file of decisions: give the folder a name that does not end in .db.",
                    operands.front()));
  }
  PackRequest request{.folder = operands.front(), .overwrite = arguments.has("force")};
  for (std::size_t i = 1; i < operands.size(); ++i) request.selections.emplace_back(arguments, operands[i]);
  if (request.selections.empty()) request.selections.emplace_back(arguments, "");
  if (const auto within = arguments.value("within")) request.limits.within = read_loss(*within);
  if (const auto most = arguments.number("most", 1, 1000)) request.limits.most = static_cast<std::size_t>(*most);
  if (request.limits.most && arguments.has("within"))
    throw Error(Errc::bad_usage,
                "--most and --within exclude each other: one of them says how few binaries are enough.");
  return request;
}

/// What a pack is, once it is complete.
struct PackSummary {
  std::size_t decisions = 0, binaries = 0, winners = 0, compiled = 0;
  std::uint64_t binary_bytes = 0;
  double mean_loss = 0, worst_loss = 0;
};

PackSummary summary_of(const std::vector<engine::PackGroup>& groups, const PackBinaries& binaries) {
  PackSummary summary{.compiled = binaries.compiled};
  std::set<std::string> members, winners;    // what is timed cold and warm may share some
  std::map<std::string, std::size_t> bytes;  // one cubin may be that of several builds
  for (const cache::Binary& build : binaries.builds) bytes[build.hash.text] = build.bytes.size();
  for (const auto& [hash, size] : bytes) summary.binary_bytes += size;
  for (const engine::PackGroup& group : groups) {
    summary.decisions += group.decisions.size();
    members.insert(group.members.begin(), group.members.end());
    winners.insert(group.winners.begin(), group.winners.end());
    for (const engine::PackedDecision& packed : group.decisions) {
      summary.mean_loss += packed.loss;
      summary.worst_loss = std::max(summary.worst_loss, packed.loss);
    }
  }
  summary.binaries = members.size();
  summary.winners = winners.size();
  if (summary.decisions > 0) summary.mean_loss /= static_cast<double>(summary.decisions);
  return summary;
}

void write_databases(const std::vector<engine::PackGroup>& groups, const PackBinaries& binaries,
                     const cache::Location& from, const cache::Location& to) {
  std::map<std::string, const cache::Decision*> by_key;
  for (const engine::PackGroup& group : groups) {
    for (const engine::PackedDecision& packed : group.decisions) by_key[packed.decision.key.text()] = &packed.decision;
  }
  cache::export_decisions({
      .from = from.decisions,
      .to = to.decisions,
      .with_trials = false,
      .with_served = true,
      .wanted = [&](const cache::DecisionKey& key) { return by_key.contains(key.text()); },
      .edit =
          [&](cache::Decision& decision) {
            // One that took its place meanwhile is found out when the pack is checked.
            const cache::Decision& packed = *by_key.at(decision.key.text());
            if (packed.row == decision.row) decision = packed;
          },
  });
  cache::write_binaries(to.binaries, binaries.builds, false);
}

/// Looks for every decision and its binary as a program does that has this as its system database.
void check_pack(const std::vector<engine::PackGroup>& groups, const cache::Location& pack) {
  const auto decisions = cache::SqliteStore::open({.path = pack.decisions, .access = cache::Access::read_only});
  const auto binaries = cache::BinaryStore::open({.path = pack.binaries, .access = cache::Access::read_only});
  for (const engine::PackGroup& group : groups) {
    for (const engine::PackedDecision& packed : group.decisions) {
      const auto found = decisions->find_decision(packed.decision.key);
      const bool is_found = found && found->configuration == packed.decision.configuration;
      const cache::Hash& hash = packed.decision.binary_hash;
      const bool is_compiled =
          packed.key ? binaries->find_compiled(*packed.key, hash).has_value() : binaries->find(hash).has_value();
      if (is_found && is_compiled) continue;
      throw Error(Errc::store_unavailable,
                  fmt::format("The pack does not serve `{}` for {}, and was not kept: {}. Pack again.",
                              one_line(packed.decision.key.kernel_name), one_line(packed.decision.key.problem),
                              binaries->distrust() ? *binaries->distrust()
                              : is_found           ? "its binary is not found"
                                                   : "the database changed meanwhile"));
    }
  }
}

nlohmann::ordered_json packed_json(const engine::PackedDecision& packed) {
  const char* const by = packed.by == engine::PackedBy::won     ? "won"
                         : packed.by == engine::PackedBy::raced ? "raced"
                                                                : "screened";
  return {{"problem", packed.decision.key.problem},
          {"configuration", packed.decision.configuration},
          {"loss", packed.loss},
          {"by", by}};
}

nlohmann::ordered_json group_json(const engine::PackGroup& group) {
  return {{"kernel", group.key.kernel_name},
          {"kernel_identity", group.key.kernel_identity},
          {"device", group.key.device},
          {"mode", group.key.mode},
          {"binaries", group.members.size()},
          {"winners_binaries", group.winners.size()},
          {"exact", group.exact},
          {"decisions", json_list(group.decisions, packed_json)},
          {"left_out", group.left_out}};
}

nlohmann::ordered_json pack_json(const PackRequest& request, const PackSummary& summary,
                                 const std::vector<engine::PackGroup>& groups) {
  const engine::PackLimits& limits = request.limits;
  return {{"format", 1},
          {"within", limits.most ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(limits.within)},
          {"most", limits.most ? nlohmann::ordered_json(*limits.most) : nlohmann::ordered_json(nullptr)},
          {"decisions", summary.decisions},
          {"binaries", summary.binaries},
          {"binary_bytes", summary.binary_bytes},
          {"winners_binaries", summary.winners},
          {"compiled", summary.compiled},
          {"mean_loss", summary.mean_loss},
          {"worst_loss", summary.worst_loss},
          {"kernels", json_list(groups, group_json)}};
}

void print_pack(const PackRequest& request, const PackSummary& summary, const std::vector<engine::PackGroup>& groups) {
  print(labelled("", fmt::format("Packed into {}: {} served by {} ({} bytes) instead of {}.",
                                 unbroken(request.folder.string()), counted(summary.decisions, "decision"),
                                 count_binaries(summary.binaries), grouped(summary.binary_bytes), summary.winners)));
  print(labelled("", fmt::format("At most {} is lost against the winners, {} on average.", percent(summary.worst_loss),
                                 percent(summary.mean_loss))));
  for (const engine::PackGroup& group : groups) {
    const auto screened = std::count_if(group.decisions.begin(), group.decisions.end(),
                                        [](const auto& packed) { return packed.by == engine::PackedBy::screened; });
    print(labelled("  ", fmt::format("{} on {}, {} cache: {}, {}{}{}", one_line(group.key.kernel_name),
                                     one_line(device_name(group.key.device)), one_line(group.key.mode),
                                     counted(group.decisions.size(), "decision"), count_binaries(group.members.size()),
                                     screened == 0 ? ""
                                                   : fmt::format("; {} by times of the search alone",
                                                                 grouped(static_cast<std::uint64_t>(screened))),
                                     group.exact ? "" : "; fewer might do")));
  }
  print("The folder was read back as a system database: every decision and its binary was found.\n");
}

void require_all_kernels(const PackRequest& request, const cache::Database& store, const std::string& path) {
  const std::vector<cache::DecisionKey> keys = store.list_keys({});
  for (const Selection& selection : request.selections) {
    const auto includes = [&](const cache::DecisionKey& key) { return selection.includes(key); };
    if (selection.kernel().empty() || std::any_of(keys.begin(), keys.end(), includes)) continue;
    throw Error(Errc::bad_usage,
                fmt::format("{} has nothing for a kernel `{}` that matches.{} `tuner list` shows what "
                            "is stored.",
                            path, one_line(selection.kernel()), nearest_kernel(selection.kernel(), keys)));
  }
}

/// A decision's kernel and problem, to compute what its configurations are compiled to.
std::pair<std::shared_ptr<const Task>, std::string> task_of(const cache::Decision& decision,
                                                            const cache::Database& store,
                                                            const std::filesystem::path& database) {
  StoredKernel kernel = stored_kernel(decision, store, database);
  if (!kernel.description) return {nullptr, std::move(kernel.reason)};
  const auto device = device_of_identity(decision.key.device);
  if (!device) return {nullptr, "its GPU is not known"};
  try {
    auto task = std::make_shared<const Task>(*std::move(kernel.description), parse_problem(decision.key.problem),
                                             *device, std::vector<std::string>(), std::vector<std::filesystem::path>(),
                                             search::Listing::when_needed);
    if (task->key(decision.key.mode) == decision.key) return {std::move(task), {}};
    return {nullptr, "what is stored of its source does not describe its problem"};
  } catch (const Error& error) {
    return {nullptr, error.what()};
  }
}

ExitCode run_pack(const Arguments& arguments) {
  const PackRequest request = read_pack_request(arguments);
  const cache::Location from = cache::locate(arguments.value("db").value_or(""));
  const std::string path = from.decisions.string();
  const auto store = open_for_reading(from);
  if (store == nullptr) {
    say(fmt::format("Nothing is stored in {} yet, so there is nothing to pack.", path));
    return ExitCode::no_result;
  }
  require_all_kernels(request, *store, path);
  PackFolder folder(request.folder, request.overwrite);
  const Interrupts interrupts;
  const auto wanted = [&](const cache::DecisionKey& key) {
    return std::any_of(request.selections.begin(), request.selections.end(),
                       [&](const Selection& selection) { return selection.includes(key); });
  };
  std::vector<engine::PackGroup> groups;
  {
    const NothingToKeep choosing;
    groups = engine::choose_for_pack(
        *store, [&](const cache::Decision& decision) { return task_of(decision, *store, from.decisions); }, wanted,
        request.limits);
  }
  for (const engine::PackGroup& group : groups) {
    for (const std::string& problem : group.left_out) {
      warn(fmt::format("`{}` for {} is left out: none of the {} was timed there.", one_line(group.key.kernel_name),
                       one_line(problem), count_binaries(group.members.size())));
    }
  }
  std::erase_if(groups, [](const engine::PackGroup& group) { return group.decisions.empty(); });
  if (groups.empty()) {
    say(
        fmt::format("Nothing was packed: {} has no measured decision in force that matches. `tuner list` shows what is "
                    "stored.",
                    path));
    return ExitCode::no_result;
  }
  const auto binaries = binaries_for_pack(groups, from.binaries, interrupts.flag());
  if (!binaries || interrupts.flag()) return ExitCode::interrupted;
  const cache::Location pack = cache::locate(folder.path());
  write_databases(groups, *binaries, from, pack);
  check_pack(groups, pack);
  const PackSummary summary = summary_of(groups, *binaries);
  const nlohmann::ordered_json contents = pack_json(request, summary, groups);
  folder.publish(contents.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  if (arguments.has("json")) {
    print_json(contents);
  } else {
    print_pack(request, summary, groups);
  }
  return ExitCode::done;
}

}  // namespace

Command pack_command() {
  using Kind = Option::Kind;
  return {
      .name = "pack",
      .synopsis =
          "tuner pack FOLDER [KERNEL...] [--within P% | --most N] [--problem A=1,B=2] [--device TEXT]\n"
          "       [--force] [--db PATH] [--json]",
      .summary = "write a system database with few binaries, to ship with a program",
      .purpose =
          "Writes the decisions in force and the fewest binaries that serve them nearly as fast as their\n"
          "winners to a new folder, which programs use as a system database without a toolkit.",
      .options =
          {
              {"within", Kind::value, "P%",
               "what each decision may lose against its winner, from 0% to 50%; default 2%. More: fewer binaries"},
              {"most", Kind::value, "N",
               "instead: so many binaries for each kernel, GPU kind and timing mode, with the least loss on average"},
              {"problem", Kind::value, "A=1,B=2", "only problems with these values; default: all"},
              {"device", Kind::repeatable, "TEXT", "only GPUs whose name contains one of these texts; default: all"},
              {"force", Kind::flag, "", "replace an earlier pack"},
          },
      .most_operands = 1000,
      .operands = {"FOLDER", "KERNEL"},
      .examples = {{"tuner pack share/tuned", "pack everything with at most 2 % lost anywhere"},
                   {"tuner pack share/tuned sgemm softmax --most 3 --device H200 --device H100",
                    "at most three binaries for each of two kernels on each of two kinds of GPU"}},
      .exit_codes = {ExitCode::no_result, ExitCode::no_toolkit, ExitCode::store},
      .run = run_pack,
  };
}

}  // namespace tuner::cli
