#include "tuner/engine/device/worker/fence_prober.hpp"

#include <algorithm>
#include <bit>

#include "tuner/error.hpp"

namespace tuner::engine {

Verdict FenceProber::run(const LoadedKernel& kernel, const std::vector<FenceProbe>& probes, std::size_t& passed) {
  if (Verdict verdict = buffers_.resize_scratch(kernel.scratch_lengths); !verdict.ok()) return verdict;
  for (const FenceProbe& probe : probes) {
    if (Verdict verdict = launch(kernel, probe); !verdict.ok()) return verdict;
    ++passed;
  }
  return {};
}

/// Before the fence, or in the middle of its memory, which reaches farther than any probe on the side without a fence.
Placement FenceProber::place(const ArgumentState& state, const FenceProbe& probe) {
  const std::uint64_t bytes = state.element_bytes();
  if (!memory_ || of_ != probe.argument) {
    memory_.reset();
    memory_.emplace(bytes + 3 * kProbeReach + 2 * state.argument.padding, probe.alignment);
    of_ = probe.argument;
  }
  Placement result;
  result.memory = memory_->address();
  const std::uint64_t rest = memory_->bytes() - bytes;
  const std::uint64_t before = probe.side == FenceSide::before   ? probe.gap
                               : probe.side == FenceSide::behind ? rest - probe.gap
                                                                 : rest / 2;
  result.begin = before / probe.alignment * probe.alignment;
  result.end = result.begin + bytes;
  const std::uint64_t guard = std::max(kGuardBytes, probe.gap);
  result.guard_begin = result.begin - std::min(result.begin, guard);
  result.guard_end = std::min(memory_->bytes(), result.end + guard);
  return result;
}

const ArgumentState& FenceProber::probed(const FenceProbe& probe) const {
  const std::vector<ArgumentState>& arguments = buffers_.arguments();
  const bool is_buffer = probe.argument < arguments.size() && arguments[probe.argument].buffer;
  const std::uint64_t farthest = is_buffer ? 2 * kProbeReach + arguments[probe.argument].argument.padding : 0;
  if (is_buffer && std::has_single_bit(probe.alignment) && probe.gap <= farthest) return arguments[probe.argument];
  throw Error(Errc::internal, "A device worker was asked to fence something that is no buffer; report this.");
}

Verdict FenceProber::launch(const LoadedKernel& kernel, const FenceProbe& probe) {
  const ArgumentState& state = probed(probe);
  const Placement placed = place(state, probe);
  buffers_.poison(kPoison[0], Layout::plain);
  fill_constants(kernel, buffers_.arguments(), stream_);
  support_.plant(placed.memory, placed.guard_begin, placed.begin, state.guard_seed);
  support_.plant(placed.memory, placed.end, placed.guard_end, state.guard_seed);
  stream_.copy(placed.data(), state.place(Layout::plain).data(), state.element_bytes());
  if (probe.side == FenceSide::inside) {
    stream_.wait(kOwnWorkLimit);  // access is switched while nothing runs
    memory_->set_writable(false);
  }
  std::vector<CUdeviceptr> addresses = buffers_.addresses(Layout::plain);
  addresses.at(probe.argument) = placed.data();
  Verdict verdict = launch_kernel(kernel, buffers_.arguments(), addresses, device_, stream_);
  if (!verdict.ok()) return verdict;
  stream_.wait(launch_timeout_ + std::chrono::milliseconds(100));  // what was filled before it may take a while too
  if (probe.side == FenceSide::inside) memory_->set_writable(true);
  return {};
}

}  // namespace tuner::engine
