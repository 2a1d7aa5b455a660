#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/capture/stored/snapshot_reader.hpp"

namespace tuner::test {

template <typename T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A record as the injected library writes it.
template <typename Facts>
std::string record(capture::RecordKind kind, const Facts& facts, const std::string& more = {}) {
  std::string bytes;
  append(bytes, capture::RecordHead{.kind = kind, .size = sizeof facts + more.size()});
  append(bytes, facts);
  return bytes + more;
}

inline std::string image_record(const std::string& image) {
  std::string bytes;
  append(bytes, capture::RecordHead{.kind = capture::RecordKind::image, .size = image.size()});
  return bytes + image;
}

inline constexpr std::uint64_t kFirst = 0x7f0000000000, kSecond = 0x7f0000100000, kVariable = 0x7f0000200000;

/// scale<float>(float* kSecond + 256, int 7, double 0.5, {kFirst, 1}): it changed the second allocation. The 128 words
/// of the first one look like pointers to managed memory.
struct Sample {
  Sample() : before(std::string(1024, 'a') + std::string(512, 'b') + std::string(256, 'c')), after(before) {
    after[1024] = 'x';
  }
  std::string before, after;

  static std::string launch() {
    return record(capture::RecordKind::launch,
                  capture::FactsOfLaunch{
                      .ordinal = 3, .grid = {64, 2, 1}, .block = {256, 1, 1}, .dynamic_shared = 512, .process = 17},
                  "_Z5scaleIfEvPT_i");
  }
  static std::string parameter(std::uint64_t offset, const auto& value) {
    std::string bytes;
    append(bytes, value);
    return record(capture::RecordKind::parameter, capture::FactsOfParameter{offset}, bytes);
  }
  static std::string memory(capture::RecordKind kind, const capture::FactsOfMemory& facts,
                            const std::string& name = {}) {
    return record(kind, facts, name);
  }
  static std::string device() {
    return record(capture::RecordKind::device,
                  capture::FactsOfDevice{.uuid = {1, 2}, .compute_capability = 90, .driver = 13000}, "NVIDIA H200");
  }
  static std::string allocation(std::uint64_t address, std::uint64_t size, std::uint64_t offset) {
    return memory(capture::RecordKind::allocation, {address, size, offset});
  }
  static std::string rest() {
    using capture::RecordKind;
    struct ByValue {
      std::uint64_t pointer = kFirst, number = 1;
    };
    return parameter(0, kSecond + 256) + parameter(8, 7) + parameter(16, 0.5) + parameter(24, ByValue{}) +
           record(RecordKind::attribute, capture::NumberedFact{.number = 8, .value = 65536}) +
           record(RecordKind::limit, capture::NumberedFact{.number = 0, .value = 1024}) +
           record(RecordKind::launch_attribute, capture::NumberedFact{.number = 8, .value = 2}) +
           allocation(kFirst, 1024, 0) + allocation(kSecond, 512, 1024) +
           memory(RecordKind::variable, {kVariable, 256, 1536}, "weights") +
           memory(RecordKind::unstored, {0x6161616161610000, 0x10000, 0}, "managed memory (cudaMallocManaged)") +
           image_record("no cubin") + record(RecordKind::frame, capture::FactsOfFrame{0x1234}, "/home/me/scale") +
           device();
  }
  static std::string records() { return launch() + rest(); }
};

inline std::optional<capture::Snapshot> read_records(const std::string& records, std::uint64_t memory_size = 1792) {
  return capture::read_snapshot(std::as_bytes(std::span(records)), memory_size);
}

/// The sample in a folder, as often as that.
inline void write_sample(const std::filesystem::path& folder, int launches = 1) {
  const Sample sample;
  capture::FolderWriter writer(folder, {.command = {"./scale", "10 0"},
                                        .executable = "/home/me/scale",
                                        .executable_hash = std::string(32, '5'),
                                        .folder = "/home/me"});
  for (int i = 0; i < launches; ++i) {
    writer.add(*read_records(Sample::records()), std::as_bytes(std::span(sample.before)),
               std::as_bytes(std::span(sample.after)), {.launches = 40, .mean_ns = 12500, .share = 0.25});
  }
  writer.finish();
}

}  // namespace tuner::test
