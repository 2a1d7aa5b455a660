#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tuner::capture {

/// The modules of the program that have the wanted kernel. For several threads; calls nobody under its lock, because
/// the driver tells of modules in the middle of other calls.
class ModuleImages {
 public:
  using Image = std::shared_ptr<const std::vector<std::byte>>;

  explicit ModuleImages(std::string kernel) : kernel_(std::move(kernel)) {}
  void add(std::uint32_t module, std::span<const std::byte> image);
  void remove(std::uint32_t module);
  /// That of a module that has the kernel, asked for at each launch: where several differ it is known if only one was
  /// new at the module's first. nullptr if none was loaded, or it is not known.
  Image of(CUmodule module);
  /// Whether it is asked for the first time of this kernel of the program.
  bool is_first_launch(CUfunction function);

 private:
  const std::string kernel_;  ///< mangled
  std::mutex mutex_;
  std::map<std::uint32_t, Image> images_;
  std::set<CUfunction> launched_;
  std::map<CUmodule, std::uint32_t> known_;  ///< of which module they are, without those that are gone
};

}  // namespace tuner::capture
