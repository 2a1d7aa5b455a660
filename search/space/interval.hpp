#pragma once

#include <cstdint>

#include "search/space/step.hpp"

namespace tuner::search {

/// What a step's value can be while some parameters are not set yet: interval arithmetic (R. E. Moore, "Interval
/// Analysis", 1966). Sound with respect to faults: a step that might not be computable is `open`. Bounds are reals.
/// They are right for integers too, because what leaves +-2^50 is `open`, and for reals, because rounding is monotone
/// and bounds are computed with the operations that the values are.
struct Range {
  enum class Kind : std::uint8_t {
    number,  ///< a number from low to high
    value,   ///< anything that can be compared for equality: perhaps a name
    open     ///< nothing is known, not even that it can be computed
  };
  Kind kind = Kind::open;
  double low = 0;
  double high = 0;

  static Range open() { return {}; }
  static Range of(double low, double high);
  static Range of(const Operand& value);
  bool is_number() const { return kind == Kind::number; }
  bool is_true() const { return is_number() && (low > 0 || high < 0); }
  bool is_false() const { return is_number() && low == 0 && high == 0; }
};

/// The smallest range that this module knows to hold both.
Range hull(const Range& a, const Range& b);

/// The range of a step from those of its operands, which stand in `ranges`. Not for constants and parameters. `steps`
/// are the program's: what an operand can be counts too.
Range range_of(const Step& step, const Range* ranges, const Step* steps, const StepId* more);

}  // namespace tuner::search
