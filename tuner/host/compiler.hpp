#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/host/program.hpp"

namespace tuner::host {

/// A program to run and what became of it.
struct Job {
  std::vector<std::string> command;
  std::chrono::seconds limit{120};
  bool done = false;
  bool ok = false;
  bool late = false;     ///< stopped after the limit
  std::string how;       ///< "exited with status 1"
  std::string messages;  ///< what it wrote to standard error
};

/// Runs them, `at_once` at the same time. Ends early, with jobs not done, when `stop` becomes true. `finished` is told
/// of each.
void run_jobs(std::vector<Job>& jobs, int at_once, const std::atomic<bool>* stop,
              const std::function<void(const Job&)>& finished = {});

/// The C++ compiler of this machine.
class Compiler {
 public:
  /// $CXX, or the first of c++, g++, clang++ that is there. Throws Error{no_toolkit}.
  static Compiler find();

  /// "g++ (Debian 12.2.0-14) 12.2.0"
  const std::string& version() const { return version_; }
  Job compile(const std::filesystem::path& source, const std::filesystem::path& object, Flavour flavour) const;
  /// The part that is the same for all kernels and not instrumented.
  Job compile_runtime(const std::filesystem::path& source, const std::filesystem::path& object) const;
  Job link(const std::vector<std::filesystem::path>& objects, const std::filesystem::path& program,
           Flavour flavour) const;

 private:
  std::vector<std::string> command_;
  std::string version_;
  bool is_clang_ = false;
};

}  // namespace tuner::host
