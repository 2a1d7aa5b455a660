#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "cache/records/binary.hpp"
#include "tuner/engine/sizes/pack_choice.hpp"

namespace tuner::cli {

struct PackBinaries {
  std::vector<cache::Binary> builds;
  std::size_t compiled = 0;
};

/// What the chosen members are compiled to: from `stored`, and what is missing there compiled anew from the stored
/// sources. Nothing if it was stopped. Throws Error{store_unavailable} that names what is missing and cannot be
/// compiled, Error{no_toolkit, no_worker}, Error{bad_description} for what does not compile any more, Error{store_*}.
std::optional<PackBinaries> binaries_for_pack(const std::vector<engine::PackGroup>& groups,
                                              const std::filesystem::path& stored, const std::atomic<bool>& stop);

}  // namespace tuner::cli
