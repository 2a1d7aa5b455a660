#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tuner/engine/device/buffers.hpp"
#include "tuner/engine/device/device_support.hpp"
#include "tuner/engine/device/kernel.hpp"
#include "tuner/engine/device/verdict.hpp"
#include "tuner/engine/device/work_stream.hpp"

namespace tuner::engine {

/// Decides whether a kernel does what it should: two launches from two poisons, then everything it could have touched
/// is looked at. In the order of severity: guards, inputs, unwritten outputs, wrong results (in one run only:
/// nondeterministic), and if it must be deterministic, outputs of the two runs that are not the same bits.
class Runner {
 public:
  Runner(Buffers& buffers, DeviceSupport& support, WorkStream& stream, const DeviceInfo& device,
         std::chrono::milliseconds launch_timeout, bool deterministic)
      : buffers_(buffers),
        support_(support),
        stream_(stream),
        device_(device),
        launch_timeout_(launch_timeout),
        deterministic_(deterministic) {}

  /// Makes the kernel's outputs the reference. Both runs must agree within the tolerance.
  Verdict run_reference(const LoadedKernel& kernel);
  /// Compares with the reference. Inputs that the kernel changed are restored.
  Verdict verify(const LoadedKernel& kernel);

  std::uint64_t excluded_words() const { return excluded_words_; }  ///< left unwritten by the reference
  int launches() const { return launches_; }
  /// The kernel reached data of ours that no argument points to: this process must be replaced.
  bool damaged() const { return damaged_; }

 private:
  struct Mismatch;
  Verdict run_once(const LoadedKernel& kernel, int run, bool as_reference, std::vector<Mismatch>& mismatches);
  Verdict inspect_surroundings(bool as_reference);
  Verdict guards_verdict(const ArgumentState& state, const Finding& finding) const;
  Verdict same_bits(const std::vector<Mismatch>& mismatches) const;
  void sum_kept();

  Buffers& buffers_;
  DeviceSupport& support_;
  WorkStream& stream_;
  const DeviceInfo& device_;
  std::chrono::milliseconds launch_timeout_;
  bool deterministic_;
  std::uint64_t excluded_words_ = 0;
  int launches_ = 0;
  bool damaged_ = false;
};

}  // namespace tuner::engine
