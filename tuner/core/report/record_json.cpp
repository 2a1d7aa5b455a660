#include "tuner/core/report/record_json.hpp"

namespace tuner {
namespace {

/// "time_us" for "time_ns"
std::string in_microseconds(std::string_view name) {
  return std::string(name.substr(0, name.size() - 2)) + "us";
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

void RecordJson::operator()(std::string_view name, const std::vector<double>& samples_ns) {
  OrderedJson list = OrderedJson::array();
  for (const double sample : samples_ns) list.push_back(sample / 1e3);
  object[in_microseconds(name)] = std::move(list);
}

void RecordJson::number(std::string_view name, const std::optional<double>& value) {
  if (name.ends_with("_ns")) {
    object[in_microseconds(name)] = microseconds(value);
  } else {
    object[std::string(name)] = or_null(value);
  }
}

OrderedJson chosen(const OrderedJson& object, std::initializer_list<const char*> keys) {
  OrderedJson result = OrderedJson::object();
  for (const char* const key : keys) result[key] = object.at(key);
  return result;
}

}  // namespace tuner
