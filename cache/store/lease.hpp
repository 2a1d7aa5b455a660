#pragma once

#include <filesystem>

#include "cache/file/file_lock.hpp"
#include "cache/records/key.hpp"

namespace tuner::cache {

/// The right to tune one key: of the processes that share a database one has it, the others wait or leave. It is a lock
/// in `<database>-lock` beside the database, and ends with the process. Throws what FileLock throws; the database's
/// folder must exist.
FileLock lease_on(const DecisionKey& key, const std::filesystem::path& database);

}  // namespace tuner::cache
