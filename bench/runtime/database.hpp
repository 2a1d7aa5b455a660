#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/store/binary_store.hpp"

namespace tuner::bench {

/// What the database in `folder` holds. Throws std::runtime_error unless it is one decision.
cache::Decision only_decision(const std::filesystem::path& folder);

/// Runs the real program on this kernel and problem, with its database in `folder`. Returns what it decided.
cache::Decision tune_offline(const std::filesystem::path& folder, const std::filesystem::path& kernel_file,
                             const std::string& problem, const std::vector<std::string>& where = {});

/// The binary of a decision. Throws std::runtime_error if it is not stored.
cache::Binary binary_of(const std::filesystem::path& folder, const cache::Decision& decision);

/// Copies the only decision in the database and its trials until it holds so many: of other kernels, and of this one
/// for other problems, on this device and on others. The one that was there stays as it is.
void fill_database(const std::filesystem::path& folder, std::size_t decisions, std::size_t trials);

/// Commits `rows` trials of a kernel of its own every so many milliseconds until the process ends.
[[noreturn]] void write_forever(const std::filesystem::path& folder, int interval_ms, std::size_t rows);

}  // namespace tuner::bench
