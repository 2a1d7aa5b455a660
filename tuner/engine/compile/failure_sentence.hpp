#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// What a failed compile says: the log's first error; in words of ours, with the way out, where NVRTC names its
/// internals or meets code of the host. Of an error in one of the toolkit's folders the include that leads there is
/// named, where it is known. Empty if the log names no error.
std::string failure_sentence(const CompileRequest& request, const std::string& log,
                             const std::vector<std::filesystem::path>& toolkit_folders = {});

}  // namespace tuner::engine
