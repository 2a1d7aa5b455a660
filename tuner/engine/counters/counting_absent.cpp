// Compiled in place of the others where the toolkit has no headers of CUPTI.
#include "tuner/engine/counters/range_counter.hpp"

namespace tuner::engine {
namespace {

[[noreturn]] void refuse_without_headers() {
  throw CountingRefused(
      "Hardware counters cannot be read, because this program was built with a CUDA toolkit without CUPTI; build it "
      "with CUDA 12.6.2 or newer, with extras/CUPTI.");
}

}  // namespace

struct RangeCounter::Session {};

RangeCounter::RangeCounter(std::span<const std::string>) {
  refuse_without_headers();
}
RangeCounter::~RangeCounter() = default;
const CounterPlan& RangeCounter::plan() const {
  refuse_without_headers();
}
void RangeCounter::begin_pass() {}
bool RangeCounter::end_pass() {
  return true;
}
int RangeCounter::passes() const {
  return 0;
}
Counters RangeCounter::values() {
  return {};
}

std::vector<std::string> known_chips() {
  refuse_without_headers();
}
CounterPlan plan_counters(const std::string&, std::span<const std::string>) {
  refuse_without_headers();
}

}  // namespace tuner::engine
