#include <string>

#include "tuner/core/report/payback.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/task/doubts_json.hpp"
#include "tuner/effort.hpp"

namespace tuner {

namespace {

using Json = OrderedJson;

constexpr int kFormat = 1;

Json winner_json(const TuneReport& report) {
  const cache::Decision& decision = report.decision;
  if (!decision.has_winner()) return nullptr;
  return {{"configuration", decision.configuration},
          {"excluded", report.winner_excluded},
          {"time_us", decision.time_ns / 1e3},
          {"launch", text_or_null(decision.launch)},
          {"verified", decision.verified},
          {"awkward_problems", report.awkward_problems},
          {"awkward_note", text_or_null(report.awkward_note)},
          {"noisy", decision.noisy},
          {"contended", decision.contended},
          {"bytes_per_second", or_null(report.bytes_per_second)},
          {"flops_per_second", or_null(report.flops_per_second)},
          {"facts", facts_json(report.winner_facts, report.winner_code)}};
}

Json baseline_json(const TuneReport& report) {
  const cache::Decision& decision = report.decision;
  if (!decision.has_baseline()) return nullptr;
  std::uint64_t excluded = 0;
  for (const NotCompared& each : report.not_compared) excluded += each.elements;
  return {{"configuration", decision.baseline},
          {"time_us", microseconds(decision.baseline_time_ns)},
          {"excluded_words", excluded},
          {"facts", facts_json(report.baseline_facts, report.baseline_code)}};
}

Json speedup_json(const cache::Decision& decision) {
  if (!decision.speedup) return nullptr;
  return {{"over", "baseline"},
          {"ratio", *decision.speedup},
          {"low", or_null(decision.speedup_low)},
          {"high", or_null(decision.speedup_high)},
          {"confidence", decision.confidence},
          {"race_blocks", decision.race_blocks}};
}

/// Whether the interval of a finalist's ratio says something: one without width comes from samples that never differ.
bool known(const FinalistReport& finalist, const TuneReport& report) {
  return finalist.relative_low < finalist.relative_high || finalist.configuration == report.decision.configuration;
}

Json finalists_json(const TuneReport& report) {
  Json list = Json::array();
  for (const FinalistReport& finalist : report.finalists) {
    Json samples = Json::array();
    for (const double sample : finalist.samples_ns) samples.push_back(sample / 1e3);
    list.push_back({{"configuration", finalist.configuration},
                    {"time_us", finalist.time_ns / 1e3},
                    {"samples_us", std::move(samples)},
                    {"relative_time", finalist.relative_time},
                    {"relative_low", known(finalist, report) ? Json(finalist.relative_low) : Json(nullptr)},
                    {"relative_high", known(finalist, report) ? Json(finalist.relative_high) : Json(nullptr)},
                    {"tied", finalist.tied},
                    {"is_baseline", finalist.is_baseline},
                    {"differing_parameters", finalist.differing_parameters},
                    {"facts", facts_json(finalist.facts, finalist.code)}});
  }
  return list;
}

Json data_json(const TuneReport& report) {
  Json list = Json::array();
  for (const DataReport& data : report.data) {
    list.push_back({{"argument", data.argument},
                    {"file", data.file},
                    {"hash", data.hash},
                    {"role", data.is_expected ? "expected" : "input"}});
  }
  return list;
}

Json failures_json(const TuneReport& report) {
  Json list = Json::array();
  for (const FailureReport& failure : report.failures) {
    list.push_back({{"outcome", to_string(failure.outcome)},
                    {"count", failure.count},
                    {"example_configuration", failure.example_configuration},
                    {"example_message", failure.example_message}});
  }
  return list;
}

}  // namespace

Json not_compared_json(const std::vector<NotCompared>& not_compared) {
  Json list = Json::array();
  for (const auto& [buffer, elements, first, of] : not_compared) {
    list.push_back({{"buffer", buffer}, {"elements", elements}, {"first", first}, {"of", of}});
  }
  return list;
}

Json unproven_json(const std::vector<Unproven>& unproven) {
  Json list = Json::array();
  for (const auto& [buffer, why, elements, of] : unproven) {
    list.push_back({{"buffer", buffer}, {"why", to_string(why)}, {"elements", elements}, {"of", of}});
  }
  return list;
}

Json beyond_memory_json(const std::optional<BeyondMemory>& beyond) {
  if (!beyond) return nullptr;
  return {{"bytes_per_second", beyond->bytes_per_s},
          {"memory_bytes_per_second", beyond->rates.memory},
          {"l2_cache_bytes_per_second", beyond->rates.l2_cache},
          {"beyond_l2_cache", beyond->beyond_l2_cache()}};
}

Json like_rounding_json(const std::optional<LikeRoundingSummary>& rejected) {
  if (!rejected) return nullptr;
  const auto& [buffer, atol, time_ns] = rejected->fastest;
  return {{"configurations", rejected->configurations}, {"time_us", time_ns / 1e3}, {"buffer", buffer}, {"atol", atol}};
}

Json budget_json(const TuneReport& report) {
  const ReportBudget& budget = report.budget;
  if (!budget.any()) return nullptr;
  return {{"configurations", or_null(budget.evaluations)},
          {"seconds", or_null(budget.seconds)},
          {"share", or_null(budget.share)},
          {"target_us", microseconds(budget.target_ns)},
          {"target_speedup", or_null(budget.target_speedup)},
          {"roofline", or_null(budget.roofline)},
          {"idle", or_null(budget.idle)},
          {"gain", or_null(budget.gain)}};
}

Json roofline_json(const std::optional<RooflineReport>& roofline) {
  if (!roofline) return nullptr;
  return {{"share", roofline->share},
          {"bound_us", microseconds(roofline->bound.time_ns)},
          {"bound_by", roofline->bound.by == RooflineBound::By::bandwidth ? "bandwidth" : "arithmetic"},
          {"bytes_per_second", or_null(roofline->rates.bytes_per_s)},
          {"flops_per_second", or_null(roofline->rates.flops_per_s)}};
}

Json payback_json(const std::optional<Payback>& pays) {
  if (!pays) return nullptr;
  return {{"tuning_s", pays->tuning_s},
          {"launches", or_null(pays->launches)},
          {"launches_low", or_null(pays->fewest)},
          {"launches_high", or_null(pays->most)}};
}

/// A product of value counts may be beyond every integer; as long as it is not, it is printed as the count it is.
Json count_json(double count) {
  if (count < 9e15) return static_cast<std::uint64_t>(count);
  return count;
}

Json chance_left_json(const TuneReport& report) {
  if (!report.chance_left || !report.is_belief_judged()) return nullptr;
  return *report.chance_left;
}

std::string to_json(const TuneReport& report, bool with_times) {
  const cache::Decision& decision = report.decision;
  Json object{{"format", kFormat},
              {"kernel", report.kernel},
              {"file", text_or_null(report.file)},
              {"problem", report.problem},
              {"device", report.device},
              {"mode", text_or_null(report.mode)},
              {"strategy", report.from_store ? Json(nullptr) : Json(report.strategy)},
              {"seed", report.from_store ? Json(nullptr) : Json(report.seed)},
              {"data", data_json(report)},
              {"where", report.where},
              {"budget", budget_json(report)},
              {"replayed", report.replayed},
              {"replay_note", report.replayed ? Json(report.replay_file + ", " + report.replay_note) : Json(nullptr)},
              {"effort", report.effort ? Json(to_string(*report.effort)) : Json(nullptr)},
              {"from_store", report.from_store},
              {"decision_effort", decision.effort ? Json(to_string(*decision.effort)) : Json(nullptr)},
              {"interrupted", report.interrupted},
              {"stopped_because", text_or_null(report.stopped_because)},
              {"chance_left", chance_left_json(report)},
              {"warm_start", {{"tried", report.warm_start.tried}, {"won", report.warm_start.won}}},
              {"space_size", report.space_size},
              {"cartesian_size", count_json(report.cartesian_size)},
              {"winner", winner_json(report)},
              {"baseline", baseline_json(report)},
              {"not_compared", not_compared_json(report.not_compared)},
              {"unproven", unproven_json(report.unproven)},
              {"beyond_memory", beyond_memory_json(beyond_memory_in(decision.counters))},
              {"like_rounding", like_rounding_json(like_rounding_in(decision.counters))},
              {"roofline", roofline_json(report.roofline)},
              {"speedup", speedup_json(decision)},
              {"ties", ties_json(decision.ties)},
              {"finalists", finalists_json(report)},
              {"failures", failures_json(report)},
              {"counters", decision.counters},
              {"conditions", conditions_json(decision.conditions)},
              {"warnings", report.warnings}};
  if (with_times) {
    object["session"] = report.session;
    object["created_unix_ms"] = decision.created_unix_ms == 0 ? Json(nullptr) : Json(decision.created_unix_ms);
    object["payback"] =
        payback_json(report.from_store ? stored_payback(decision) : payback(decision, report.time.tuning_s()));
    const Stored& stored = report.stored;
    object["stored_in"] = text_or_null(stored.everything() && stored.anything() ? report.stored_in : "");
    object["stored"] = {{"trials", report.stored_in.empty() ? 0 : stored.trials},
                        {"of_trials", stored.of_trials},
                        {"decision", !report.stored_in.empty() && stored.decision}};
    object["time_spent"] = {
        {"total_s", report.time.total_s},           {"starting_s", report.time.starting_s},
        {"waiting_s", report.time.waiting_s},       {"loading_s", report.time.loading_s},
        {"verifying_s", report.time.verifying_s},   {"timing_s", report.time.timing_s},
        {"exchanging_s", report.time.exchanging_s}, {"deciding_s", report.time.deciding_s()},
        {"ending_s", report.time.ending_s},         {"compile_cpu_s", report.time.compile_cpu_s},
        {"storing_s", report.time.storing_s},       {"screening_gpu_s", report.time.screening_gpu_s},
        {"racing_gpu_s", report.time.racing_gpu_s}};
  }
  // Compilers and file names are not bound to be valid UTF-8; a report must never fail for that.
  return object.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tuner
