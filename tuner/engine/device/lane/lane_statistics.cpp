#include "tuner/engine/device/lane/lane_statistics.hpp"

namespace tuner::engine {

std::string_view to_string(LossCause cause) {
  switch (cause) {
    case LossCause::fault:
      return "fault";
    case LossCause::hang:
      return "hang";
    case LossCause::ended:
      return "ended";
    case LossCause::mute:
      return "mute";
  }
  return "unknown";
}

}  // namespace tuner::engine
