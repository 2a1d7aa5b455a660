#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cache/exchange/exchange.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/new_folder.hpp"
#include "tuner/cli/given/selection.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/stored/export_header.hpp"
#include "tuner/cli/stored/export_t4.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/command.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

namespace fs = std::filesystem;

struct Totals {
  std::int64_t decisions = 0;
  std::int64_t trials = 0;
};

std::map<std::string, Totals> by_kernel(const std::vector<cache::ExportedKey>& exported) {
  std::map<std::string, Totals> kernels;
  for (const cache::ExportedKey& key : exported) {
    Totals& totals = kernels[key.key.kernel_name];
    totals.decisions += key.decisions;
    totals.trials += key.trials;
  }
  return kernels;
}

ExitCode run_export(const Arguments& arguments) {
  if (arguments.has("header")) return export_header(arguments);
  if (arguments.has("t4")) return export_t4(arguments);
  for (const char* option : {"style", "namespace", "rule"}) {
    if (!arguments.has(option)) continue;
    throw Error(Errc::bad_usage, fmt::format("{} applies to a header only: add --header FILE.hpp.", spelled(option)));
  }
  if (arguments.operands().empty()) {
    throw Error(Errc::bad_usage, "`tuner export` needs the file to write, for example `tuner export tuned.db`.");
  }
  if (arguments.operands().front() == "-") {
    throw Error(Errc::bad_usage,
                "A database cannot be written to standard output: name a file, for example `tuner export tuned.db`.");
  }
  const Selection selection(arguments, arguments.value("kernel").value_or(""));
  const cache::Location from = cache::locate(arguments.value("db").value_or(""));
  const cache::Location to = cache::locate(arguments.operands().front());
  const std::string path = from.decisions.string();
  if (is_not_there_yet(from.decisions)) {
    say(fmt::format("Nothing is stored in {} yet, so there is nothing to export.", path));
    return ExitCode::no_result;
  }
  const bool with_binaries = arguments.has("with-binaries");
  if (with_binaries && is_not_there_yet(from.binaries)) {
    throw Error(Errc::store_unavailable,
                fmt::format("There are no binaries to export in {}: leave --with-binaries out, or tune again.",
                            from.binaries.string()));
  }
  NewFolder folder(to.decisions.parent_path());
  cache::ExportRequest request{
      .from = from.decisions,
      .to = to.decisions,
      .overwrite = arguments.has("force"),
      .with_trials = !arguments.has("decisions-only"),
      .with_served = with_binaries,
      .wanted = [&](const cache::DecisionKey& key) { return selection.includes(key); },
  };
  if (with_binaries) request.binaries = {from.binaries, to.binaries};
  const auto [keys, binaries] = cache::export_decisions(request);
  if (keys.empty()) {
    const auto store = open_for_reading(from);
    say(fmt::format("Nothing was exported: {} has no measured results that match.{} `tuner list` shows what is stored.",
                    path, nearest_kernel(selection.kernel(), store->list_keys({}))));
    return ExitCode::no_result;
  }
  folder.keep();

  const std::map<std::string, Totals> kernels = by_kernel(keys);
  if (arguments.has("json")) {
    const auto to_json = [](const auto& kernel) -> nlohmann::ordered_json {
      return {{"kernel", kernel.first}, {"decisions", kernel.second.decisions}, {"trials", kernel.second.trials}};
    };
    nlohmann::ordered_json of_binaries = nullptr;
    if (binaries) {
      of_binaries = {{"file", to.binaries.string()}, {"written", binaries->written}, {"missing", binaries->missing}};
    }
    print_json({{"format", 1},
                {"database", path},
                {"file", to.decisions.string()},
                {"kernels", json_list(kernels, to_json)},
                {"binaries", std::move(of_binaries)}});
    return ExitCode::done;
  }
  print(fmt::format("Exported to {}:\n", one_line(to.decisions.string())));
  for (const auto& [kernel, totals] : kernels) {
    print(labelled("  ", fmt::format("{}: {}, {}", one_line(kernel), counted(totals.decisions, "decision"),
                                     counted(totals.trials, "trial"))));
  }
  if (binaries) {
    print(
        labelled("  ", fmt::format("{} in {}{}", count_binaries(static_cast<std::uint64_t>(binaries->written)),
                                   unbroken(to.binaries.string()),
                                   binaries->missing == 0
                                       ? ""
                                       : fmt::format("; {} no longer stored here: programs will compile them",
                                                     count_binaries(static_cast<std::uint64_t>(binaries->missing))))));
  }
  return ExitCode::done;
}

}  // namespace

Command export_command() {
  using Kind = Option::Kind;
  return {
      .name = "export",
      .synopsis =
          "tuner export FILE.db [--kernel NAME] [--problem A=1,B=2] [--device TEXT] [--decisions-only]\n"
          "       [--with-binaries] [--force] [--db PATH] [--json]\n"
          "       tuner export --header FILE.hpp [KERNEL FILE] [--style define|constexpr] [--rule] [--namespace NAME]\n"
          "       tuner export --t4 FILE.json [--kernel NAME] [--problem A=1,B=2] [--device TEXT] [--force]",
      .summary = "write decisions and trials to a file for other machines",
      .purpose =
          "Writes the decisions in force and their trials to a separate database, for other machines or for\n"
          "a program to read directly. --header writes winners as C++ text, --t4 trials for other tuners.",
      .options =
          {
              {"kernel", Kind::value, "NAME", "only this kernel; default: all"},
              {"problem", Kind::value, "A=1,B=2", "only problems with these values; default: all"},
              {"device", Kind::value, "TEXT", "only GPUs whose name contains TEXT, for example H200; default: all"},
              {"decisions-only", Kind::flag, "",
               "leave the trials out: a smaller file that serves programs just as well"},
              {"with-binaries", Kind::flag, "",
               "write the compiled winners and baselines to binaries.db beside FILE.db, and what programs start from "
               "to "
               "served.db (of tuned.db: tuned-served.db), so that a program needs no toolkit"},
              {"force", Kind::flag, "", "replace existing files"},
              {"header", Kind::value, "FILE.hpp",
               "write the newest winners as a C++ header instead; a kernel file supplies the numbers of named values"},
              {"style", Kind::value, "define|constexpr",
               "style of the header: macros for one kernel (for text and lower-case parameters only with its kernel "
               "file), or constants with a look-up function; default constexpr"},
              {"rule", Kind::flag, "",
               "with --header: write the rule that chooses for sizes that were never tuned, as a C++17 function "
               "(`tuner sizes` shows it)"},
              {"namespace", Kind::value, "NAME", "namespace of the header's constants; default tuned"},
              {"t4", Kind::value, "FILE.json",
               "write the trials behind one winner in T4, the results format that other tuners read"},
          },
      .most_operands = 1,
      .operands = {"FILE"},
      .examples = {{"tuner export tuned.db", "take everything to another machine"},
                   {"tuner export share/decisions.db --kernel prefetch --decisions-only --with-binaries",
                    "make a database to ship with a program"},
                   {"tuner export --header prefetch_tuned.hpp kernel_sources/prefetch.cu --kernel prefetch",
                    "write the winners of one kernel as a header"}},
      .exit_codes = {ExitCode::no_result, ExitCode::store},
      .run = run_export,
  };
}

}  // namespace tuner::cli
