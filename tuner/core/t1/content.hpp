#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/signature/written_signature.hpp"
#include "tuner/core/t1/expression.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// What the arguments need to know of the rest.
struct T1Surroundings {
  const T1Names& names;
  std::filesystem::path folder;         ///< of the T1 file: DataSource is relative to it
  std::filesystem::path kernel_folder;  ///< what file(...) is relative to
  std::string kernel;
  CodeText code;                 ///< of the kernel's source; parameters are parts of it
  const WrittenSource& written;  ///< the same with its headers
};

/// An argument whose content the kernel reads.
struct T1Filled {
  T1Node argument;
  std::string name, type;
  std::string length;  ///< an expression of what the problem says
  std::int64_t elements = 0;
};

/// ", uniform(0, 2)": what FillType, FillValue and DataSource say, as a directive's generator. With `repeats` a content
/// that two buffers can share: random ones differ from each other. Throws at the node that cannot be honoured.
std::string t1_content(const T1Filled& buffer, const T1Surroundings& around, bool repeats);

/// Whether its content is an expression (Generator) or raw bytes, which are read from NumPy files only.
bool must_be_written(const T1Filled& buffer);
/// Throws Error{bad_description} for such buffers, at least one, with the command that writes their files.
[[noreturn]] void refuse_t1_contents(const std::vector<T1Filled>& buffers);

/// Warns of random buffers that are called like parts of another one, as atomsX, atomsY and atomsZ are of atoms: if
/// they are to be the same data in another layout, a configuration that reads the one would be wrong by the others.
void warn_of_t1_views(const std::vector<T1Filled>& buffers);

}  // namespace tuner
