#include "tuner/engine/session/repeated_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/engine/measure/interruptions.hpp"

namespace tuner::engine {
namespace {

void combine(const BlockResult& earlier, bool with_samples, BlockResult& block) {
  block.disturbed = block.disturbed || earlier.disturbed;
  if (!with_samples) return;
  for (std::size_t entry = 0; entry < block.samples_ns.size(); ++entry) {
    block.samples_ns[entry] = uninterrupted_ns(std::array{block.samples_ns[entry], earlier.samples_ns.at(entry)});
  }
}

}  // namespace

AskDevice repeat_blocks(AskDevice ask, int times) {
  return [ask = std::move(ask), times](DeviceRequest request) {
    if (!std::holds_alternative<RunBlock>(request)) return ask(std::move(request));
    DeviceReply all = ask(request);
    for (int i = 1; i < times && all.outcome == Outcome::ok; ++i) {
      DeviceReply one = ask(request);
      one.timing_ms += all.timing_ms;
      one.launches += all.launches;
      if (auto* block = std::get_if<BlockResult>(&one.result)) combine(all.result_of<RunBlock>(), one.ok(), *block);
      all = std::move(one);
    }
    return all;
  };
}

}  // namespace tuner::engine
