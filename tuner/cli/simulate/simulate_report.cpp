#include "tuner/cli/simulate/simulate_report.hpp"

#include <fmt/format.h>

#include <array>

#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;
using search::Estimate;
using search::Score;

/// Where curves are read, as far as the budget goes.
constexpr std::array<std::size_t, 4> kMarks{25, 50, 100, 200};
constexpr std::size_t kHitMark = 100;

bool in_seconds(const SimulateRequest& request) {
  return request.cost == SimulatedCost::seconds;
}

/// Three decimals, or a dash where the budget ends before.
std::string at(const std::vector<Estimate>& curve, std::size_t mark) {
  return mark <= curve.size() ? fmt::format("{:.3f}", curve[mark - 1].mean) : "-";
}

std::vector<std::string> row(const std::string& name, const std::string& size, const SimulatedScore& scored) {
  const Score& score = scored.score;
  std::vector<std::string> cells{name, size, fmt::format("{:.3f}", score.score.mean)};
  for (const std::size_t mark : kMarks) cells.push_back(at(score.fraction, mark));
  cells.push_back(at(score.hit95, kHitMark));
  cells.push_back(fmt::format("{:.0f}", score.to_95.mean));
  cells.push_back(fmt::format("{:.4g}", scored.suggestion.mean_us));
  cells.push_back(fmt::format("{:.4g}", scored.suggestion.p99_us));
  return cells;
}

std::string heading(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces) {
  std::string text =
      fmt::format("{}, {} each, {} {}, seed {}", counted(spaces.size(), "recording"), counted(request.repeats, "run"),
                  request.budget, in_seconds(request) ? "units of time" : "evaluations", request.seed);
  if (request.batch > 1) text += fmt::format(", asked for {} at a time", request.batch);
  if (request.noise == search::Noise::recorded) text += ", with the recorded noise";
  if (request.permute) text += ", parameters renamed and permuted";
  if (request.promising) {
    text += fmt::format(", given the {} {} of {}", request.promising->count,
                        request.promising->worst ? "slowest" : "fastest", request.promising->file.string());
  }
  return printable(text) + "\n\n";
}

std::string legend(const SimulateRequest& request, const std::vector<StrategyScores>& strategies) {
  std::string text = "\n";
  const std::string unit = in_seconds(request) ? "units" : "evaluations";
  text += labelled("score  ", fmt::format("0 is random search, 1 the optimum at once; mean over 1 to {} {}{}",
                                          request.budget, unit, request.budget == 200 ? " (score_f200)" : ""));
  std::string errors;
  for (const StrategyScores& scores : strategies) {
    errors +=
        fmt::format("{}{} {:.3f}", errors.empty() ? "" : ", ", scores.strategy, scores.mean.score.score.standard_error);
  }
  if (request.repeats == 1) errors = "unknown, from one run";
  text += labelled("       ", "standard error of its mean: " + errors);
  text += labelled("@N     ", fmt::format("optimum / best of the first N {}, mean over runs", unit));
  text += labelled("hit95  ", fmt::format("share of runs with 0.95 or more after {} {}", kHitMark, unit));
  text += labelled("to95   ", fmt::format("{} until 0.95; {} for a run that does not reach it", unit, request.budget));
  text += labelled("us     ", "microseconds of CPU time for each suggestion; p99 over all");
  if (in_seconds(request)) {
    text += labelled("unit_s ", "mean seconds for compiling, checking and timing a row");
  }
  return text;
}

Json estimate_json(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"standard_error", estimate.standard_error}};
}

Json curve_json(const std::vector<Estimate>& curve) {
  return json_list(curve, [](const Estimate& estimate) { return estimate.mean; });
}

