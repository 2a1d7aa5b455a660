#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "tuner/core/task/bound_argument.hpp"

namespace tuner {

/// A file of data, open for reading. Every failure is an Error{file_not_found} that names it.
class InputFile {
 public:
  /// A regular file: what is not one, or cannot be opened, is refused without waiting.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return size_; }  ///< when it was opened
  /// Fills `bytes` from `offset` on; a file that ends before is an error.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Hands over the data piece by piece, 4 MiB at a time, and then compares its hash with `data.hash`. Throws
/// Error{file_not_found}, also where the content is no longer what it was; Error{internal} for a file that nobody has
/// looked at (see Task::arguments_with_data), of which it is not known where the data lies.
void read_data(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take);

/// All of it at once.
std::vector<std::byte> read_data(const DataFile& data);

/// Fills in `file` and `expected` of the arguments that have them: where the data lies, and its hash, for which each
/// file is read once (some tenths of a second a gigabyte once the system holds it in memory, the time of the disk
/// before). Throws Error{file_not_found, bad_description, bad_problem} with file and line of the argument, if a file is
/// not there or damaged, or if type or number of its elements are others than described.
void look_at_files(const KernelDescription& description, std::vector<BoundArgument>& arguments);

}  // namespace tuner
