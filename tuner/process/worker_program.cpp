#include "tuner/process/worker_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <system_error>

#include "tuner/error.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/process/installed_tree.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner {

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
  const bool is_lost = folder_of_this_program().empty();
  throw Error(Errc::no_worker,
              "The program " + program + " was not found (looked for " + looked + "); " +
                  (is_lost ? "without /proc nothing says where this program is: mount it" : "reinstall the tuner") +
                  ", or set TUNER_LIBEXEC to the folder that holds " + program + ".");
}

std::filesystem::path find_answering_program(std::string_view name) {
  const std::filesystem::path file = find_program(name);
  ChildProcess program({.program = file, .arguments = {std::string(kHello)}});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  if (program.channel().receive_until(deadline)) return file;
  const auto status = program.wait_until(deadline);
  const std::string said = program.stderr_tail();
  throw Error(Errc::no_worker, file.string() + " does not answer: it " + (status ? status->text() : "hangs") +
                                   (said.empty() ? "" : " (" + said + ")") +
                                   "; reinstall the tuner, all its programs from the same build.");
}

std::filesystem::path find_worker_program() {
  return find_program(kWorkerProgram);
}

}  // namespace tuner
