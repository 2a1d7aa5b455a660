#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "search/expression/value.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/problem.hpp"

namespace tuner {

search::Value search_value(const ProblemValue& value);

/// Same kind and same value, bit for bit: 2 and 2.0 are different keys.
bool same(const ProblemValue& a, const ProblemValue& b);
/// Equal for values that are the same.
std::uint64_t hash_of(std::uint64_t context, std::span<const ProblemValue> values);

/// The values of one request, words included.
class StoredValues {
 public:
  explicit StoredValues(std::span<const ProblemValue> values);
  StoredValues(const StoredValues&) = delete;
  StoredValues& operator=(const StoredValues&) = delete;
  bool equals(std::span<const ProblemValue> values) const;

 private:
  std::string words_;  ///< what the words among the values refer to
  std::vector<ProblemValue> values_;
};

/// Values in declared order with their names. Throws Error{bad_problem} if there are more than properties.
ProblemValues named_values(const KernelDescription& description, std::span<const ProblemValue> values);

}  // namespace tuner
