#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tuner/capture/stored/blob.hpp"
#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/engine/replay/replayed_launch.hpp"

namespace tuner::sources {

/// What is known of a launch.
struct CapturedKernel {
  const capture::StoredLaunch& launch;
  const engine::ReplayedLaunch& replayed;
  std::set<std::string> constants;  ///< variables of its module that no kernel can write, mangled
  std::function<std::vector<std::byte>(const capture::Blob&)> load;
};

/// A file of numbers that a description names.
struct DataPart {
  std::string file;
  capture::Blob blob;                   ///< what it is a part of
  std::uint64_t offset = 0, bytes = 0;  ///< of that
  TypeShape type;
};

/// `reason` ends the sentence "`scale` cannot be described from this launch: ".
[[noreturn]] void refuse_captured(const CapturedKernel& kernel, const std::string& reason);

}  // namespace tuner::sources
