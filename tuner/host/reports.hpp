#pragma once

#include <string>
#include <vector>

#include "tuner/host/finding.hpp"

namespace tuner::host {

/// The files whose lines mean something to the user: the kernel's, then its headers.
using KnownFiles = std::vector<std::string>;

/// "/folder/kernel.cu:12:5" or "kernel.cu:12" as a place in a known file.
SourceSpot spot_of(const std::string& text, const KnownFiles& files);

/// The first call in a stack of calls, as sanitizers print it, that stands in a known file: in the kernel's, if any
/// does. `within` becomes the place in a header that was called from there, if it is one.
SourceSpot place_in_stack(const std::string& report, const KnownFiles& files, SourceSpot& within);

/// What a sanitizer said of a run that it ended. `touched` is what the memory belongs to, if that is known: see
/// Memory.
struct Touched {
  enum class What { unknown, argument, dynamic_shared, copy };
  What what = What::unknown;
  std::string name;       ///< of an argument
  long long offset = 0;   ///< in bytes from its begin
  std::size_t bytes = 0;  ///< that it has
};
Finding read_sanitizer_report(const std::string& report, const Touched& touched, const KnownFiles& files);

/// The first error in a compiler's messages: what it cannot compile, and where.
Unchecked read_compiler_messages(const std::string& messages, const KnownFiles& files);

}  // namespace tuner::host
