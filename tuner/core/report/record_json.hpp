#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/records/trial.hpp"
#include "tuner/core/binary/code_facts.hpp"

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

/// An object with the fields of a described record: `time_ns` becomes "time_us", and what is not known null.
class RecordJson {
 public:
  template <class T>
  void operator()(std::string name, const T& member) {
    const bool is_time = name.ends_with("_ns");
    if (is_time) name.replace(name.size() - 2, 2, "us");
    object[name] = value(member, is_time ? 1e3 : 1);
  }

  OrderedJson object = OrderedJson::object();

 private:
  template <class T>
  static OrderedJson value(const T& member, double) {
    return member;
  }
  template <class T>
  static OrderedJson value(const std::optional<T>& member, double unit) {
    return member ? value(*member, unit) : OrderedJson(nullptr);
  }
  static OrderedJson value(double number, double unit) { return number / unit; }
  static OrderedJson value(const std::vector<double>& numbers, double unit) {
    OrderedJson list = OrderedJson::array();
    for (const double number : numbers) list.push_back(number / unit);
    return list;
  }
  static OrderedJson value(const std::string& text, double) { return text_or_null(text); }
  static OrderedJson value(const cache::Hash& hash, double) { return text_or_null(hash); }
  static OrderedJson value(Outcome outcome, double) { return to_string(outcome); }
};

/// What `facts` is in docs/json.md.
OrderedJson facts_json(const cache::ResourceFacts& facts, const CodeFacts& code);

/// These of an object's keys, in this order.
OrderedJson chosen(const OrderedJson& object, std::initializer_list<const char*> keys);

}  // namespace tuner
