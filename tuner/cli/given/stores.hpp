#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cache/file/location.hpp"
#include "cache/store/database.hpp"

namespace tuner::cli {

using cache::is_not_there_yet;
/// The database of decisions to read from; null if there is none yet. Throws Error{store_*}.
std::unique_ptr<cache::Database> open_for_reading(const cache::Location& location);
/// Where there is no decision, of any kernel or of this one: what the database holds all the same, in a sentence or
/// two. `store` is null where there is no database yet.
std::string no_decision(const cache::Database* store, const std::string& kernel, const std::string& path);
/// Where to look besides, if replays have left a database beside this one: a sentence with the command, after a space.
std::string replays_beside(const cache::Location& location, std::string_view command);

}  // namespace tuner::cli
