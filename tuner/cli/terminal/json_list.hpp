#pragma once

#include <nlohmann/json.hpp>

namespace tuner::cli {

/// An array with what `to_json` makes of each item.
template <class Items, class ToJson>
nlohmann::ordered_json json_list(const Items& items, ToJson to_json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

}  // namespace tuner::cli
