#include "tuner/process/fixed_addresses.hpp"

#include <sys/personality.h>

namespace tuner {

FixedAddresses::FixedAddresses(bool wanted) {
  if (!wanted) return;
  before_ = personality(0xffffffff);
  if (before_ >= 0 && personality(static_cast<unsigned>(before_) | ADDR_NO_RANDOMIZE) < 0) before_ = -1;
  refused_ = before_ < 0;
}

FixedAddresses::~FixedAddresses() {
  if (before_ >= 0) personality(static_cast<unsigned>(before_));
}

}  // namespace tuner
