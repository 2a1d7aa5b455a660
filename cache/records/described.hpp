#pragma once

#include <type_traits>

namespace tuner::cache {

// A record names its fields once: `describe(fields, record)`, beside the record, calls `fields(name, member)` for each
// of them in the order of the columns of its table; those of a record in it stand in its place. SQL, JSON, messages
// between processes and comparisons in tests follow from it.

/// `T` is `Record` or `const Record`.
template <class T, class Record>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Record>;

}  // namespace tuner::cache
