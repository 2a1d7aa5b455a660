#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/replay/replayed_launch.hpp"
#include "tuner/sources/from_capture/from_capture.hpp"

namespace tuner::test {

/// A launch of a kernel and what its replay has shown, as a test tells it. Parameters and memory are added in order.
class ToldLaunch {
 public:
  explicit ToldLaunch(const std::string& mangled);

  capture::StoredLaunch launch;
  engine::ReplayedLaunch replayed;
  std::set<std::string> constants;

  /// Memory with what it held before and after. Returns its address.
  template <typename T>
  std::uint64_t memory(engine::MemoryUse use, const std::vector<T>& before, const std::vector<T>& after) {
    return add_memory("", use, bytes_of(before), bytes_of(after));
  }
  template <typename T>
  std::uint64_t input(const std::vector<T>& values) {
    return memory(engine::MemoryUse::in, values, values);
  }
  /// All of it is written, whatever was there.
  template <typename T>
  std::uint64_t output(const std::vector<T>& after) {
    return memory(engine::MemoryUse::out, std::vector<T>(after.size()), after);
  }
  template <typename T>
  void variable(const std::string& mangled, const std::vector<T>& values, engine::MemoryUse use) {
    add_memory(mangled, use, bytes_of(values), bytes_of(values));
  }
  /// What the kernel wrote of the last memory, in bytes.
  void writes(std::uint64_t begin, std::uint64_t end);
  template <typename T>
  void parameter(const T& value) {
    const std::uint64_t behind =
        launch.parameters.empty() ? 0 : launch.parameters.back().offset + launch.parameters.back().bytes.size();
    launch.parameters.push_back({(behind + alignof(T) - 1) / alignof(T) * alignof(T), bytes_of(std::vector<T>{value})});
  }
  void shape(std::uint32_t grid, std::uint32_t block, std::uint32_t shared = 0);

  /// The directives of the description, a line each, without `#pragma tuner`.
  std::string directives(const std::string& source);
  sources::CapturedDescription described(const std::string& source);
  /// Why it cannot be described.
  std::string refusal(const std::string& source);
  /// What a file of the last description holds.
  template <typename T>
  std::vector<T> data(const std::string& file) const {
    const std::vector<std::byte> bytes = data_of(file);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

 private:
  template <typename T>
  static std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  std::uint64_t add_memory(const std::string& name, engine::MemoryUse use, std::vector<std::byte> before,
                           std::vector<std::byte> after);
  std::vector<std::byte> data_of(const std::string& file) const;

  std::map<std::string, std::vector<std::byte>> contents_;
  std::vector<sources::DataPart> data_;
};

}  // namespace tuner::test
