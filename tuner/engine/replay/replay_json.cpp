#include "tuner/engine/replay/replay_json.hpp"

#include <utility>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/core/base/element_type.hpp"

namespace tuner::engine {
namespace {

using Json = nlohmann::ordered_json;

Json array_json(const ArrayFact& array) {
  Json sizes = Json::array();
  for (const SizeFact& size : array.sizes) {
    Json parameters = Json::array();
    for (const std::size_t parameter : size.parameters) parameters.push_back(parameter + 1);
    sizes.push_back({{"parameters", std::move(parameters)}, {"element_bytes", size.element_bytes}});
  }
  return {{"parameter", array.from.parameter + 1},
          {"inside", array.from.inside},
          {"offset", array.from.offset},
          {"bytes", array.bytes},
          {"type", array.element ? Json(to_string(*array.element)) : Json(nullptr)},
          {"sizes", std::move(sizes)}};
}

Json memory_json(const MemoryFacts& facts, const capture::StoredMemory& memory) {
  Json object = {{"name", memory.name.empty() ? Json(nullptr) : Json(memory.name)},
                 {"bytes", memory.before.size},
                 {"use", to_string(facts.use)},
                 {"certain", facts.is_certain},
                 {"own_address", facts.replayed.is_at_own_address},
                 {"missing", facts.replayed.is_missing},
                 {"pointers", facts.replayed.pointers},
                 {"different_bytes", facts.replayed.different},
                 {"permuted_records", facts.replayed.permuted}};
  if (facts.pattern) {
    Json ranges = Json::array();
    for (const ByteRange& range : facts.pattern->written) ranges.push_back({range.begin, range.end});
    object["written"] = {{"output_bytes", facts.pattern->output},
                         {"inout_bytes", facts.pattern->depends},
                         {"range_count", facts.pattern->ranges},
                         {"ranges", std::move(ranges)}};
  } else {
    object["written"] = nullptr;
  }
  object["arrays"] = Json::array();
  for (const ArrayFact& array : facts.arrays) object["arrays"].push_back(array_json(array));
  return object;
}

}  // namespace

Json replayed_json(const capture::StoredLaunch& launch, std::size_t position, const ReplayedLaunch& replayed) {
  const capture::MemoryMap map(launch);
  Json memory = Json::array();
  for (std::size_t i = 0; i < map.size(); ++i) memory.push_back(memory_json(replayed.memories[i], map[i]));
  return {{"launch", position + 1},
          {"kernel", launch.kernel},
          {"verdict", to_string(replayed.verdict)},
          {"reason", replayed.reason.empty() ? Json(nullptr) : Json(replayed.reason)},
          {"own_addresses", replayed.at_own_addresses},
          {"workers_lost", replayed.workers_lost},
          {"memory", std::move(memory)}};
}

}  // namespace tuner::engine
