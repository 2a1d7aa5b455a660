#include "tests/sources/from_capture/told_launch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/engine/replay/launch_facts.hpp"
#include "tuner/error.hpp"

namespace tuner::test {
namespace {

constexpr std::uint64_t kFirst = 0x7f0000000000, kBetween = 1 << 20;
constexpr std::string_view kPragma = "#pragma tuner ";

}  // namespace

ToldLaunch::ToldLaunch(const std::string& mangled) {
  launch.kernel = mangled;
  shape(4, 64);
  replayed.verdict = engine::ReplayVerdict::exact;
}

void ToldLaunch::shape(std::uint32_t grid, std::uint32_t block, std::uint32_t shared) {
  std::copy_n(std::initializer_list<std::uint32_t>{grid, 1, 1}.begin(), 3, launch.launch.grid);
  std::copy_n(std::initializer_list<std::uint32_t>{block, 1, 1}.begin(), 3, launch.launch.block);
  launch.launch.dynamic_shared = shared;
}

std::uint64_t ToldLaunch::add_memory(const std::string& name, engine::MemoryUse use, std::vector<std::byte> before,
                                     std::vector<std::byte> after) {
  capture::StoredMemory memory{.address = kFirst + kBetween * replayed.memories.size(), .name = name};
  memory.before = {"before " + std::to_string(replayed.memories.size()), before.size()};
  memory.after = {"after " + std::to_string(replayed.memories.size()), after.size()};
  engine::MemoryFacts facts{.use = use};
  if (use == engine::MemoryUse::out || use == engine::MemoryUse::inout) {
    engine::PatternResult pattern{.ranges = 1, .written = {{0, after.size()}}};
    (use == engine::MemoryUse::out ? pattern.output : pattern.depends) = after.size();
    facts.pattern = pattern;
  }
  contents_[memory.before.hash] = std::move(before);
  contents_[memory.after.hash] = std::move(after);
  replayed.memories.push_back(std::move(facts));
  (name.empty() ? launch.allocations : launch.variables).push_back(memory);
  return memory.address;
}

void ToldLaunch::writes(std::uint64_t begin, std::uint64_t end) {
  engine::PatternResult& pattern = *replayed.memories.back().pattern;
  pattern.written = {{begin, end}};
  (pattern.output > 0 ? pattern.output : pattern.depends) = end - begin;
}

sources::CapturedDescription ToldLaunch::described(const std::string& source) {
  const capture::MemoryMap map(launch);
  auto arrays = engine::arrays_of(launch, map);
  for (std::size_t i = 0; i < map.size(); ++i) replayed.memories[i].arrays = std::move(arrays[i]);
  const sources::CapturedKernel kernel{launch, replayed, constants,
                                       [&](const capture::Blob& blob) { return contents_.at(blob.hash); }};
  sources::CapturedDescription result =
      sources::describe_captured({source, "k.cu", ""}, kernel, "k.data", "launch 1 of k.capture");
  data_ = result.data;
  return result;
}

std::string ToldLaunch::directives(const std::string& source) {
  const std::string text = described(source).text;
  std::string lines;
  for (std::size_t at = text.find(kPragma); at != std::string::npos; at = text.find(kPragma, at + 1)) {
    const std::size_t begin = at + kPragma.size();
    lines += text.substr(begin, text.find('\n', begin) + 1 - begin);
  }
  CHECK(text.find("// ?") == std::string::npos);
  return lines;
}

std::string ToldLaunch::refusal(const std::string& source) {
  try {
    described(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::byte> ToldLaunch::data_of(const std::string& file) const {
  const auto part = std::ranges::find(data_, file, &sources::DataPart::file);
  REQUIRE(part != data_.end());
  const auto begin = contents_.at(part->blob.hash).begin() + static_cast<std::ptrdiff_t>(part->offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(part->bytes)};
}

}  // namespace tuner::test
