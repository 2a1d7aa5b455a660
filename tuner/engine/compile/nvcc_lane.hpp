#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

enum class CompilerChoice { automatic, nvrtc, nvcc };

/// How the program's build compiles a source, and what the user wants of that.
struct RecordedSource {
  sources::SourceOfBuild of;
  CompilerChoice wanted = CompilerChoice::automatic;
};

struct ChosenCompiler {
  std::optional<NvccSource> nvcc;  ///< nothing: NVRTC
  std::string sentence;            ///< which one, why, and what that costs
};

/// A compile lane of which one source is compiled by nvcc, once that is said, and everything else by NVRTC. Replies
/// then name both as one toolkit: what was measured with one compiler is not taken over by the other.
class NvccLane final : public CompileLane {
 public:
  /// `lane` outlives this.
  explicit NvccLane(CompileLane& lane) : lane_(lane) {}
  /// Before the first request: NVRTC, where it makes the same machine code of the baseline as the program's own
  /// compiler, or where that does not compile it; otherwise nvcc. Compiles the baseline with both, unless the choice is
  /// made. What has the baseline's file is compiled by what is chosen. Nothing if it was told to stop. Throws
  /// Error{baseline_failed} if neither compiles it, Error{bad_usage} where the command that has to be used cannot be
  /// run again for the device, and Error{no_toolkit} as the lane does.
  std::optional<ChosenCompiler> choose(const CompileRequest& baseline, const RecordedSource& recorded,
                                       const std::atomic<bool>& stop);
  /// The same without a choice.
  void use(NvccSource nvcc, std::string file_name);

  void submit(TicketId ticket, CompileRequest request) override;
  std::vector<Completion> poll() override;
  void cancel(TicketId ticket) override { lane_.cancel(ticket); }
  std::size_t room() const override { return lane_.room(); }
  double width() const override { return lane_.width(); }
  std::vector<int> wait_fds() const override { return lane_.wait_fds(); }
  std::chrono::steady_clock::time_point next_deadline() const override { return lane_.next_deadline(); }

 private:
  CompileLane& lane_;
  std::optional<NvccSource> nvcc_;
  std::string file_name_;
};

}  // namespace tuner::engine
