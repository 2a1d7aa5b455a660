#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/file/location.hpp"
#include "cache/store/database.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner::cli {

/// A decision's kernel as it was tuned, from the source and the headers that are stored with it.
struct StoredKernel {
  std::optional<KernelDescription> description;
  std::string why_not;  ///< where there is none: a sentence that says what to give instead
  std::string reason;   ///< the same without what to give
};

/// The kernel of this key in the text of a file, with the headers that were stored with it. Of what cannot be used,
/// `why_not` is the beginning of a sentence that says why.
StoredKernel kernel_of_source(const Header& file, std::vector<Header> headers, const cache::DecisionKey& key);

/// What was imported is not compiled, nor what is in a database that others may write: they might have anything run.
/// See docs/security.md. `database` is the store's path.
StoredKernel stored_kernel(const cache::Decision& decision, const cache::Database& store,
                           const std::filesystem::path& database);

/// The decision that `tuner list` shows with that number. If there is none, says so; `store` is null where there is no
/// database yet. Its problem can be parsed: throws Error{store_damaged} otherwise.
std::optional<cache::Decision> decision_of_number(std::size_t number, const cache::Database* store,
                                                  const cache::Location& location);

}  // namespace tuner::cli
