#include "tuner/core/report/record_json.hpp"

namespace tuner {

namespace {

OrderedJson by_width_json(const GlobalLoads::ByWidth& count) {
  return {{"narrower", count[0]}, {"bits_32", count[1]}, {"bits_64", count[2]}, {"bits_128", count[3]}};
}

OrderedJson loads_json(const std::optional<GlobalLoads>& loads) {
  if (!loads) return nullptr;
  return {{"widest_bits", loads->widest_bits()},
          {"to_registers", by_width_json(loads->to_registers)},
          {"to_shared", by_width_json(loads->to_shared)},
          {"waits_in_loop", or_null(loads->waits_in_loop)}};
}

}  // namespace

OrderedJson conditions_json(const cache::Conditions& conditions) {
  return {{"tuner", text_or_null(conditions.tuner_version)},
          {"toolkit", text_or_null(conditions.toolkit)},
          {"driver", text_or_null(conditions.driver)}};
}

OrderedJson ties_json(const std::vector<cache::Tie>& ties) {
  OrderedJson list = OrderedJson::array();
  for (const cache::Tie& tie : ties) {
    list.push_back({{"configuration", tie.configuration}, {"relative_time", tie.relative_time}});
  }
  return list;
}

OrderedJson facts_json(const cache::ResourceFacts& facts, const CodeFacts& code) {
  RecordJson fields;
  describe(fields, facts);
  OrderedJson hash = fields.object.at("binary_hash");
  fields.object.erase("binary_hash");
  fields.object["idle_registers"] = or_null(code.idle_registers);
  fields.object["global_loads"] = loads_json(code.loads);
  fields.object["binary_hash"] = std::move(hash);
  return fields.object;
}

OrderedJson chosen(const OrderedJson& object, std::initializer_list<const char*> keys) {
  OrderedJson result = OrderedJson::object();
  for (const char* const key : keys) result[key] = object.at(key);
  return result;
}

}  // namespace tuner
