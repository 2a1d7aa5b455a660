#pragma once

#include <cstdint>
#include <vector>

#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/buffers.hpp"

namespace tuner::engine {

/// Further sets of the plain buffers, so that launches back to back find data that none before them has touched. The
/// first launch has the buffers themselves.
class BufferCopies {
 public:
  enum class What {
    everything,  ///< each launch reads from memory: for a cold cache
    inout,       ///< each launch starts from the same content; inputs, outputs and scratch are shared
  };

  BufferCopies(Buffers& buffers, WorkStream& stream) : buffers_(buffers), stream_(stream) {}

  /// Makes room for `launches` launches a sample and fills the inputs: for as many as fit into a quarter of the memory
  /// that is free. Call it when all scratch has its greatest length. What there was before is released.
  void provide(int launches, What what);
  /// Launches that have buffers, 1 or more; with nothing to copy, as many as were provided for.
  int launches() const { return launches_; }
  /// Before a sample: gives in/out copies their content back.
  void restore(int launches);
  /// Of the n-th launch's buffers, from 0; one for each argument.
  std::vector<CUdeviceptr> addresses(int launch) const;

 private:
  struct Copy {
    std::uint64_t position;  ///< of the argument
    GuardedBuffer memory;
  };
  std::uint64_t bytes_of_a_copy(What what) const;
  void add(What what);

  Buffers& buffers_;
  WorkStream& stream_;
  int launches_ = 1;
  std::vector<std::vector<Copy>> copies_;  ///< of the second launch, the third, …
};

}  // namespace tuner::engine
