#include "tuner/engine/session/repeated_blocks.hpp"

#include <array>
#include <utility>

#include "tuner/engine/measure/interruptions.hpp"

namespace tuner::engine {

DeviceReply run_repeatedly(DeviceSession& device, const RunBlock& block, int times) {
  DeviceReply all = device.call(block);
  for (int i = 1; i < times && all.outcome == Outcome::ok; ++i) {
    DeviceReply one = device.call(block);
    one.disturbed = one.disturbed || all.disturbed;
    if (one.outcome == Outcome::ok) {
      for (std::size_t entry = 0; entry < one.samples_ns.size(); ++entry) {
        one.samples_ns[entry] = uninterrupted_ns(std::array{one.samples_ns[entry], all.samples_ns.at(entry)});
      }
    }
    all = std::move(one);
  }
  return all;
}

}  // namespace tuner::engine
