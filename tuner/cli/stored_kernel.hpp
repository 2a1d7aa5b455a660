#pragma once

#include <optional>

#include "cache/store/store.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner::cli {

/// The kernel of a decision as it was tuned, from the source and the headers that are stored with it; nothing if none
/// are, or if they are not what the decision is about.
std::optional<KernelDescription> stored_kernel(const cache::Decision& decision, const cache::Store& store);

/// The decision that `tuner list` shows with that number. Throws Error{bad_usage}.
cache::Decision decision_of_number(std::size_t number, const cache::Store& store);

}  // namespace tuner::cli
