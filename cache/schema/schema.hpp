#pragma once

#include "cache/sqlite/format.hpp"

namespace tuner::cache {

/// decisions.db and replay.db: trials and decisions. docs/database.md describes it for users.
const Format& decisions_format();

/// binaries.db: compiled binaries that can be rebuilt.
const Format& binaries_format();

/// served.db: what programs start from, which is derived from decisions.db.
const Format& served_format();

/// wanted.db: what programs missed, with the sources to tune it.
const Format& wanted_format();

}  // namespace tuner::cache
