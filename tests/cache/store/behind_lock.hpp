#pragma once

#include "cache/store/locked_store.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {

/// A place where rows can be kept by several threads. The database behind the lock is used between their calls.
class BehindLock : InSqlite {
 public:
  LockedStore& store() { return locked_; }
  using InSqlite::database;

 private:
  LockedStore locked_{InSqlite::store()};
};

}  // namespace tuner::cache::test
