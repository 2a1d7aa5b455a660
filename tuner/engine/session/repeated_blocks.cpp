#include "tuner/engine/session/repeated_blocks.hpp"

#include <array>
#include <utility>

#include "tuner/engine/measure/interruptions.hpp"

namespace tuner::engine {
namespace {

void combine(const BlockResult& earlier, bool with_samples, BlockResult& block) {
  block.disturbed = block.disturbed || earlier.disturbed;
  if (!with_samples) return;
  for (std::size_t i = 0; i < block.samples_ns.size(); ++i) {
    block.samples_ns[i] = uninterrupted_ns(std::array{block.samples_ns[i], earlier.samples_ns.at(i)});
  }
}

}  // namespace

DeviceReply run_repeatedly(DeviceSession& device, const RunBlock& block, int times) {
  DeviceReply all = device.call(block);
  for (int i = 1; i < times && all.ok(); ++i) {
    DeviceReply one = device.call(block);
    if (auto* result = std::get_if<BlockResult>(&one.result)) combine(all.result_of<RunBlock>(), one.ok(), *result);
    all = std::move(one);
  }
  return all;
}

}  // namespace tuner::engine
