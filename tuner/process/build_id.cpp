#include "tuner/process/build_id.hpp"

namespace tuner {

std::string_view build_id() {
  return TUNER_BUILD_ID;
}

}  // namespace tuner
