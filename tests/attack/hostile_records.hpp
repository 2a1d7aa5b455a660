#pragma once

#include <cstdint>
#include <filesystem>

namespace tuner::attack {

/// Adds decisions to the database in a folder that these bits choose, with `trials` behind one of them: names and texts
/// that are not what they look like, any of the fields missing that may be, numbers that no GPU measures.
int record_hostile(std::uint64_t bits, std::size_t trials, const std::filesystem::path& folder);

}  // namespace tuner::attack
