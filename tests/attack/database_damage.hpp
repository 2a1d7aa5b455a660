#pragma once

#include <filesystem>
#include <string>

#include "tests/attack/chance.hpp"

namespace tuner::attack {

/// Where damage is done.
struct Target {
  std::filesystem::path file;     ///< a database
  std::filesystem::path outside;  ///< a folder of files that links and journals may name
};

/// Does one thing or several to the file, or puts something beside it or in its place, and says what.
std::string damage_database(Chance& chance, const Target& target);

// The kinds.
std::string damage_bytes(Chance& chance, const Target& target);
std::string damage_rows(Chance& chance, const Target& target);
std::string damage_schema(Chance& chance, const Target& target);
std::string add_journal(Chance& chance, const Target& target);
std::string replace_file(Chance& chance, const Target& target);

}  // namespace tuner::attack
