#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
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

/// Hands over the data piece by piece, 4 MiB at a time, and returns its hash. Throws Error{file_not_found}.
cache::Hash read_and_hash(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take);

/// The same, and compares the hash with `data.hash`. Throws Error{file_not_found}, also where the content has changed;
/// Error{internal} for a file that was not looked at (see Task::arguments_with_data), so that the place of the data in
/// it is not known.
void read_data(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take);

/// All of it at once.
std::vector<std::byte> read_data(const DataFile& data);

}  // namespace tuner
