#pragma once

#include <map>
#include <optional>
#include <string>

#include "tuner/sources/device_compile/limited_run.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::sources {

/// The macros without parameters that a source's command has for the device where the source ends, and what each stands
/// for. Takes a tenth of a second: only the preprocessor runs. Nothing if it fails. Throws Error{shortage}.
std::optional<std::map<std::string, std::string>> defined_macros(const SourceOfBuild& source, int architecture,
                                                                 const RunLimits& limits);

}  // namespace tuner::sources
