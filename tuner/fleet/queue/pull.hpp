#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cache/exchange/exchange.hpp"
#include "tuner/fleet/queue/queue.hpp"

namespace tuner::fleet {

struct Pulled {
  std::int64_t jobs = 0;     ///< whose rows were fetched
  std::int64_t known = 0;    ///< whose session the database knows already
  std::int64_t damaged = 0;  ///< whose rows are none; nothing of them was taken
  std::vector<cache::ImportedKey> keys;
};

/// Takes what the queue's workers found, and the database does not know yet, into the database, as `tuner import` takes
/// a file in. Some hundred jobs at a time: each part is taken in completely or not at all. Throws what Queue and
/// import_decisions throw. `warn` takes a sentence for each job whose rows are none.
Pulled pull(Queue& queue, const std::filesystem::path& database, const std::function<void(const std::string&)>& warn);

}  // namespace tuner::fleet
