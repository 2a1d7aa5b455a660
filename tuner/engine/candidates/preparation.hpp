#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/signature_probe.hpp"
#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// What has to be compiled before anything can be run and compared: the device code that checks results, the
/// signatures of what is launched, and the kernel that the description names as reference. The answers come while
/// `compile` is polled; those that say that the task cannot be tuned throw Error then. Outlives these answers.
class Preparation {
 public:
  Preparation(const Task& task, CompileSession& compile, DeviceSession& device)
      : task_(task), compile_(compile), device_(device) {}

  /// Sets the device up, for which it compiles these programs first.
  void prepare_device(const std::vector<std::string>& support_sources);
  /// The kernels must take what is described before they are launched.
  void compile_probes(std::vector<SignatureProbe> probes);
  /// Compiles the kernel that the description names as reference, if it does.
  void compile_reference(const search::Configuration& baseline);

  /// False while a signature is not confirmed: nothing may be launched then.
  bool may_launch() const { return probes_ == 0; }
  /// The named kernel with its launch; nothing before it has been compiled.
  std::optional<Candidate> reference(const search::Configuration& baseline) const;

 private:
  void take_support(std::size_t part, CompileReply reply);
  void take_part();

  const Task& task_;
  CompileSession& compile_;
  DeviceSession& device_;
  std::vector<std::vector<std::byte>> support_cubins_;
  std::vector<std::byte> value_cubin_;
  std::size_t support_parts_ = 0;  ///< being compiled, what makes values among them
  int probes_ = 0;                 ///< likewise
  std::optional<CompileReply> reference_kernel_;
};

}  // namespace tuner::engine
