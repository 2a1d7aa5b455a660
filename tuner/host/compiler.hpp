#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/host/jobs.hpp"
#include "tuner/host/program.hpp"

namespace tuner::host {

/// The C++ compiler of this machine.
class Compiler {
 public:
  /// $CXX, or the first of c++, g++, clang++ that is there and answers. Throws Error{no_toolkit}; bad_usage where this
  /// machine has too little of something to run it. Nothing if it was told to stop.
  static Compiler find(const JobLimits& limits);

  /// "g++ (Debian 12.2.0-14) 12.2.0"
  const std::string& version() const { return version_; }
  /// `standard` of C++: "17".
  Job compile(const std::filesystem::path& source, const std::filesystem::path& object, Flavour flavour,
              const std::string& standard) const;
  /// The part that is the same for all kernels and not instrumented, compiled, if that is known of this compiler: not
  /// of one that $CXX names, which may do more than its version says.
  std::string_view runtime(Flavour flavour) const;
  /// Compiles it; `folder` is the one of the program. A check waits for it: without debug information, and in C++17,
  /// whose standard headers are smaller, it takes half the time.
  Job compile_runtime(const std::filesystem::path& folder, const std::filesystem::path& source,
                      const std::filesystem::path& object) const;
  Job link(const std::vector<std::filesystem::path>& objects, const std::filesystem::path& program,
           Flavour flavour) const;

 private:
  std::vector<std::string> command_;
  std::string version_;
  bool is_clang_ = false;
  bool is_chosen_ = false;  // by $CXX
};

}  // namespace tuner::host
