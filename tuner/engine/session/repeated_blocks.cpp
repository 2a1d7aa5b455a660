#include "tuner/engine/session/repeated_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/engine/measure/interruptions.hpp"

namespace tuner::engine {

AskDevice repeat_blocks(AskDevice ask, int times) {
  return [ask = std::move(ask), times](DeviceRequest request) {
    if (!std::holds_alternative<RunBlock>(request)) return ask(std::move(request));
    DeviceReply all = ask(request);
    for (int i = 1; i < times && all.outcome == Outcome::ok; ++i) {
      DeviceReply one = ask(request);
      one.timing_ms += all.timing_ms;
      one.launches += all.launches;
      one.disturbed = one.disturbed || all.disturbed;
      if (one.outcome == Outcome::ok) {
        for (std::size_t entry = 0; entry < one.samples_ns.size(); ++entry) {
          one.samples_ns[entry] = uninterrupted_ns(std::array{one.samples_ns[entry], all.samples_ns.at(entry)});
        }
      }
      all = std::move(one);
    }
    return all;
  };
}

}  // namespace tuner::engine
