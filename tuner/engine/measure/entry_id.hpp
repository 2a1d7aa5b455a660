#pragma once

#include <compare>
#include <cstddef>

namespace tuner::engine {

/// One of a session's configurations, by its position in the order asked. Here it is only a name.
struct EntryId {
  std::size_t index = 0;
  friend auto operator<=>(const EntryId&, const EntryId&) = default;
};

}  // namespace tuner::engine
