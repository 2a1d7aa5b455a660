#pragma once

#include <cstdint>

#include "cache/records/decision.hpp"
#include "cache/records/trial.hpp"

namespace tuner::cache {

/// What every store asks of a row, so that a database which refuses one was changed by another program: outcomes and
/// origins exist, numbers are finite (SQLite turns NaN into "missing", JSON knows no infinity). Throws Error{internal}
/// that names the field.
void require_storable(const Trial& trial);
void require_storable(const Decision& decision);

/// Milliseconds since 1970 by the system's clock. Nanoseconds, which std::chrono::system_clock counts, end in 2262.
std::int64_t now_unix_ms();

/// `unix_ms`, or the present time when it is 0.
std::int64_t stamp(std::int64_t unix_ms);

}  // namespace tuner::cache
