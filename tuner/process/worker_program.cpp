#include "tuner/process/worker_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

#include "tuner/detail/file_variable.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

/// The loader's own name of a library is what the program was started with: a relative one says nothing any more in
/// another folder, where anybody may have put a file of that name.
std::filesystem::path folder_of_this_code() {
  const auto here = reinterpret_cast<std::uintptr_t>(&find_worker_program);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || here < begin || here >= end) continue;
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) return {};
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(line.substr(slash), error);
    return error ? std::filesystem::path{} : file.parent_path();
  }
  return {};
}

std::filesystem::path folder_of_this_program() {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path{} : file.parent_path();
}

}  // namespace

std::vector<std::filesystem::path> program_candidates(std::string_view name) {
  if (const char* const folder = file_variable("TUNER_LIBEXEC")) return {std::filesystem::path(folder) / name};
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
