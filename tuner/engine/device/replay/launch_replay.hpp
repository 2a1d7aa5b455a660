#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/device/lane/replay.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/memory/fenced_memory.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/replay/placed_memory.hpp"

namespace tuner::engine {

/// Why a launch cannot be run here: one sentence.
struct CannotReplay {
  std::string reason;
};

/// A launch of a capture with its memory on the GPU. Everything that it reads is untrusted. Throws Error for a folder
/// that cannot be read, CannotReplay, CallFailed and StillRunning.
class LaunchReplay {
 public:
  LaunchReplay(const ReplayLaunch& request, WorkStream& stream);

  /// Whether it is what the request is about.
  bool serves(const ReplayLaunch& request) const;
  void run(const ReplayLaunch& request, ReplayResult& result);
  int launches() const { return launches_; }

 private:
  struct Held {
    bool is_there = false;  ///< it has memory on the GPU
    CUdeviceptr address = 0;
    std::optional<FencedMemory> elsewhere;  ///< its own, where it does not lie at its own address
    std::vector<std::byte> before, after;   ///< `after` is empty if it is the same
    std::optional<DeviceMemory> pristine;   ///< a copy of `before`, where there was room
    std::span<const std::byte> expected() const { return after.empty() ? before : after; }
  };

  bool is_placeable(std::size_t memory) const;
  void reserve_addresses();
  void load_memory();
  void place_allocations();
  void load_kernel();
  void find_variables();
  void set_limits() const;
  void restore(std::size_t memory);
  void restore_all();
  void launch(std::chrono::milliseconds limit);
  void make_read_only(const std::vector<std::uint64_t>& memories, bool is_read_only);
  void repeat(const ReplayLaunch& request, ReplayResult& result);
  void run_over_patterns(const ReplayLaunch& request, ReplayResult& result);
  /// Calls `visit(seen, expected)` for piece after piece of what is there now.
  template <typename Visit>
  void read_pieces(std::size_t memory, Visit visit);
  std::uint64_t compare(std::size_t memory, const ReplayLaunch& request, ReplayedMemory& said);
  std::vector<std::size_t> changeable(const ReplayLaunch& request) const;
  Piece piece(std::size_t memory) const { return {map_[memory].address, map_[memory].before.size}; }

  const std::filesystem::path folder_;
  const std::uint64_t position_;
  const bool at_own_addresses_;
  WorkStream& stream_;
  const capture::StoredLaunch launch_;
  const capture::MemoryMap map_;
  capture::Reach reach_;
  std::vector<Held> held_;
  std::optional<OwnAddresses> own_addresses_;
  std::uint64_t first_address_ = 0;
  Module module_;
  CUfunction function_ = nullptr;
  std::vector<std::byte> parameters_;
  std::vector<std::byte> piece_;  ///< of memory that is compared
  int launches_ = 0;
};

}  // namespace tuner::engine
