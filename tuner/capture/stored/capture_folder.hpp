#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/capture/stored/blob.hpp"
#include "tuner/capture/stored/snapshot.hpp"
#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/process/fd.hpp"

// Launches in a folder: manifest.json says what they are (manifest.hpp), data/ has their memory and their modules, each
// content once, named by its hash. The manifest is written last, so a folder without one is incomplete.

namespace tuner::capture {

inline constexpr const char* kManifest = "manifest.json";

/// What a shell would start for this command from here. Reads the executable.
ProgramFacts facts_of_program(const std::vector<std::string>& command);

/// Writes a folder that only its owner can read. What goes wrong with the disk is Error{store_unavailable}.
class FolderWriter {
 public:
  /// Makes the folder, or takes one that is empty. Throws Error{bad_usage} if it holds something or cannot be made.
  FolderWriter(const std::filesystem::path& folder, ProgramFacts program);
  /// Removes everything that it wrote, unless it is finished.
  ~FolderWriter();
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;

  /// `before` and `after` are the files of memory that the snapshot was read with; nobody may change them meanwhile.
  /// What it returns stands until the next one.
  const StoredLaunch& add(const Snapshot& snapshot, std::span<const std::byte> before, std::span<const std::byte> after,
                          const Weight& weight);
  std::size_t launches() const { return capture_.launches.size(); }
  /// Writes the manifest. Returns once the disk has everything.
  void finish();

 private:
  Blob store(std::span<const std::byte> contents);
  [[noreturn]] void cannot_write(int reason) const;
  template <typename Fill>
  void write_file(int folder, const std::string& name, Fill fill);

  std::filesystem::path folder_;
  UniqueFd folder_fd_, data_fd_;
  bool is_new_ = false, is_finished_ = false;
  std::set<Blob> stored_;
  Capture capture_;
};

/// Whether it seems to be such a folder, complete or not.
bool is_capture_folder(const std::filesystem::path& folder);

/// What the manifest says. Whatever the file holds, that is a Capture, or Error{store_damaged, store_newer,
/// file_not_found}.
Capture read_capture(const std::filesystem::path& folder);

/// The text of a file that lies where the manifest does; nothing if there is none. Throws the same.
std::optional<std::string> read_beside(const std::filesystem::path& folder, const char* name);

/// The file of these contents.
std::filesystem::path blob_path(const std::filesystem::path& folder, const Blob& blob);
/// Contents, checked. Throws the same.
std::vector<std::byte> load_blob(const std::filesystem::path& folder, const Blob& blob);

}  // namespace tuner::capture
