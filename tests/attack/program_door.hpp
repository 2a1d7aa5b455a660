#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/attack/interruption.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::attack {

/// How a process ended, and what it printed.
struct Ending {
  int exit_code = -1;  ///< if `signal` is 0
  int signal = 0;
  bool hung = false;  ///< it was ended by the campaign
  std::string out, err;
};

/// A program that was loaded once and runs any number of command lines, one after the other (see fork_server.cpp).
class Door {
 public:
  /// `fork_server` has no blank in its path: the loader takes that for the end of it. A process of the program runs
  /// `lives` command lines in turn.
  Door(const std::filesystem::path& program, const std::map<std::string, std::string>& environment,
       const std::filesystem::path& fork_server, int lives);
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// Begins a command line; `connection`, if any, becomes its descriptor 3. Returns its number. One at a time.
  pid_t start(const std::vector<std::string>& words, const std::filesystem::path& folder,
              const UniqueFd* connection = nullptr, const Interruption& interruption = {});
  /// Whether what was started ends within that time.
  bool ends_within(std::chrono::milliseconds time);
  /// Waits for its end. One that hangs (so long without an end, or without any progress on a busy machine) is killed.
  Ending finish(std::chrono::seconds patience = std::chrono::seconds(10));
  /// Of what is started from now on: how many descriptors it may have, at least 7. After the first command line.
  void limit_descriptors(std::size_t most);

 private:
  int answer();

  std::filesystem::path program_;
  UniqueFd socket_, out_, err_;
  pid_t server_ = -1;
  pid_t running_ = -1;
  std::uint64_t number_ = 0;  ///< of the command line
};

}  // namespace tuner::attack
