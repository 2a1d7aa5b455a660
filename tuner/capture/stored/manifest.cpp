#include "tuner/capture/stored/manifest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/checked_json.hpp"
#include "tuner/error.hpp"

namespace tuner::capture {
namespace {

using Json = nlohmann::ordered_json;
using nlohmann::json;

constexpr std::size_t kMostWords = std::size_t{1} << 16;  // of a command

std::string address_text(std::uint64_t address) {
  return fmt::format("0x{:x}", address);
}

std::string hex_text(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

template <typename Items, typename ToJson>
Json list_of(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

Json text_or_nothing(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json facts_list(const std::vector<NumberedFact>& facts, std::string_view (*name)(int)) {
  return list_of(facts, [&](const NumberedFact& fact) {
    return Json{{"number", fact.number}, {"name", text_or_nothing(name(fact.number))}, {"value", fact.value}};
  });
}

Json memory_json(const StoredMemory& memory) {
  Json object = Json::object();
  if (!memory.name.empty()) object["name"] = memory.name;
  object["address"] = address_text(memory.address);
  object["size"] = memory.before.size;
  object["before"] = memory.before.hash;
  object["after"] = memory.after.hash;
  return object;
}

Json launch_json(const StoredLaunch& launch) {
  const FactsOfLaunch& facts = launch.launch;
  const std::string readable = readable_name(launch.kernel);
  Json object{{"kernel", short_name(readable)},
              {"readable", readable},
              {"mangled", launch.kernel},
              {"ordinal", facts.ordinal},
              {"process", facts.process},
              {"grid", facts.grid},
              {"block", facts.block},
              {"cluster", facts.cluster},
              {"dynamic_shared_bytes", facts.dynamic_shared},
              {"cooperative", facts.cooperative != 0}};
  const Weight& weight = launch.weight;
  object["weight"] =
      weight.launches == 0
          ? Json(nullptr)
          : Json{{"launches", weight.launches}, {"mean_us", weight.mean_ns / 1e3}, {"share", weight.share}};
  object["parameters"] = list_of(launch.parameters, [](const Parameter& parameter) {
    return Json{{"offset", parameter.offset}, {"size", parameter.bytes.size()}, {"bytes", hex_text(parameter.bytes)}};
  });
  object["function_attributes"] = facts_list(launch.attributes, function_attribute_name);
  object["context_limits"] = facts_list(launch.limits, limit_name);
  object["launch_attributes"] = facts_list(launch.launch_attributes, launch_attribute_name);
  object["allocations"] = list_of(launch.allocations, memory_json);
  object["variables"] = list_of(launch.variables, memory_json);
  object["unstored"] = list_of(launch.unstored, [](const UnstoredMemory& memory) {
    return Json{{"kind", memory.kind},
                {"address", address_text(memory.address)},
                {"size", memory.size},
                {"words", memory.words}};
  });
  object["module"] = launch.module.size == 0 ? Json(nullptr)
                                             : Json{{"hash", launch.module.hash},
                                                    {"size", launch.module.size},
                                                    {"toolkit", text_or_nothing(launch.toolkit)}};
  object["call_site"] = list_of(launch.frames, [](const Frame& frame) {
    return Json{{"file", frame.file}, {"offset", address_text(frame.offset)}};
  });
  object["device"] = {{"name", launch.gpu},
                      {"uuid", hex_text(std::as_bytes(std::span(launch.device.uuid)))},
                      {"compute_capability", launch.device.compute_capability},
                      {"driver", launch.device.driver}};
  return object;
}

using Value = CheckedJson;

std::vector<NumberedFact> facts_in(const Value& list) {
  std::vector<NumberedFact> facts;
  list.each(kMostFacts, [&](const Value& value) {
    NumberedFact fact;
    value["number"].get(fact.number);
    value["value"].get(fact.value);
    facts.push_back(fact);
  });
  return facts;
}

std::vector<StoredMemory> memories_in(const Value& list, bool have_names) {
  std::vector<StoredMemory> memories;
  std::vector<Range> ranges;
  list.each(kMostMemories, [&](const Value& value) {
    StoredMemory memory{.address = value["address"].address()};
    if (have_names) value["name"].get(memory.name);
    value["size"].get(memory.before.size);
    memory.after.size = memory.before.size;
    memory.before.hash = value["before"].hash();
    memory.after.hash = value["after"].hash();
    ranges.push_back({memory.address, memory.before.size});
    memories.push_back(std::move(memory));
  });
  if (!are_apart(std::move(ranges), std::numeric_limits<std::uint64_t>::max())) list.refuse();
  return memories;
}

StoredLaunch launch_in(const Value& value) {
  StoredLaunch launch;
  FactsOfLaunch& facts = launch.launch;
  value["mangled"].get(launch.kernel);
  value["ordinal"].get(facts.ordinal);
  value["process"].get(facts.process);
  value["grid"].get_axes(facts.grid);
  value["block"].get_axes(facts.block);
  value["cluster"].get_axes(facts.cluster);
  value["dynamic_shared_bytes"].get(facts.dynamic_shared);
  facts.cooperative = value["cooperative"].as<bool>() ? 1 : 0;
  if (const Value weight = value["weight"]; !weight.is_null()) {
    weight["launches"].get(launch.weight.launches);
    launch.weight.mean_ns = weight["mean_us"].as<double>() * 1e3;
    weight["share"].get(launch.weight.share);
  }
  value["parameters"].each(kMostWords, [&](const Value& parameter) {
    launch.parameters.push_back({parameter["offset"].as<std::uint64_t>(), parameter["bytes"].bytes()});
  });
  launch.attributes = facts_in(value["function_attributes"]);
  launch.limits = facts_in(value["context_limits"]);
  launch.launch_attributes = facts_in(value["launch_attributes"]);
  launch.allocations = memories_in(value["allocations"], false);
  launch.variables = memories_in(value["variables"], true);
  // The first captures do not say it.
  if (value.has("unstored")) {
    value["unstored"].each(kMostMemories, [&](const Value& memory) {
      launch.unstored.push_back({memory["kind"].as<std::string>(), memory["address"].address(),
                                 memory["size"].as<std::uint64_t>(), memory["words"].as<std::uint64_t>()});
    });
  }
  if (const Value module = value["module"]; !module.is_null()) {
    launch.module = {module["hash"].hash(), module["size"].as<std::uint64_t>()};
    launch.toolkit = module["toolkit"].text_or_nothing();
  }
  value["call_site"].each(kMostFrames, [&](const Value& frame) {
    launch.frames.push_back({frame["offset"].address(), frame["file"].as<std::string>()});
  });
  const Value device = value["device"];
  device["name"].get(launch.gpu);
  device["compute_capability"].get(launch.device.compute_capability);
  device["driver"].get(launch.device.driver);
  const std::vector<std::byte> uuid = device["uuid"].bytes();
  if (uuid.size() != sizeof launch.device.uuid) device["uuid"].refuse();
  for (std::size_t i = 0; i < uuid.size(); ++i) launch.device.uuid[i] = static_cast<std::uint8_t>(uuid[i]);
  if (!is_possible(launch)) value.refuse();
  return launch;
}

std::string_view name_in(std::span<const std::string_view> names, int number) {
  return number >= 0 && static_cast<std::size_t>(number) < names.size() ? names[number] : std::string_view{};
}

}  // namespace

Json manifest_json(const Capture& capture) {
  return {{"format", kManifestFormat},
          {"tuner", capture.tuner},
          {"created_unix_ms", capture.created_unix_ms},
          {"command", capture.program.command},
          {"executable", text_or_nothing(capture.program.executable)},
          {"executable_hash", text_or_nothing(capture.program.executable_hash)},
          {"folder", capture.program.folder},
          {"launches", list_of(capture.launches, launch_json)}};
}

Capture capture_from_manifest(std::string_view text, std::string_view name) {
  constexpr std::string_view kRemedy = "capture the program again";
  const json parsed = parse_json_object(text);
  if (parsed.is_null()) {
    throw Error(Errc::store_damaged,
                fmt::format("{} is damaged: it is no JSON of a capture. Capture the program again.", name));
  }
  const Value manifest(parsed, "", name, kRemedy);
  const auto format = manifest["format"].as<std::uint64_t>();
  if (format == 0) manifest["format"].refuse();
  if (format > kManifestFormat) {
    throw Error(Errc::store_newer, fmt::format("{} has format {}, and this version reads {}: use the version of tuner "
                                               "that stored it, or a newer one.",
                                               name, format, kManifestFormat));
  }
  Capture capture;
  manifest["tuner"].get(capture.tuner);
  manifest["created_unix_ms"].get(capture.created_unix_ms);
  manifest["command"].each(kMostWords,
                           [&](const Value& word) { capture.program.command.push_back(word.as<std::string>()); });
  capture.program.executable = manifest["executable"].text_or_nothing();
  capture.program.executable_hash = manifest["executable_hash"].text_or_nothing();
  manifest["folder"].get(capture.program.folder);
  manifest["launches"].each(kMostLaunches, [&](const Value& launch) { capture.launches.push_back(launch_in(launch)); });
  if (capture.launches.empty()) manifest["launches"].refuse();
  return capture;
}

// The numbers are those of cuda.h, which never change.

std::string_view function_attribute_name(int number) {
  static constexpr std::string_view kNames[] = {"max threads per block",
                                                "static shared bytes",
                                                "constant bytes",
                                                "local bytes",
                                                "registers",
                                                "PTX version",
                                                "binary version",
                                                "caches globals in L1",
                                                "max dynamic shared bytes",
                                                "preferred shared memory carveout",
                                                "cluster size must be set",
                                                "required cluster width",
                                                "required cluster height",
                                                "required cluster depth",
                                                "non-portable cluster size allowed",
                                                "cluster scheduling policy"};
  return name_in(kNames, number);
}

std::string_view limit_name(int number) {
  static constexpr std::string_view kNames[] = {"stack bytes",
                                                "printf buffer bytes",
                                                "device heap bytes",
                                                "device runtime synchronisation depth",
                                                "device runtime pending launches",
                                                "max L2 fetch bytes",
                                                "persisting L2 cache bytes"};
  return name_in(kNames, number);
}

std::string_view launch_attribute_name(int number) {
  static constexpr std::string_view kNames[] = {"",
                                                "access policy window",
                                                "cooperative",
                                                "synchronisation policy",
                                                "cluster dimension",
                                                "cluster scheduling policy",
                                                "programmatic stream serialisation",
                                                "programmatic event",
                                                "priority",
                                                "memory synchronisation domain map",
                                                "memory synchronisation domain",
                                                "preferred cluster dimension",
                                                "launch completion event",
                                                "device updatable kernel node",
                                                "preferred shared memory carveout"};
  return name_in(kNames, number);
}

}  // namespace tuner::capture
