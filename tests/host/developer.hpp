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

/// A user with a compiler: nothing of the environment is passed on otherwise. What is the same for all kernels is
/// compiled once in a test program: it takes most of the time of a small check.
struct Developer : User {
  Developer() {
    environment["PATH"] = std::getenv("PATH");
    environment["CXX"] = compiler();
  }

 private:
  static std::string compiler() {
    static const TemporaryFolder kept;
    static const std::string program = [] {
      const auto file = kept.write("c++", R"(#!/bin/sh
for word; do
  case $word in */runtime.cpp | */runtime_races.cpp) source=${word##*/} ;; *.o) object=$word ;; esac
done
[ -n "$source" ] || exec c++ "$@"
kept=${0%/*}/$source.o
[ -e "$kept" ] || { c++ "$@" && mv "$object" "$kept"; } && cp "$kept" "$object"
)");
      std::filesystem::permissions(file, std::filesystem::perms::owner_all);
      return file.string();
    }();
    return program;
  }
};

}  // namespace tuner::test
