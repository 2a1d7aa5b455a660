#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {

/// More text is not read of another tuner's results: they are held in memory as a whole.
inline constexpr std::size_t kMostForeignText = std::size_t{256} << 20;

/// What another tuner measured, from its JSON: a cache file of Kernel Tuner, results of KTT, or T4. Which it is, the
/// content says. What is recorded is the whole space, since no file says what else there was; of what it does not say
/// (launches, the GPU's attributes) nothing is known. Throws Error{bad_recording}: one sentence with the file, the JSON
/// path and what was expected. Holds all of the file in memory, of which no more is read than JsonFile says.
Recording read_foreign(const std::filesystem::path& file, std::string text);

}  // namespace tuner::engine
