#include "tuner/page/why.hpp"

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace tuner::page {
namespace {

using Json = OrderedJson;

/// The objects of a list, at most as many as a page shows: what else stands there is foreign.
std::vector<Json> objects_of(const Json& list) {
  constexpr std::size_t kMost = 100;
  std::vector<Json> objects;
  if (!list.is_array()) return objects;
  for (const Json& entry : list) {
    if (entry.is_object() && objects.size() < kMost) objects.push_back(entry);
  }
  return objects;
}

/// Those of an object's fields that are texts, numbers or truth values; null for the others.
Json plain_fields(const Json& object, std::initializer_list<const char*> keys) {
  Json kept = Json::object();
  for (const char* const key : keys) {
    const Json value = object.value(key, Json(nullptr));
    kept[key] = value.is_primitive() ? value : Json(nullptr);
  }
  return kept;
}

/// A share that can be shown; null for what is none, or is beyond 1000 %.
Json share_of(const Json& object) {
  constexpr double kMost = 10;
  const Json share = object.value("share", Json(nullptr));
  return share.is_number() && std::abs(share.get<double>()) <= kMost ? share : Json(nullptr);
}

/// The steps of a path with the ratios of their times. Those that no clock gave, by themselves or with the steps before
/// them, would draw bars without an end: such a step has 1 instead of all three.
Json path_json(const Json& steps) {
  constexpr double kMost = 1e6;
  const auto is_ratio = [](double value) { return std::isfinite(value) && value > 0 && value < kMost; };
  Json path = Json::array();
  double state = 1;
  for (const Json& step : objects_of(steps)) {
    Json shown = plain_fields(step, {"change", "idle"});
    shown["share"] = share_of(step);
    const Json time = step.value("time", Json());
    bool has_ratios = time.is_object();
    for (const char* const key : {"ratio", "low", "high"}) {
      const Json value = has_ratios ? time.value(key, Json(nullptr)) : Json(nullptr);
      has_ratios = value.is_number() && is_ratio(value.get<double>());
      if (has_ratios) shown[key] = value;
    }
    if (has_ratios && is_ratio(state * time["ratio"].get<double>())) {
      state *= time["ratio"].get<double>();
    } else {
      for (const char* const key : {"ratio", "low", "high"}) shown[key] = 1;
    }
    path.push_back(std::move(shown));
  }
  return path;
}

}  // namespace

Json why_json(std::span<const cache::DecisionText> texts) {
  for (const cache::DecisionText& text : texts) {
    if (!cache::is_explanation(text)) continue;
    const Json found = Json::parse(text.text, nullptr, false);
    if (!found.is_object() || (found.contains("format") && found["format"] != 1)) continue;
    Json findings = Json::array();
    for (const Json& finding : objects_of(found.value("findings", Json()))) {
      findings.push_back(plain_fields(finding, {"claim", "sentence"}));
    }
    const Json roofline = found.value("roofline", Json());
    const Json share = roofline.is_object() ? share_of(roofline) : Json(nullptr);
    const bool has_text = !share.is_null() && roofline.value("text", Json()).is_string();
    return {{"findings", std::move(findings)},
            {"path", path_json(found.value("path", Json()))},
            {"share", share},
            {"bound", has_text ? roofline["text"] : Json("")}};
  }
  return nullptr;
}

}  // namespace tuner::page
