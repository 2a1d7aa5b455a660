#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "cache/file/location.hpp"
#include "cache/file/trust.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/cli/arguments.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/decisions.hpp"
#include "tuner/cli/json_list.hpp"
#include "tuner/cli/message.hpp"
#include "tuner/cli/no_gpu.hpp"
#include "tuner/cli/stores.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/compile/nvrtc.hpp"
#include "tuner/error.hpp"
#include "tuner/process/usable_cores.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::cli {

namespace {

/// One thing that tuning needs, found or not.
struct Finding {
  std::string what;
  bool found = true;
  std::string text;  ///< what was found; or what is wrong and what to do about it
  ExitCode code = ExitCode::done;
  bool is_damaged = false;  ///< a database that tuning replaces by itself
};

/// A finding is one line, and names of files stand in it.
Finding look(const std::string& what, const std::function<std::string()>& find) {
  try {
    return {what, true, one_line(find())};
  } catch (const Error& error) {
    return {what, false, one_line(error.what()), exit_code_for(error.code()), error.code() == Errc::store_damaged};
  }
}

std::string toolkit() {
  const engine::Toolkit& found = engine::nvrtc().toolkit;
  if (found.include_folders.empty()) {
    throw Error(
        Errc::no_toolkit,
        fmt::format("NVRTC {} is in {}, but the toolkit's headers were not found. Kernels that include none compile; "
                    "for the others set TUNER_CUDA_INCLUDE_DIR to the folder with cuda_fp16.h.",
                    found.version, found.library.string()));
  }
  return fmt::format("NVRTC {} in {}, headers in {}", found.version, found.library.string(),
                     found.include_folders.front().string());
}

std::string gpus() {
  std::vector<std::string> names;
  for (const DeviceInfo& device : find_devices()) {
    names.push_back(fmt::format("{}: {} ({}, driver {})", device.ordinal, device.name, device.architecture(),
                                device.driver_version));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

/// Looks without creating anything. `creator` is the command that makes the file.
std::string database(const std::filesystem::path& path, std::string_view creator) {
  std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (is_not_there_yet(path)) {
    while (!std::filesystem::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
    if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK) != 0) {
      throw Error(Errc::store_unavailable,
                  fmt::format("{} does not exist and cannot be created, because {} is not a writable folder. Make it "
                              "writable, or name another folder with --db or TUNER_DB.",
                              path.string(), folder.string()));
    }
    return fmt::format("{}: does not exist yet; the first `{}` creates it", path.string(), creator);
  }
  const auto store = cache::SqliteStore::open({.path = path, .access = cache::Access::read_only});
  if (const auto damage = store->damage()) {
    throw Error(Errc::store_damaged,
                fmt::format("{} is damaged: {}. Nothing was changed or deleted: the next `{}` renames it and starts a "
                            "fresh one; `tuner recover FILE` writes what can still be read to a new database.",
                            path.string(), *damage, creator));
  }
  if (access(path.c_str(), W_OK) != 0 || access(folder.c_str(), W_OK) != 0) {
    throw Error(Errc::store_unavailable,
                fmt::format("{} or its folder is not writable: results would be printed but not stored. Make both "
                            "writable for this user, or name another folder with --db or TUNER_DB.",
                            path.string()));
  }
  const std::size_t decisions = store->list_decisions({}).size();
  return fmt::format("{} with {}", path.string(), counted(decisions, "decision"));
}

std::string binaries(const std::filesystem::path& path) {
  if (is_not_there_yet(path))
    return fmt::format("{}: does not exist yet; the first `tuner tune` creates it", path.string());
  if (const auto distrust = cache::reason_to_distrust(path, cache::trusted_owners())) {
    throw Error(Errc::store_unavailable,
                fmt::format("Binaries in {} are not used, because another user could have changed them: {}",
                            path.string(), *distrust));
  }
  return path.string();
}

std::vector<Finding> look_at_everything(const std::filesystem::path& chosen) {
  return {look("toolkit", toolkit),
          look("worker", [] { return find_worker_program().string(); }),
          look("driver, GPU", gpus),
          look("cores", [] { return fmt::format("{} for compiling and this program", usable_cores()); }),
          look("database", [&] { return database(cache::locate(chosen).decisions, "tuner tune"); }),
          look("replays",
               [&] { return database(cache::replay_database(cache::locate(chosen)), "tuner tune --replay FILE"); }),
          look("binaries", [&] { return binaries(cache::locate(chosen).binaries); })};
}

/// What the findings come to, in a sentence.
std::string conclusion(const std::vector<Finding>& findings) {
  const auto any_missing = [&](auto is) {
    return std::ranges::any_of(findings, [&](const Finding& finding) { return !finding.found && is(finding); });
  };
  const auto is_unusable = [](const Finding& of) { return of.code == ExitCode::store && !of.is_damaged; };
  const bool works = !any_missing([](const Finding& of) { return of.code != ExitCode::store; });
  const bool damaged = any_missing([](const Finding& of) { return of.is_damaged; });
  const bool keeps = !any_missing([&](const Finding& of) { return is_unusable(of) && of.what != "binaries"; });
  const bool binaries_kept = !any_missing([&](const Finding& of) { return is_unusable(of) && of.what == "binaries"; });
  std::string text;
  if (!works) {
    text +=
        "Tuning will not work here yet: see NO above. What works now: `tuner tune --replay FILE`, describe, list and "
        "show.\n";
  }
  if (!keeps) {
    text += works ? "Tuning works, but results will not be stored: see NO above.\n"
                  : "Results would not be stored either, including those of replays.\n";
  }
  if (damaged) {
    text += works && keeps ? "Tuning works, and starts a fresh database in place of the damaged one: see NO above.\n"
                           : "A damaged database is replaced by a fresh one when tuning next uses it.\n";
  }
  if (works && keeps && !damaged && !binaries_kept) {
    text += "Tuning works, but winners will be recompiled when they are needed: see NO above.\n";
  }
  return text.empty() ? "Everything that tuning needs was found.\n" : text;
}

ExitCode run_doctor(const Arguments& arguments) {
  const std::vector<Finding> findings = look_at_everything(arguments.value("db").value_or(""));
  ExitCode code = ExitCode::done;
  for (const Finding& finding : findings) {
    if (code == ExitCode::done) code = finding.code;
  }
  if (arguments.has("json")) {
    const auto to_json = [](const Finding& finding) -> nlohmann::ordered_json {
      return {{"what", finding.what}, {"found", finding.found}, {"text", finding.text}};
    };
    print_json({{"format", 1}, {"ready", code == ExitCode::done}, {"findings", json_list(findings, to_json)}});
    return code;
  }
  std::string text;
  for (const Finding& finding : findings)
    // Sentences that are full of paths, many of them from elsewhere: they are not wrapped, as errors are not.
    text += tuner::labelled(fmt::format("{:<4} {:<12} ", finding.found ? "ok" : "NO", finding.what), finding.text,
                            kUnwrapped);
  print(text + "\n" + labelled("", conclusion(findings)));
  return code;
}

}  // namespace

Command doctor_command() {
  return {
      .name = "doctor",
      .synopsis = "tuner doctor [--db PATH] [--json]",
      .summary = "check what tuning needs, and say how to fix what is missing",
      .purpose =
          "Checks what tuning needs (toolkit, driver, GPU, worker program, databases) and says how to fix\n"
          "what is missing. Changes nothing; exits with 0 if tuning would work.",
      .options = {},
      .most_operands = 0,
      .examples = {{"tuner doctor", "would `tuner tune` work on this machine?"},
                   {"tuner doctor --db /shared/tuner", "could results be stored in that folder?"}},
      .exit_codes = {ExitCode::no_device, ExitCode::no_toolkit, ExitCode::store},
      .run = run_doctor,
  };
}

}  // namespace tuner::cli
