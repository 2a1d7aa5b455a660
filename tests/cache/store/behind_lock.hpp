#pragma once

#include "cache/store/locked_store.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {

/// A place where rows can be kept by several threads.
class BehindLock : InSqlite {
 public:
  LockedStore& store() { return locked_; }

 private:
  LockedStore locked_{InSqlite::store()};
};

}  // namespace tuner::cache::test
