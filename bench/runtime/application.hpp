#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/runtime/bare_driver.hpp"
#include "tuner/tuner.hpp"

namespace tuner::bench {

/// What an application that uses one kernel for one problem has, as words that fit on a command line, so that a process
/// that is measured need not read the description to make it.
struct ApplicationText {
  std::string problem;    ///< values in declared order, whole numbers: "528,65536"
  std::string arguments;  ///< "buffer:276824064,buffer:4224,4:10000": scalars by size and bits, hexadecimal;
                          ///< "scratch:4224": as much as the baseline needs
};
/// Of the kernel in this file, for "rows=528,row_length=65536" on the first GPU. Its scalars must be bound to the
/// problem, whose values must be whole numbers.
ApplicationText describe_application(const std::filesystem::path& kernel_file, const std::string& problem);

/// "528,65536".
std::vector<ProblemValue> problem_values(std::string_view text);

/// The arguments of a kernel: buffers that are allocated and filled, and scalars.
class Arguments {
 public:
  /// In the current context. `text` as in ApplicationText.
  explicit Arguments(std::string_view text);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// For an untyped launch: scratch is the library's.
  std::span<void* const> addresses() const { return addresses_; }
  void** bare() { return pointers_.data(); }
  /// As an application does that knows what it launches: with typed arguments where the kernel takes two buffers of
  /// doubles and a number, as prefetch.cu does.
  LaunchStatus launch(const Instance& instance, Stream stream) const;

 private:
  static constexpr std::size_t kMost = 16;
  std::vector<Buffer> buffers_;
  std::array<std::array<std::byte, 8>, kMost> values_{};
  std::vector<void*> pointers_;   ///< and a null at the end
  std::vector<void*> addresses_;  ///< the same, with a null for scratch
  bool two_doubles_and_a_number_ = false;
};

/// Throws std::runtime_error unless the launch was queued.
void require(const LaunchStatus& status);

/// A file's description, with an expression as a further constraint, as a file in `folder` with the header that kernels
/// share beside it: the library has no --where.
std::filesystem::path narrow(const std::filesystem::path& kernel_file, const std::string& where,
                             const std::filesystem::path& folder);

}  // namespace tuner::bench
