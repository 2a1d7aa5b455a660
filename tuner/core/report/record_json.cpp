#include "tuner/core/report/record_json.hpp"

namespace tuner {

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

OrderedJson chosen(const OrderedJson& object, std::initializer_list<const char*> keys) {
  OrderedJson result = OrderedJson::object();
  for (const char* const key : keys) result[key] = object.at(key);
  return result;
}

}  // namespace tuner
