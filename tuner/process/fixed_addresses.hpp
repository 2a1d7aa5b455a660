#pragma once

namespace tuner {

/// While it lives, programs that this thread starts have addresses that are not randomised. They inherit it.
class FixedAddresses {
 public:
  explicit FixedAddresses(bool wanted);
  ~FixedAddresses();
  FixedAddresses(const FixedAddresses&) = delete;
  FixedAddresses& operator=(const FixedAddresses&) = delete;
  /// Whether the system does not allow it, as in some containers.
  bool refused() const { return refused_; }

 private:
  int before_ = -1;
  bool refused_ = false;
};

}  // namespace tuner
