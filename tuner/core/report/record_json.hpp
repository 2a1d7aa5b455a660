#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store/decision.hpp"
#include "cache/store/trial.hpp"

namespace tuner {

// Values of records as docs/json.md describes them. Keys keep the order in which they were added.
using OrderedJson = nlohmann::ordered_json;

template <class T>
OrderedJson or_null(const std::optional<T>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}
inline OrderedJson text_or_null(std::string_view text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}
inline OrderedJson microseconds(const std::optional<double>& nanoseconds) {
  return nanoseconds ? OrderedJson(*nanoseconds / 1e3) : OrderedJson(nullptr);
}

OrderedJson conditions_json(const cache::Conditions& conditions);
/// A list of {configuration, relative_time}.
OrderedJson ties_json(const std::vector<cache::Tie>& ties);

/// An object with the fields of a described record: `time_ns` becomes "time_us", and what is not known null. The fields
/// of a record in it stand in its place.
class RecordJson {
 public:
  template <class T>
  void operator()(std::string_view name, const T& member) {
    if constexpr (cache::Described<const T>) {
      describe(*this, member);
    } else {
      object[std::string(name)] = value(member);
    }
  }
  void operator()(std::string_view name, double value) { number(name, value); }
  void operator()(std::string_view name, const std::optional<double>& value) { number(name, value); }
  void operator()(std::string_view name, const std::vector<double>& samples_ns);

  OrderedJson object = OrderedJson::object();

 private:
  template <class T>
  static OrderedJson value(const T& member) {
    return member;
  }
  template <class T>
  static OrderedJson value(const std::optional<T>& member) {
    return or_null(member);
  }
  static OrderedJson value(const std::string& text) { return text_or_null(text); }
  void number(std::string_view name, const std::optional<double>& value);
  static OrderedJson value(Outcome outcome) { return to_string(outcome); }
};

/// These of an object's keys, in this order.
OrderedJson chosen(const OrderedJson& object, std::initializer_list<const char*> keys);

}  // namespace tuner
