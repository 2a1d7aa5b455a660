#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/engine/replay/stored_replay.hpp"
#include "tuner/sources/device_compile/limited_run.hpp"
#include "tuner/sources/device_compile/proved_source.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::cli {

/// Where a captured kernel comes from, as the user says it.
struct CapturedSource {
  std::filesystem::path folder;                ///< of the capture
  std::filesystem::path source;                ///< empty: the build has it
  std::optional<std::filesystem::path> build;  ///< what `tuner capture --build` wrote
  std::vector<std::filesystem::path> header_folders;
  sources::RunLimits limits;            ///< of each compiler that looks for the source; `stop` is nobody's
  std::optional<std::uint64_t> launch;  ///< counted from 1; nothing: of those that repeat the one that takes most time
};

/// What a compiler of the program's may use, as `--compile-timeout` and `--compile-memory` say it. Throws
/// Error{bad_usage}.
sources::RunLimits compiler_limits(const Arguments& arguments);

/// A launch of a capture that was replayed, and the source of its kernel.
class CapturedKernel {
 public:
  /// Reads the capture and, with a build, looks for the source that makes the machine code that ran: as long as nvcc
  /// for each source. Says so where the source that is named does not. A signal ends the compilers, and
  /// then the program. Throws Error with a sentence.
  explicit CapturedKernel(CapturedSource from);

  std::string name() const;  ///< as sources name it
  /// By which command the source is compiled that makes the machine code that ran; nothing without a build.
  const std::optional<sources::SourceOfBuild>& proved() const { return proof_.proved; }
  /// What --source calls that.
  const std::string& name_in_build() const { return proof_.name; }
  /// Writes the source with its directives to `output`, and its data beside that, and says what it wrote. Replaces
  /// files with `force` alone. Throws Error with a sentence, and leaves no description then.
  void write(const std::filesystem::path& output, bool force) const;

 private:
  const capture::StoredLaunch& launch() const { return capture_.launches[position_]; }

  CapturedSource from_;
  capture::Capture capture_;
  engine::KnownReplays replays_;
  std::size_t position_ = 0;
  sources::SourceProof proof_;
};

}  // namespace tuner::cli
