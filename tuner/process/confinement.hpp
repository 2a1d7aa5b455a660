#pragma once

#include <filesystem>
#include <vector>

namespace tuner {

/// Whether this kernel can confine a process to folders: Linux 5.13 or newer, with Landlock switched on.
bool can_confine() noexcept;

/// What a confined process may still open.
struct Confinement {
  std::vector<std::filesystem::path> readable;  ///< folders; one that is not there is left out
  std::filesystem::path writable;               ///< a folder in which it may also make, write and remove files
};

/// From here on this thread, and what it starts, opens no other files and runs no programs. Descriptors that are open
/// stay, and files' names can still be asked for (stat). Cannot be taken back. False where the kernel cannot do it:
/// then nothing has changed.
bool confine(const Confinement& to) noexcept;

}  // namespace tuner
