#pragma once

#include <cstdlib>

#include "tests/cli/program.hpp"

namespace tuner::test {

/// A compiler of the user's own, and what CXX is to be: does `script`, then what a compiler does.
inline std::string compiler_behind(const TemporaryFolder& folder, const std::string& name, const std::string& script) {
  const auto file = folder.write(name, "#!/bin/sh\n" + script + "\nexec c++ \"$@\"\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

/// A user with a compiler: nothing of the environment is passed on otherwise.
struct Developer : User {
  Developer() { environment["PATH"] = std::getenv("PATH"); }
};

}  // namespace tuner::test
