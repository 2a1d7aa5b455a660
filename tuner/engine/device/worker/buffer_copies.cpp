#include "tuner/engine/device/worker/buffer_copies.hpp"

#include <algorithm>

namespace tuner::engine {
namespace {

bool is_copied(const ArgumentState& state, BufferCopies::What what) {
  if (!state.buffer) return false;
  return what == BufferCopies::What::everything || state.argument.role == Argument::Role::inout;
}

}  // namespace

std::uint64_t BufferCopies::bytes_of_a_copy(What what) const {
  std::uint64_t bytes = 0;
  for (const ArgumentState& state : buffers_.arguments()) {
    if (is_copied(state, what)) bytes += state.buffer->capacity() + 2 * guard_bytes(state.argument);
  }
  return bytes;
}

void BufferCopies::provide(int launches, What what) {
  copies_.clear();
  launches_ = std::max(launches, 1);
  const std::uint64_t bytes = bytes_of_a_copy(what);
  if (bytes > 0 && launches_ > 1) {
    std::size_t free_bytes = 0, all = 0;
    check(driver().memory_info(&free_bytes, &all), "cuMemGetInfo");
    launches_ = static_cast<int>(std::min<std::uint64_t>(launches_, 1 + free_bytes / 4 / bytes));
  }
  for (int launch = 1; bytes > 0 && launch < launches_; ++launch) {
    try {
      add(what);
    } catch (const CallFailed& failure) {
      // Free memory may be in pieces.
      if (failure.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
      launches_ = launch;
    }
  }
  stream_.wait(kOwnWorkLimit);
}

void BufferCopies::add(What what) {
  std::vector<Copy> set;
  for (const ArgumentState& state : buffers_.arguments()) {
    if (!is_copied(state, what)) continue;
    const Copy& copy =
        set.emplace_back(Copy{state.position, GuardedBuffer(state.buffer->capacity(), plain_alignment(state.argument),
                                                            guard_bytes(state.argument))});
    if (state.argument.role == Argument::Role::in) {
      stream_.copy(copy.memory.place().data(), state.place(Layout::plain).data(), state.element_bytes());
    }
  }
  copies_.push_back(std::move(set));
}

std::vector<CUdeviceptr> BufferCopies::addresses(int launch) const {
  std::vector<CUdeviceptr> result = buffers_.addresses(Layout::plain);
  if (launch == 0 || copies_.empty()) return result;
  for (const Copy& copy : copies_[static_cast<std::size_t>(launch - 1)]) {
    result[copy.position] = copy.memory.place().data();
  }
  return result;
}

void BufferCopies::restore(int launches) {
  if (!buffers_.restores_anything()) return;
  for (int launch = 0; launch < launches; ++launch) {
    const std::vector<CUdeviceptr> places = addresses(launch);
    for (const ArgumentState& state : buffers_.arguments()) {
      if (state.argument.role != Argument::Role::inout) continue;
      stream_.copy(places[state.position], state.pristine.get(), state.element_bytes());
    }
  }
}

}  // namespace tuner::engine
