#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/task/unproven.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/device_support.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/mismatch.hpp"
#include "tuner/engine/device/worker/rounded_reference.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// Decides whether a kernel does what it should: two launches from two poisons, three if it must be deterministic, the
/// first with every buffer up against the fence behind it, the second with the fence in front. What it could have
/// touched without dying of it is looked at. In the order of severity: guards, inputs, unwritten outputs, wrong results
/// (in some runs only: nondeterministic), and if it must be deterministic, outputs that are not the same bits.
///
/// Where there are no fences, all launches run in the layout that is timed.
class Runner {
 public:
  Runner(Buffers& buffers, DeviceSupport& support, WorkStream& stream, const DeviceInfo& device,
         std::chrono::milliseconds launch_timeout, bool deterministic, bool may_measure_rounding)
      : buffers_(buffers),
        support_(support),
        stream_(stream),
        device_(device),
        launch_timeout_(launch_timeout),
        deterministic_(deterministic),
        may_measure_rounding_(may_measure_rounding) {}

  /// Makes the kernel's outputs the reference, unless a file says what they must be. All runs must agree within the
  /// tolerance. With `diagnose` it runs first
  /// without fences, where what would end the context can be seen instead.
  Verdict run_reference(const Candidate& reference, const LoadedKernel& kernel, bool diagnose);
  /// Compares with the reference. inspect() must follow: what it finds comes first.
  Verdict verify(const LoadedKernel& kernel, bool diagnose);
  /// The same in the layout that is timed, for a kernel that was: what it keeps may be about the buffers of the launch
  /// before.
  Verdict verify_where_timed(const LoadedKernel& kernel);
  /// Once after all launches of a kernel, timed ones included: whether the plain buffers' guards, the inputs and what
  /// is kept for comparison are as they were. What was changed is restored.
  Verdict inspect();

  void set_launch_timeout(std::chrono::milliseconds timeout) { launch_timeout_ = timeout; }
  /// What a fault that has just ended the context says about the kernel, as one sentence.
  std::string fault_text(CUresult fault) const;
  /// Whether it met a fence there: the kernel runs to its end without them, and changes nothing that it should not.
  bool met_fence(CUresult fault) const;
  /// The same of a buffer's alignment there, which is the declared one and no more.
  bool met_alignment(CUresult fault) const;
  /// Not ok if the reference leaves all of an output unwritten that is not partial, or all of all outputs: nothing
  /// could be compared.
  Verdict something_is_written() const;
  /// What the reference leaves unwritten of each output.
  std::vector<NotCompared> not_compared() const;
  /// The outputs of the reference with which a kernel agrees that computes nothing, but for those declared `trivial`,
  /// and those with elements that are not numbers. Notes their checksums.
  std::vector<Unproven> unproven();
  /// After the reference ran on other inputs: the outputs whose checksums are still those.
  std::vector<Unproven> unproven_on_other_inputs();
  /// Not ok if that is so of all outputs of which more than one element is compared; of all others, if there are none.
  Verdict something_is_proven(const std::vector<Unproven>& unproven) const;
  int launches() const { return launches_; }
  /// Whether the reference runs with random rounding, which may fail where it does not otherwise.
  bool measures_rounding() const { return measures_rounding_; }
  /// The kernel reached data of ours that no argument points to: this process must be replaced.
  bool damaged() const { return damaged_; }

 private:
  bool fails_by_layout() const;
  struct Run;
  struct AskedOutput;
  struct AskedGuard;
  /// What impostors leave of one output, by the numbers of the findings.
  struct AskedImpostors {
    std::size_t alike;
    std::optional<std::size_t> unchanged;
    FromImpostors told(const std::vector<Finding>& found, const ArgumentState& state) const;
  };
  int runs() const { return deterministic_ ? 3 : 2; }
  Layout layout_of(int run) const;
  Verdict launch(const LoadedKernel& kernel, unsigned char poison, Layout layout);
  Verdict diagnose(const LoadedKernel& kernel, bool with_kept);
  Verdict run_all(const LoadedKernel& kernel, bool as_reference, std::vector<Mismatch>& mismatches);
  Verdict run_and_judge(const LoadedKernel& kernel);
  bool is_kept();
  void measure_spread();
  std::vector<DeviceMemory> run_rounded(const std::vector<ArgumentState*>& outputs);
  void drop_spreads_that_prove_nothing(const std::vector<ArgumentState*>& outputs);
  AskedImpostors ask_impostors(ArgumentState& state, CUdeviceptr spread);
  Verdict order_is_countable() const;
  CUdeviceptr before_launch(const ArgumentState& state);
  Verdict run_once(const LoadedKernel& kernel, const Run& run, std::vector<Mismatch>& mismatches);
  void ask_about_guards(const Run& run, std::vector<AskedGuard>& asked);
  AskedOutput ask_whether_written(ArgumentState& state, const Run& run);
  void ask_about_difference(AskedOutput& asked, const Run& run);
  void put_in_order(const Run& run);
  std::string other_order(const std::vector<Mismatch>& mismatches);
  void note(const AskedOutput& asked, const std::vector<Finding>& found, const Run& run, Mismatch& mismatch);
  bool note_difference(const Finding& compared, CUdeviceptr data, Mismatch& mismatch);
  bool may_be_rounding(const Mismatch& mismatch) const;
  void keep(CUdeviceptr data, const Mismatch& mismatch);
  void judge_again(Mismatch& mismatch);
  Verdict inspect_surroundings(bool with_kept);
  Verdict guards_verdict(const ArgumentState& state, const Placement& place, const Finding& finding) const;
  void note_unwritten(const std::vector<Mismatch>& mismatches);
  void sum_kept();
  CUdeviceptr first_compared(const ArgumentState& state) const;

  Buffers& buffers_;
  DeviceSupport& support_;
  WorkStream& stream_;
  const DeviceInfo& device_;
  std::chrono::milliseconds launch_timeout_;
  bool deterministic_;
  bool may_measure_rounding_;
  RoundedReference rounded_;
  bool asked_for_spread_ = false;  ///< of the reference on the present inputs
  bool measures_rounding_ = false;
  /// What a candidate wrote in a run where it differs, to be judged once rounding is known.
  std::map<std::pair<const ArgumentState*, std::size_t>, DeviceMemory> kept_;
  int launches_ = 0;
  bool damaged_ = false;
  bool where_timed_ = false;
  std::optional<Layout> running_;     ///< while a checked launch runs
  bool runs_without_fences_ = false;  ///< the present kernel did so, and changed nothing that it should not
};

}  // namespace tuner::engine
