#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::host {

/// A kernel's text, or a header's, as C++.
struct Translation {
  std::string text;
  /// The headers of the system that it includes, which are taken out: they are included before everything else. Without
  /// those that are empty for NVRTC.
  struct SystemHeader {
    std::string name;
    int line = 0;
    bool is_conditional = false;  ///< within a condition, other than that of the guard around a whole header
  };
  std::vector<SystemHeader> system_headers;
  /// Names of the kernel's headers that it includes, those within a condition apart.
  std::vector<std::string> own_headers, conditional_headers;
  /// The text's conditions, macros and includes, and nothing else: what says which of those headers are included. Where
  /// a header of the kernel's is included, the outline of its translation is.
  std::string outline;
};

/// The name of a translation's outline.
inline std::string outline_name(const std::string& translation) {
  return "outline_of_" + translation;
}

/// What stands for a header of the kernel's: the name of its translation; empty for one of the system.
using HeaderName = std::function<std::string(std::string_view name)>;

/// Changes what has no meaning in C++ and keeps the lines; what is reported is reported as in `file_name`:
///   extern __shared__ T name[];   a pointer to where dynamic shared memory is
///   asm volatile("...");          a call that ends the run, because machine code for GPUs cannot run here
///   extern "C"                    nothing: each configuration's kernel is in a namespace of its own
///   #include <name>               of the system's, or with quotes, nothing: see system_headers
///   #pragma once                  nothing: a header is included once by each configuration
Translation translate(std::string_view text, std::string_view file_name, const HeaderName& header_name);

/// Names that the text defines as macros, in order.
std::vector<std::string> macros_defined_in(std::string_view text);

/// "text" as a C++ string literal.
std::string string_literal(std::string_view text);

}  // namespace tuner::host
