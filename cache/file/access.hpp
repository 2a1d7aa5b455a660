#pragma once

namespace tuner::cache {

enum class Access {
  read_write,  ///< creates the folder (0700) and the file (0600) if they are missing
  /// Creates, writes and deletes no file at all, whatever the database holds and whatever lies beside it. What another
  /// process left half-written is read as it was before, from a copy in memory; so is a file of an older format.
  read_only,
};

}  // namespace tuner::cache
