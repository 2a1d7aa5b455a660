#include "tuner/explain/explanation_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/core/report/record_json.hpp"
#include "tuner/explain/rules.hpp"

namespace tuner::explain {

namespace {

using Json = nlohmann::ordered_json;
Json ratio_json(const TimeRatio& ratio) {
  return {{"ratio", ratio.value},
          {"low", ratio.low},
          {"high", std::isfinite(ratio.high) ? Json(ratio.high) : Json(nullptr)}};
}

Json widths_json(const GlobalLoads::ByWidth& count) {
  return {{"narrower", count[0]}, {"bits_32", count[1]}, {"bits_64", count[2]}, {"bits_128", count[3]}};
}

Json code_json(const std::optional<MachineCode>& code) {
  if (!code) return nullptr;
  const auto counts_json = [](const CodeCounts& counts) {
    Json by_work = Json::object();
    for (std::size_t i = 0; i < kWorkKinds; ++i) by_work[std::string(work_name(Work(i)))] = counts.by_work[i];
    return Json{{"instructions", counts.instructions},
                {"by_work", std::move(by_work)},
                {"local_loads", counts.local_loads},
                {"local_stores", counts.local_stores},
                {"shared_loads", widths_json(counts.shared_loads)},
                {"shared_stores", widths_json(counts.shared_stores)},
                {"global_atomics", counts.global_atomics},
                {"shared_atomics", counts.shared_atomics},
                {"double_conversions", counts.double_conversions}};
  };
  return {{"all", counts_json(code->all)},
          {"loop", code->loop ? counts_json(*code->loop) : Json(nullptr)},
          {"loads_under_way", code->under_way.loads},
          {"bytes_under_way", code->under_way.bytes},
          {"under_way_in_loop", code->under_way.in_loop}};
}

Json residency_json(const std::optional<Residency>& resident) {
  if (!resident) return nullptr;
  return {{"blocks", resident->blocks},
          {"threads", resident->threads},
          {"occupancy", resident->occupancy},
          {"limiter", resource_name(resident->limiter)}};
}

}  // namespace

Json configuration_json(const ConfigurationFacts& facts) {
  CodeFacts code;
  code.idle_registers = facts.idle_registers;
  if (facts.code) code.loads = facts.code->loads;
  Json counters = Json::object();
  for (const auto& [name, value] : facts.counters) counters[name] = value;
  return {{"name", facts.name},
          {"configuration", facts.configuration},
          {"time_us", microseconds(facts.time_ns)},
          {"launch", or_null(launch_text(facts))},
          {"facts", tuner::facts_json(facts.resources, code)},
          {"resident", residency_json(facts.resident)},
          {"bytes_under_way", or_null(facts.bytes_under_way)},
          {"code", code_json(facts.code)},
          {"counters", facts.counters.empty() ? Json(nullptr) : std::move(counters)}};
}

std::string to_json(const Explanation& explanation) {
  Json findings = Json::array(), path = Json::array(), interactions = Json::array();
  for (const Finding& finding : explanation.findings) {
    findings.push_back({{"cause", finding.cause},
                        {"claim", claim_name(finding.claim)},
                        {"sentence", finding.sentence},
                        {"slower", finding.slower},
                        {"faster", finding.faster},
                        {"strength", finding.strength}});
  }
  for (const ExplainedStep& step : explanation.path) {
    path.push_back({{"change", step.assignments},
                    {"time", ratio_json(step.time)},
                    {"share", or_null(step.share)},
                    {"idle", step.is_idle}});
  }
  for (const ExplainedInteraction& both : explanation.interactions)
    interactions.push_back({{"first", both.first}, {"second", both.second}, {"time", ratio_json(both.time)}});
  Json roofline(nullptr);
  if (explanation.roofline) {
    roofline = {{"share", explanation.roofline->share},
                {"bound_us", explanation.roofline->bound.time_ns / 1e3},
                {"text", explanation.roofline->bound_text}};
  }
  const Json object{{"format", 1},
                    {"kernel", explanation.kernel},
                    {"file", text_or_null(explanation.file)},
                    {"problem", explanation.problem},
                    {"device", explanation.device},
                    {"mode", explanation.mode},
                    {"from", configuration_json(explanation.from)},
                    {"to", configuration_json(explanation.to)},
                    {"time", explanation.time ? ratio_json(*explanation.time) : Json(nullptr)},
                    {"blocks", explanation.blocks},
                    {"noisy", explanation.is_noisy},
                    {"findings", std::move(findings)},
                    {"path", std::move(path)},
                    {"interactions", std::move(interactions)},
                    {"path_failures", explanation.path_failures},
                    {"path_note", text_or_null(explanation.path_note)},
                    {"next_steps", explanation.next_steps},
                    {"roofline", std::move(roofline)},
                    {"no_counters", text_or_null(explanation.no_counters)},
                    {"warnings", explanation.warnings}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::explain
