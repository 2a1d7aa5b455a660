#pragma once

#include <string>

#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// What a failed compile says: the log's first error; in words of ours, with the way out, where NVRTC names its
/// internals or meets code of the host. Empty if the log names no error.
std::string failure_sentence(const CompileRequest& request, const std::string& log);

}  // namespace tuner::engine
