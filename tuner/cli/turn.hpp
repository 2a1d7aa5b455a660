#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/file_lock.hpp"
#include "tuner/cli/tune_request.hpp"

namespace tuner::cli {

/// What a session holds while it works: the lease on its key and the GPU.
using Turn = std::vector<cache::FileLock>;

/// Waits until nobody else tunes the task in this database or measures on its GPU, with one warning that says for whom
/// it waits; nothing if the user interrupted it. Where there are no locks, one warning, and there is nothing to wait
/// for. `database` is empty where nothing is stored. `before_waiting` is called when it begins to wait. Throws
/// Error{busy} if the request is not to wait.
std::optional<Turn> wait_for_turn(const Task& task, const TuneRequest& request, const std::string& database,
                                  const TuneContext& context, const std::function<void()>& before_waiting);

}  // namespace tuner::cli
