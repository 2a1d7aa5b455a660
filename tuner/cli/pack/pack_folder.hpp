#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tuner/cli/given/new_folder.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::cli {

/// The folder of a pack. Until it is published it stands beside its place under a name of its own, which is removed
/// again if that is never reached.
class PackFolder {
 public:
  /// Throws Error{bad_usage} if something is in the way: any file, or with `overwrite` anything but a pack. A pack that
  /// a process that was killed left under a hidden name gets its own back.
  PackFolder(const std::filesystem::path& target, bool overwrite);
  ~PackFolder();
  PackFolder(const PackFolder&) = delete;
  PackFolder& operator=(const PackFolder&) = delete;

  /// Where to write the pack. Made when it is first asked for; what a process that was killed left of one for the same
  /// place is removed then. Throws Error{store_unavailable}.
  const std::filesystem::path& path();
  /// Writes the file by which a pack is known, and gives the folder its name. A pack that has it is removed. Throws
  /// likewise.
  void publish(const std::string& contents);

 private:
  void take_place();

  std::filesystem::path target_;
  std::filesystem::path part_;  ///< empty: not made yet
  UniqueFd lock_;               ///< on the part: its maker lives
  std::optional<NewFolder> parents_;
};

}  // namespace tuner::cli
