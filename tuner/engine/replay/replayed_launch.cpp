#include "tuner/engine/replay/replayed_launch.hpp"

namespace tuner::engine {

std::string_view to_string(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::exact:
      return "exact";
    case ReplayVerdict::close:
      return "close";
    case ReplayVerdict::same_set:
      return "same set";
    case ReplayVerdict::not_repeatable:
      return "not repeatable";
    case ReplayVerdict::not_run:
      break;
  }
  return "not run";
}

std::string_view to_string(MemoryUse use) {
  switch (use) {
    case MemoryUse::in:
      return "in";
    case MemoryUse::out:
      return "out";
    case MemoryUse::inout:
      return "inout";
    case MemoryUse::unreached:
      break;
  }
  return "not reached";
}

}  // namespace tuner::engine
