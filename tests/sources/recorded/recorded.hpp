#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tuner/sources/recorded/compiler_command.hpp"

namespace tuner::test {

/// A folder with a program of this name that does nothing, and does it well.
inline std::filesystem::path make_program(const TemporaryFolder& folder, const std::string& name) {
  const std::filesystem::path file = folder / name;
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::copy_file(std::filesystem::canonical("/bin/true"), file);
  return file;
}

inline std::filesystem::path make_script(const TemporaryFolder& folder, const std::string& name,
                                         const std::string& lines) {
  const std::filesystem::path file = folder.write(name, "#!/bin/sh\n" + lines);
  std::filesystem::permissions(file, std::filesystem::perms(0755));
  return file;
}

inline sources::CompilerCommand command_of(std::vector<std::string> words, const std::string& folder = "/home") {
  return {.program = words.front(), .folder = folder, .arguments = words};
}

}  // namespace tuner::test
