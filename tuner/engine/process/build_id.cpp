#include "tuner/engine/process/build_id.hpp"

namespace tuner::engine {

std::string_view build_id() {
  return TUNER_BUILD_ID;
}

}  // namespace tuner::engine
