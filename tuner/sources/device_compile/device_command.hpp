#pragma once

#include <string>
#include <vector>

#include "tuner/sources/recorded/compiler_command.hpp"

namespace tuner::sources {

/// What is wanted of a recorded command.
struct DeviceTarget {
  std::string source;    ///< which of its sources: as the command names it, or absolute
  int architecture = 0;  ///< 90: of the code that the program ran (cubin_architecture of its image)
  std::string version;   ///< of the compiler: "13.0.88". Where no architecture is named, it says which is meant
  std::string file;      ///< compiled in the source's place; empty: the source itself
  std::vector<std::string> definitions;  ///< "NAME=value", behind those of the command
  std::string kernel;                    ///< mangled: no code is made for other kernels; empty: for all
  std::vector<std::string> linked;       ///< objects of the program's other sources (SourceOfBuild::linked)
};

/// A command that makes device code of one source for one architecture.
struct DeviceCommand {
  CompilerCommand
      command;       ///< without -o. Its environment has no NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS: those are here
  std::string code;  ///< "sm_90"
  bool from_ptx = false;            ///< the program has PTX, and the driver made machine code of it
  bool relocatable = false;         ///< code that has to be linked with that of other sources before it can run
  std::vector<std::string> linked;  ///< those, if it is relocatable
};

/// Whether nvcc, the shell that it runs its tools by, or the host's compiler reads a character of this word: `-D@FILE`
/// has that compiler read options from the file, among them what it should start. Such words may not come from others.
bool is_read_by_others(const std::string& word);

/// Turns the command of a build into one for the device alone: all that may change the device's code stays, in its
/// order. Pure: looks at no file. Throws Error{bad_usage} with the reason where the command's compiler is not nvcc, it
/// does not compile the source, makes no code for the architecture, or makes it only where the program is linked; and
/// where a definition has a character that nvcc's shell would read.
DeviceCommand device_command(const CompilerCommand& recorded, const DeviceTarget& target);

/// The command that links relocatable code, `cubin`, with that of the program's other objects.
CompilerCommand link_command(const DeviceCommand& compiled, const std::string& cubin);

}  // namespace tuner::sources
