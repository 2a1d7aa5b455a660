#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/engine/recording/foreign_json.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {

/// The configuration of a row: a value by name.
using NamedValues = std::vector<std::pair<std::string, search::Value>>;

/// Collects what another tuner measured as the rows of a recording, and its parameters with them.
class ForeignRows {
 public:
  explicit ForeignRows(Recording& recording) : recording_(recording) {}

  /// A parameter and the values that it may have, before any row; for files that say so. Fails at `node` for a name
  /// that no parameter can have.
  void declare(const JsonNode& node, std::string_view name, const std::vector<search::Value>& values);
  /// The next row. Where nothing was declared, the first one says which parameters there are. A configuration that
  /// occurs again, as in the log of a search, is left out. Fails at `node` for another set of names, for a value that
  /// was not declared.
  /// Of its samples only their scatter is kept: nothing was taken side by side, so that no race can be held with them.
  void add(const JsonNode& node, const NamedValues& values, RecordedTrial trial);
  /// Gives values that were collected from rows their order, and names what rows are compared with: the first that ran,
  /// in the order of the values.
  /// Fails at `node` if there is no row.
  void finish(const JsonNode& node);

 private:
  std::uint32_t choice(const JsonNode& node, std::size_t parameter, const search::Value& value);
  void sort_values(std::size_t parameter);

  Recording& recording_;
  bool declared_ = false;
  std::vector<std::unordered_map<std::string, std::uint32_t>> positions_;  ///< of values, by parameter and text
  std::set<search::Configuration> known_;
};

/// The time of a configuration that ran, from a number of the file. Zero, NaN, null and negative numbers are what a
/// tuner writes where it could not measure: then the configuration failed.
void take_time(const JsonNode& time, double unit_ns, RecordedTrial& trial);
/// Times of one configuration in nanoseconds, from numbers of a JSON list, without those that are no time.
std::vector<double> foreign_samples(const JsonNode& list, double unit_ns);
/// A time in milliseconds that was spent on a row; 0 if it is not there. Fails if it is negative.
double spent_ms(const JsonNode& row, std::string_view key, double unit_ns = 1e6);
/// Nanoseconds of a unit, by the names that tuners use: `ms`, `Milliseconds`, …. Fails for another one.
double unit_ns(const JsonNode& unit);

}  // namespace tuner::engine
