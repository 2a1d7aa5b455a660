#include "tuner/cli/capture/replay_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/reach.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/replay/launch_facts.hpp"
#include "tuner/engine/replay/replay_json.hpp"
#include "tuner/engine/replay/stored_replay.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/engine/workplace/find_devices.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {
namespace {

using capture::MemoryMap;
using capture::StoredLaunch;
using engine::ArrayFact;
using engine::MemoryFacts;
using engine::MemoryUse;
using engine::PatternResult;
using engine::ReplayVerdict;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 40;

std::string written_text(const MemoryFacts& facts, std::uint64_t bytes) {
  if (facts.use != MemoryUse::out && facts.use != MemoryUse::inout) return "";
  if (!facts.pattern) return "not known";
  const PatternResult& pattern = *facts.pattern;
  const std::uint64_t written = pattern.output + pattern.depends;
  if (written == 0) return "what was there";
  if (written == bytes) return "all of it";
  if (pattern.ranges == 1)
    return fmt::format("{} to {}", grouped(pattern.written.front().begin), grouped(pattern.written.front().end));
  return fmt::format("{} bytes in {} ranges", grouped(written), grouped(pattern.ranges));
}

std::string parameter_text(const engine::PointerParameter& from) {
  return from.inside == 0 ? fmt::format("parameter {}", from.parameter + 1)
                          : fmt::format("parameter {} + {}", from.parameter + 1, from.inside);
}

/// "[parameter 3 x parameter 4]", where parameters say how many elements there are.
std::string size_text(const ArrayFact& array) {
  if (array.sizes.empty()) return "";
  const engine::SizeFact& size = array.sizes.front();
  std::string text;
  for (const std::size_t parameter : size.parameters)
    text += fmt::format("{}parameter {}", text.empty() ? "" : " x ", parameter + 1);
  const bool is_plain = size.element_bytes == (array.element ? size_of(*array.element) : 1);
  return is_plain ? fmt::format("[{}]", text) : fmt::format("[{}] of {} bytes", text, size.element_bytes);
}

/// "parameter 1: float32[parameter 3]".
std::string arrays_text(const MemoryFacts& facts) {
  std::string text;
  for (const ArrayFact& array : facts.arrays) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", parameter_text(array.from));
    if (array.from.offset != 0) text += fmt::format(" at {}", grouped(array.from.offset));
    const std::string type = array.element ? std::string(to_string(*array.element)) : std::string();
    const std::string what = type + size_text(array);
    if (!what.empty()) text += ": " + what;
  }
  return text;
}

std::string place_text(const MemoryFacts& facts, bool is_variable) {
  if (facts.replayed.is_missing) return "not placed";
  if (!facts.replayed.is_reached || is_variable) return "";
  return facts.replayed.is_at_own_address ? "where it lay" : "elsewhere";
}

std::string used_memory_text(const StoredLaunch& launch, const engine::ReplayedLaunch& replayed) {
  using Align = Table::Align;
  const MemoryMap map(launch);
  Table table({{"memory"}, {"bytes", Align::right}, {"use"}, {"lies"}, {"written"}, {"from"}});
  std::size_t shown = 0, unreached = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const MemoryFacts& facts = replayed.memories[i];
    if (facts.use == MemoryUse::unreached && !facts.replayed.is_missing) {
      ++unreached;
      continue;
    }
    if (shown++ >= kMostShown) continue;
    const bool is_variable = map.is_variable(i);
    table.add({is_variable ? fmt::format("variable {}", i - launch.allocations.size() + 1)
                           : fmt::format("allocation {}", i + 1),
               grouped(map[i].before.size), fmt::format("{}{}", to_string(facts.use), facts.is_certain ? "" : "?"),
               place_text(facts, is_variable), written_text(facts, map[i].before.size),
               is_variable ? one_line(capture::readable_name(map[i].name)) : arrays_text(facts)});
  }
  std::string text = shown == 0 ? std::string() : table.text(output_width());
  if (shown > kMostShown) text += fmt::format("  {} more with `--json`\n", shown - kMostShown);
  if (unreached > 0) text += fmt::format("  {} not reached\n", counted(unreached, "allocation"));
  return text;
}

std::string replayed_text(const StoredLaunch& launch, const FolderReplay::Launch& each) {
  const engine::ReplayedLaunch& replayed = each.replayed;
  std::string said =
      fmt::format("Launch {} of {}: {}.", each.position + 1,
                  one_line(capture::short_name(capture::readable_name(launch.kernel))), to_string(replayed.verdict));
  if (!replayed.reason.empty()) said += " " + one_line(replayed.reason);
  std::string text = labelled("", said);
  if (replayed.verdict == ReplayVerdict::not_run) return text;
  if (replayed.at_own_addresses)
    text += "  All of its memory lies where it lay in the program: elsewhere it does something else, or less.\n";
  return text + used_memory_text(launch, replayed);
}

/// For `tuner new --capture`. A folder that belongs to somebody else stays as it is.
void keep(const FolderReplay& replay, const std::filesystem::path& folder, const capture::Capture& capture) {
  engine::KnownReplays known;
  for (const FolderReplay::Launch& each : replay.launches) known.emplace(each.position, each.replayed);
  if (known.empty()) return;
  try {
    engine::store_replays(folder, capture, known);
  } catch (const Error& error) {
    warn(fmt::format("What was found out is not kept in the folder: {}", error.what()));
  }
}

}  // namespace

bool FolderReplay::all_repeatable() const {
  return std::ranges::all_of(launches,
                             [](const Launch& each) { return each.replayed.verdict < ReplayVerdict::not_repeatable; });
}

std::string FolderReplay::text(const capture::Capture& capture) const {
  std::string text;
  for (const Launch& each : launches)
    text += (text.empty() ? "" : "\n") + replayed_text(capture.launches[each.position], each);
  return text;
}

Json FolderReplay::json(const capture::Capture& capture) const {
  Json list = Json::array();
  for (const Launch& each : launches)
    list.push_back(engine::replayed_json(capture.launches[each.position], each.position, each.replayed));
  return list;
}

FolderReplay replay_folder(const ReplayRequest& request, const capture::Capture& capture,
                           const std::atomic<bool>& stop) {
  std::optional<engine::Turn> turn;
  const auto take_turn = [&](const DeviceInfo& device) {
    engine::TurnWait wait;
    wait.gives_up = [&] { return stop.load(); };
    wait.waits = [](const std::string& busy) {
      warn(fmt::format("{}: waiting for it to end. Ctrl-C stops waiting.", busy));
    };
    wait.warning = [](const std::string& sentence) { warn(sentence); };
    engine::take_gpu(device, wait, turn.emplace());
  };
  engine::Replays replays(
      [&](std::uint64_t padding) {
        auto lane = std::make_unique<engine::DeviceProcessLane>(engine::DeviceLaneOptions{
            .ordinal = request.ordinal, .fixed_addresses = true, .address_padding = padding, .stop = &stop});
        const DeviceInfo& device = engine::wait_for_gpu(*lane, request.ordinal);
        if (!turn) take_turn(device);
        return lane;
      },
      request.folder, capture, {.launch_timeout = request.launch_timeout}, stop);
  FolderReplay result;
  for (std::size_t position = 0; position < capture.launches.size() && !stop; ++position) {
    if (request.launch && position != *request.launch) continue;
    std::optional<engine::ReplayedLaunch> replayed = replays.run(position);
    if (!replayed) break;
    result.launches.push_back({position, std::move(*replayed)});
  }
  keep(result, request.folder, capture);
  return result;
}

}  // namespace tuner::cli
