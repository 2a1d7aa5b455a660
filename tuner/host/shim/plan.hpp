#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/host/shim/launch.hpp"

namespace tuner::host {

/// What a member of a value is made of.
struct PlannedNumber {
  double real = 0;
  long long whole = 0, is_whole = 0;
};

/// One argument of a launch, as the plan file has it.
struct PlannedArgument {
  enum class Role { in, out, inout, scratch, scalar, constant, value };
  Role role = Role::in;
  std::size_t bytes = 0;
  std::size_t alignment = 0;           ///< what the buffer's address is a multiple of, and of nothing more
  std::size_t padding = 0;             ///< bytes before and behind it that may be read
  long long offset = -1;               ///< of its content in the file of inputs; -1: none
  std::vector<unsigned char> value;    ///< of a scalar
  std::vector<PlannedNumber> numbers;  ///< of a value
};

/// One configuration on one problem.
struct PlannedCase {
  int variant = 0;
  int problem = 0;
  Launch launch;
  std::vector<PlannedArgument> arguments;
  std::vector<std::size_t> takes;  ///< positions among them, in the order of the function's signature
};

/// What the program that runs kernels is to do. The file is words separated by blanks:
///   inputs PATH  results PATH  reports PATH  limit SECONDS  deaths COUNT
///   case VARIANT PROBLEM GRID(3) BLOCK(3) SHARED takes COUNT POSITION(COUNT)
///        { scalar BYTES HEX | value COUNT { REAL WHOLE IS_WHOLE }(COUNT) | ROLE BYTES ALIGNMENT PADDING OFFSET }
struct Plan {
  std::string inputs;    ///< file with the content of the buffers
  std::string results;   ///< file for the content of the outputs
  std::string reports;   ///< files for what sanitizers say: this and the number of a case
  unsigned limit = 10;   ///< seconds for one case
  unsigned deaths = 40;  ///< after so many configurations that crashed the rest is left
  std::vector<PlannedCase> cases;
};

/// Throws std::runtime_error.
Plan read_plan(const std::string& file);

}  // namespace tuner::host