Json score_json(const SimulatedScore& scored) {
  Json marks = Json::array();
  const Score& score = scored.score;
  for (const std::size_t mark : kMarks) {
    if (mark > score.fraction.size()) continue;
    marks.push_back({{"evaluations", mark},
                     {"fraction", estimate_json(score.fraction[mark - 1])},
                     {"hit95", estimate_json(score.hit95[mark - 1])}});
  }
  return {{"score", estimate_json(score.score)},
          {"at", std::move(marks)},
          {"to_95", estimate_json(score.to_95)},
          {"evaluations", scored.evaluations},
          {"suggestion_us", {{"mean", scored.suggestion.mean_us}, {"p99", scored.suggestion.p99_us}}},
          {"fractions", curve_json(score.fraction)}};
}

Json simulated_space_json(const SimulateRequest& request, const SimulatedSpace& space) {
  const auto random = space.yardstick.random();
  return {{"file", space.file},
          {"name", space.name},
          {"kernel", space.kernel},
          {"device", space.device},
          {"rows", space.recorded.rows.size()},
          {"valid_rows", space.valid_rows},
          {"optimum_us", space.yardstick.optimum_ns() / 1e3},
          {"unit_s", in_seconds(request) ? Json(space.unit_s) : Json(nullptr)},
          {"promising", space.promising.size()},
          {"random_fractions", std::vector<double>(random.begin(), random.end())}};
}

Json promising_json(const SimulateRequest& request) {
  if (!request.promising) return nullptr;
  return {{"file", request.promising->file.string()},
          {"rows", request.promising->worst ? "worst" : "best"},
          {"count", request.promising->count}};
}

}  // namespace

std::string simulation_text(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces,
                            const std::vector<StrategyScores>& strategies) {
  using Align = Table::Align;
  std::vector<Table::Column> columns{{"strategy", Align::left},
                                     {in_seconds(request) ? "unit_s" : "rows", Align::right}};
  columns.push_back({"score", Align::right});
  for (const std::size_t mark : kMarks) columns.push_back({fmt::format("@{}", mark), Align::right});
  for (const char* title : {"hit95", "to95", "us", "p99"}) columns.push_back({title, Align::right});
  Table table(std::move(columns), 0);
  const bool several = spaces.size() > 1;
  for (const StrategyScores& scores : strategies) {
    if (several || strategies.size() == 1) table.add({scores.strategy});
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      const std::string size =
          in_seconds(request) ? fmt::format("{:.4g}", spaces[i].unit_s) : grouped(spaces[i].recorded.rows.size());
      const bool named = several || strategies.size() == 1;
      table.add(row(named ? "  " + one_line(spaces[i].name) : scores.strategy, size, scores.spaces[i]));
    }
    if (several && strategies.size() == 1) table.add(row("  mean", "", scores.mean));
  }
  if (several && strategies.size() > 1) {
    table.add({fmt::format("mean of {}", spaces.size())});
    for (const StrategyScores& scores : strategies) table.add(row("  " + scores.strategy, "", scores.mean));
  }
  return heading(request, spaces) + table.text(kUnwrapped) + legend(request, strategies);
}

Json simulation_json(const SimulateRequest& request, const std::vector<SimulatedSpace>& spaces,
                     const std::vector<StrategyScores>& strategies) {
  const auto of_strategy = [](const StrategyScores& scores) -> Json {
    return {{"strategy", scores.strategy},
            {"spaces", json_list(scores.spaces, score_json)},
            {"mean", score_json(scores.mean)}};
  };
  return {
      {"format", 1},
      {"budget", request.budget},
      {"repeats", request.repeats},
      {"batch", request.batch},
      {"seed", request.seed},
      {"cost", in_seconds(request) ? "seconds" : "evaluations"},
      {"noise", request.noise == search::Noise::recorded},
      {"permuted", request.permute},
      {"promising", promising_json(request)},
      {"spaces", json_list(spaces, [&](const SimulatedSpace& space) { return simulated_space_json(request, space); })},
      {"strategies", json_list(strategies, of_strategy)}};
}

}  // namespace tuner::cli
