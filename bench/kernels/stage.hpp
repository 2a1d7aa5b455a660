#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/device_support.hpp"
#include "tuner/engine/device/worker/kernel.hpp"

namespace tuner::bench {

/// Makes the primary context of the first GPU this process's own, and says what it is.
DeviceInfo use_first_gpu();

/// Device memory that only lies there, in whole MiB, written in decimal; none for an empty text. What is allocated
/// after it, by other processes too, lies elsewhere in physical memory. Throws Error.
engine::DeviceMemory occupy(const std::string& mebibytes);

/// The problem of one task on that GPU, without a session or another process around it: for whoever wants to launch one
/// configuration and look at nothing else. Buffers hold what the tuner would put into them. Throws Error.
class Stage {
 public:
  explicit Stage(const Task& task);

  /// Compiles and loads a configuration, written as in `Space::parse`. Throws Error if that fails.
  engine::LoadedKernel load(const std::string& configuration);
  /// Gives buffers that kernels change their content back.
  void restore() { buffers_->restore(); }
  /// Queues one launch.
  void launch(const engine::LoadedKernel& kernel);

  CUdeviceptr address(std::string_view argument) const;
  engine::WorkStream& stream() { return stream_; }

 private:
  const Task& task_;
  engine::NvrtcCompiler compiler_;
  engine::WorkStream stream_;
  std::unique_ptr<engine::DeviceSupport> support_;
  std::unique_ptr<engine::Buffers> buffers_;
};

/// Times what is queued, with nothing of its data in L2: after the cache was overwritten, between two events.
class ColdTimer {
 public:
  ColdTimer(const DeviceInfo& device, engine::WorkStream& stream);

  /// Nanoseconds of what `queue` puts on the stream.
  template <typename Queue>
  double sample(Queue&& queue) {
    flush();
    begin();
    queue();
    return end();
  }

 private:
  void flush();
  void begin();
  double end();

  engine::WorkStream& stream_;
  std::size_t bytes_;
  engine::DeviceMemory memory_;
  engine::Event start_, stop_;
  unsigned char byte_ = 0;
};

}  // namespace tuner::bench
