#include "tuner/engine/replay/stored_replay.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cache/file/fresh_file.hpp"
#include "cache/file/hash.hpp"
#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/capture/stored/checked_json.hpp"
#include "tuner/capture/stored/reach.hpp"
#include "tuner/engine/replay/launch_facts.hpp"
#include "tuner/engine/replay/replay_json.hpp"
#include "tuner/error.hpp"
#include "tuner/version.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;
using capture::CheckedJson;
using capture::StoredLaunch;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t kFormat = 1;

std::string hash_of_manifest(const fs::path& folder) {
  return cache::content_hash(capture::read_beside(folder, capture::kManifest).value_or("")).text;
}

std::string remedy_for(const fs::path& folder) {
  return fmt::format("run `tuner replay {}` again", folder.string());
}

template <typename Enum>
Enum named(const CheckedJson& value, std::initializer_list<Enum> all) {
  const auto text = value.as<std::string>();
  const auto found = std::ranges::find_if(all, [&](Enum each) { return to_string(each) == text; });
  if (found == all.end()) value.refuse();
  return *found;
}

PatternResult pattern_in(const CheckedJson& value, std::uint64_t bytes) {
  PatternResult pattern;
  value["output_bytes"].get(pattern.output);
  value["inout_bytes"].get(pattern.depends);
  value["range_count"].get(pattern.ranges);
  if (pattern.output > bytes || pattern.depends > bytes - pattern.output || pattern.ranges > bytes) value.refuse();
  pattern.follows = bytes - pattern.output - pattern.depends;
  value["ranges"].each(kMostRanges, [&](const CheckedJson& pair) {
    ByteRange range;
    std::size_t end = 0;
    pair.each(2, [&](const CheckedJson& limit) { limit.get(end++ == 0 ? range.begin : range.end); });
    const std::uint64_t last = pattern.written.empty() ? 0 : pattern.written.back().end;
    if (end != 2 || range.begin < last || range.end <= range.begin || range.end > bytes) pair.refuse();
    pattern.written.push_back(range);
  });
  return pattern;
}

MemoryFacts memory_in(const CheckedJson& value, std::uint64_t bytes) {
  MemoryFacts facts;
  if (value["bytes"].as<std::uint64_t>() != bytes) value["bytes"].refuse();
  facts.use = named(value["use"], {MemoryUse::unreached, MemoryUse::in, MemoryUse::out, MemoryUse::inout});
  value["certain"].get(facts.is_certain);
  facts.replayed.is_reached = facts.use != MemoryUse::unreached;
  value["own_address"].get(facts.replayed.is_at_own_address);
  value["missing"].get(facts.replayed.is_missing);
  value["pointers"].get(facts.replayed.pointers);
  value["different_bytes"].get(facts.replayed.different);
  value["permuted_records"].get(facts.replayed.permuted);
  if (const CheckedJson written = value["written"]; !written.is_null()) facts.pattern = pattern_in(written, bytes);
  return facts;
}

ReplayedLaunch launch_in(const CheckedJson& value, const StoredLaunch& launch) {
  ReplayedLaunch replayed;
  replayed.verdict = named(value["verdict"], {ReplayVerdict::exact, ReplayVerdict::close, ReplayVerdict::same_set,
                                              ReplayVerdict::not_repeatable, ReplayVerdict::not_run});
  if (const CheckedJson reason = value["reason"]; !reason.is_null()) reason.get(replayed.reason);
  value["own_addresses"].get(replayed.at_own_addresses);
  value["workers_lost"].get(replayed.workers_lost);
  const capture::MemoryMap map(launch);
  std::vector<std::vector<ArrayFact>> arrays = arrays_of(launch, map);
  value["memory"].each(map.size(), [&](const CheckedJson& memory) {
    const std::size_t position = replayed.memories.size();
    replayed.memories.push_back(memory_in(memory, map[position].before.size));
    replayed.memories.back().arrays = std::move(arrays[position]);
  });
  if (replayed.memories.size() != map.size()) value["memory"].refuse();
  return replayed;
}

}  // namespace

KnownReplays stored_replays(const fs::path& folder, const capture::Capture& capture) {
  KnownReplays known;
  const std::optional<std::string> text = capture::read_beside(folder, kReplayFile);
  if (!text) return known;
  const std::string name = (folder / kReplayFile).string(), remedy = remedy_for(folder);
  const auto damaged = [&](std::string_view how) {
    throw Error(Errc::store_damaged, fmt::format("{} {}: {}.", name, how, remedy));
  };
  const json parsed = capture::parse_json_object(*text);
  if (parsed.is_null()) damaged("is damaged");
  const CheckedJson file(parsed, "", name, remedy);
  const auto format = file["format"].as<std::uint64_t>();
  if (format == 0) file["format"].refuse();
  if (format > kFormat) {
    throw Error(Errc::store_newer,
                fmt::format("{} has format {}, and this version reads {}: {}.", name, format, kFormat, remedy));
  }
  if (file["manifest"].as<std::string>() != hash_of_manifest(folder))
    damaged("does not belong to the manifest beside it");
  file["launches"].each(capture.launches.size(), [&](const CheckedJson& launch) {
    const auto number = launch["launch"].as<std::size_t>();
    if (number == 0 || number > capture.launches.size() || known.contains(number - 1)) launch["launch"].refuse();
    known.emplace(number - 1, launch_in(launch, capture.launches[number - 1]));
  });
  return known;
}

void store_replays(const fs::path& folder, const capture::Capture& capture, const KnownReplays& replays) {
  KnownReplays known = replays;
  try {
    known.merge(stored_replays(folder, capture));
  } catch (const Error&) {
    // What cannot be read is replaced.
  }
  ordered_json launches = ordered_json::array();
  for (const auto& [position, replayed] : known)
    launches.push_back(replayed_json(capture.launches.at(position), position, replayed));
  const ordered_json file{{"format", kFormat},
                          {"tuner", kVersion},
                          {"manifest", hash_of_manifest(folder)},
                          {"launches", std::move(launches)}};
  cache::FreshFile fresh(folder / kReplayFile, true, cache::FreshFile::Kind::text);
  fchmod(fresh.descriptor(), 0600);  // as everything else there
  fresh.append(file.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n");
  fresh.publish();
}

}  // namespace tuner::engine
