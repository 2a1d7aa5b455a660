#include "tuner/cli/machine/doctor_checks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "cache/file/location.hpp"
#include "cache/file/trust.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/machine/remedies.hpp"
#include "tuner/core/base/cupti_files.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/compile/working_toolkit.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"
#include "tuner/process/confinement.hpp"
#include "tuner/process/system_databases.hpp"
#include "tuner/process/usable_cores.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::cli {

namespace {

std::string fleet() {
  const std::string_view compilers = "the compilers that `tuner fleet work` starts";
  if (can_confine()) return fmt::format("{} can read the toolkit and the job only", compilers);
  return fmt::format(
      "{} can read what their user can, so it asks for --unconfined: for less, start Linux 5.13 or "
      "newer with `landlock` in `lsm=`",
      compilers);
}

/// A finding is one line, and names of files stand in it.
Finding look(const std::string& what, Finding::Costs costs, const std::function<std::string()>& find,
             const std::function<std::string(const Error&)>& remedy) {
  try {
    return {what, costs, true, one_line(find())};
  } catch (const Error& error) {
    return {what,
            costs,
            false,
            one_line(error.what()),
            one_line(remedy(error)),
            exit_code_for(error.code()),
            costs == Finding::Costs::results && error.code() == Errc::store_damaged};
  }
}

std::string toolkit() {
  const engine::Toolkit found = engine::working_toolkit();
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

std::string cupti() {
  std::vector<std::string> looked;
  for (const std::filesystem::path& file : cupti_files()) {
    if (dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return file.string();
    looked.push_back(file.string());
  }
  throw Error(Errc::no_toolkit,
              fmt::format("CUPTI was not found (looked for {}). NVIDIA's package cuda-cupti-12-8 has it, and "
                          "nvidia-cuda-cupti-cu12 of pip; TUNER_CUPTI is its file or folder.",
                          fmt::join(looked, ", ")));
}

Finding look_at_cupti() {
  Finding finding = look("CUPTI", Finding::Costs::watching, cupti, [](const Error&) { return cupti_remedy(); });
  finding.code = ExitCode::done;  // tuning does not need it
  return finding;
}

std::string gpus() {
  std::vector<std::string> names;
  for (const DeviceInfo& device : engine::find_devices()) {
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

/// Throws Error{store_unavailable} if the file is there and others could have changed it.
void check_trust(const std::filesystem::path& binaries) {
  if (is_not_there_yet(binaries)) return;
  const auto reason = cache::reason_to_distrust(binaries, cache::trusted_owners());
  if (!reason) return;
  throw Error(Errc::store_unavailable,
              fmt::format("Binaries in {} are not used, because another user could have changed them: {}",
                          binaries.string(), *reason));
}

std::string users_binaries(const std::filesystem::path& path) {
  if (is_not_there_yet(path))
    return fmt::format("{}: does not exist yet; the first `tuner tune` creates it", path.string());
  // First whether it can be reached: what cannot is not trusted either.
  const auto store = cache::BinaryStore::open({.path = path, .access = cache::Access::read_only});
  check_trust(path);
  if (const auto damage = store->damage()) {
    throw Error(Errc::store_damaged,
                fmt::format("{} is damaged: {}. Delete it: what it holds is compiled again.", path.string(), *damage));
  }
  return path.string();
}

std::string system_database(const std::filesystem::path& chosen) {
  const cache::Location location = cache::locate(chosen);
  const std::string file = location.decisions.string();
  if (is_not_there_yet(location.decisions))
    throw Error(Errc::store_unavailable, fmt::format("{}, which TUNER_SYSTEM_DB names, does not exist.", file));
  const auto store = cache::SqliteStore::open({.path = location.decisions, .access = cache::Access::read_only});
  if (const auto damage = store->damage()) {
    throw Error(
        Errc::store_unavailable,
        fmt::format("{} is damaged, so programs do not use it: {}. Nothing was changed or deleted.", file, *damage));
  }
  check_trust(location.binaries);
  return fmt::format("{} with {}", file, counted(store->list_decisions({}).size(), "decision"));
}

std::string no_system_database() {
  std::vector<std::string> places;
  for (const std::filesystem::path& file : site_databases()) places.push_back(file.string());
  return fmt::format("none: TUNER_SYSTEM_DB names none, and there is no {}", fmt::join(places, ", no "));
}

Finding look_at_program(const std::string& what, Finding::Costs costs, std::string_view name) {
  return look(
      what, costs, [&] { return find_answering_program(name).string(); },
      [&](const Error&) { return program_remedy(name); });
}

/// `file` of the databases that belong to the user.
Finding look_at_database(const std::string& what, const std::filesystem::path& chosen, std::string_view creator,
                         const std::function<std::filesystem::path(const cache::Location&)>& file) {
  return look(
      what, Finding::Costs::results, [&] { return database(file(cache::locate(chosen)), creator); },
      [&](const Error& error) {
        try {
          const std::filesystem::path path = file(cache::locate(chosen));
          return error.code() == Errc::store_damaged ? recovery_remedy(path) : database_remedy(path, chosen);
        } catch (const Error&) {  // there is no such place
          return database_remedy("/", chosen);
        }
      });
}

Finding look_at_system_database(const std::filesystem::path& named) {
  return look(
      "system", Finding::Costs::programs, [&] { return system_database(named); },
      [&](const Error& error) { return distrust_remedy(error.what()).value_or(system_database_remedy(named)); });
}

}  // namespace

std::vector<Finding> look_at_everything(const std::filesystem::path& chosen) {
  using enum Finding::Costs;
  std::vector<Finding> findings{
      look("toolkit", tuning, toolkit, [](const Error&) { return toolkit_remedy(); }),
      look_at_program("worker", tuning, kWorkerProgram),
      look_at_program("engine", programs, kEngineProgram),
      look_at_cupti(),
      look("driver, GPU", tuning, gpus, [](const Error&) { return driver_remedy(); }),
      {"fleet", programs, true, fleet()},
      {"cores", tuning, true, fmt::format("{} for compiling and this program", usable_cores())},
      look_at_database("database", chosen, "tuner tune", [](const cache::Location& of) { return of.decisions; }),
      look_at_database("replays", chosen, "tuner tune --replay FILE", cache::replay_database),
      look(
          "binaries", Finding::Costs::binaries, [&] { return users_binaries(cache::locate(chosen).binaries); },
          [&](const Error& error) {
            if (error.code() == Errc::store_damaged) return deletion_remedy(cache::locate(chosen).binaries);
            return distrust_remedy(error.what()).value_or(another_place(chosen));
          })};
  const std::vector<std::filesystem::path> system = system_databases();
  for (const std::filesystem::path& named : system) findings.push_back(look_at_system_database(named));
  if (system.empty()) findings.push_back({"system", programs, true, no_system_database()});
  return findings;
}

}  // namespace tuner::cli
