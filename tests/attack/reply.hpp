#pragma once

#include <cstdint>

namespace tuner::attack {

/// What the fork server says of a command line, twice: the process's number, and its status as waitpid gives it.
struct Reply {
  std::uint64_t number = 0;  ///< of the command line, from 1; an earlier one's is to be ignored
  int value = 0;
};

}  // namespace tuner::attack
