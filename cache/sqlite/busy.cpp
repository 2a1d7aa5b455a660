#include "cache/sqlite/busy.hpp"

#include "cache/sqlite/failure.hpp"

namespace tuner::cache {

bool is_busy(const Error& error) noexcept {
  const auto* const failure = dynamic_cast<const sqlite::Failure*>(&error);
  return failure != nullptr && failure->busy();
}

}  // namespace tuner::cache
