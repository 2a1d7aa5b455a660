#include "tuner/process/worker_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>

#include "tuner/error.hpp"

namespace tuner {
namespace {

std::filesystem::path folder_of_this_code() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&find_worker_program), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
  return error ? std::filesystem::path{} : file.parent_path();
}

std::filesystem::path folder_of_this_program() {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path{} : file.parent_path();
}

}  // namespace

std::vector<std::filesystem::path> program_candidates(std::string_view name) {
  if (const char* folder = std::getenv("TUNER_LIBEXEC"); folder != nullptr && *folder != '\0')
    return {std::filesystem::path(folder) / name};
  std::vector<std::filesystem::path> result;
  const auto add = [&](const std::filesystem::path& file) {
    if (std::find(result.begin(), result.end(), file) == result.end()) result.push_back(file);
  };
  for (const std::filesystem::path& folder : {folder_of_this_code(), folder_of_this_program()}) {
    if (folder.empty()) continue;
    add(folder / name);
    add((folder / ".." / "libexec" / "tuner" / name).lexically_normal());
    add((folder / TUNER_LIBEXEC_FROM_LIB / name).lexically_normal());
  }
  add(std::filesystem::path(TUNER_INSTALL_LIBEXEC) / name);
  return result;
}

std::filesystem::path find_program(std::string_view name) {
  const std::vector<std::filesystem::path> candidates = program_candidates(name);
  std::string looked;
  for (const std::filesystem::path& file : candidates) {
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) return file;
    looked += (looked.empty() ? "" : ", ") + file.string();
  }
  const std::string program(name);
  throw Error(Errc::no_worker, "The program " + program + " was not found (looked for " + looked +
                                   "); reinstall the tuner, or set TUNER_LIBEXEC to the folder that holds " + program +
                                   ".");
}

std::filesystem::path find_worker_program() {
  return find_program(kWorkerProgram);
}

}  // namespace tuner
