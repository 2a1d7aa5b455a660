#include "cache/store/run.hpp"

namespace tuner::cache {

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::imported:
      return "imported";
    case Origin::replay:
      return "replay";
  }
  return "unknown";
}

}  // namespace tuner::cache
