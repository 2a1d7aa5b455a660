#include "tuner/cli/explain/explainer.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <string_view>

#include "tuner/cli/explain/measured_facts.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/engine/comparison/pair.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/roofline/measured_roofline.hpp"
#include "tuner/engine/workplace/session_stores.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

std::string name_of(const Side& side, std::string_view otherwise) {
  if (side.configuration == "winner") return std::string(explain::kWinnerName);
  return std::string(side.configuration == "baseline" ? explain::kBaselineName : otherwise);
}

std::vector<std::string> next_step_sentences(const explain::ConfigurationFacts& facts, const DeviceInfo& device) {
  std::vector<std::string> sentences;
  if (!facts.resources.registers) return sentences;
  const BlockNeeds needs =
      block_needs(*facts.resources.registers, facts.resources.static_shared_bytes.value_or(0), facts.geometry);
  for (const NextStep& step : tuner::next_steps(device, needs)) {
    constexpr std::array kUnits{"threads a block", "registers a thread", "bytes of shared memory a block",
                                "threads a block"};
    sentences.push_back(fmt::format("{} instead of {} {} would let {} be resident instead of {}", step.to, step.from,
                                    kUnits[static_cast<std::size_t>(step.resource)],
                                    counted(static_cast<std::uint64_t>(step.then.blocks), "block"),
                                    facts.resident ? facts.resident->blocks : 0));
  }
  return sentences;
}

explain::TimeRatio time_ratio(const engine::Ratio& ratio) {
  return {.low = ratio.low, .value = ratio.ratio, .high = ratio.high};
}

}  // namespace

Explainer::Explainer(const ExplainRequest& request, const engine::SessionParts& parts, const Task& task,
                     const cache::Database* store)
    : request_(request),
      task_(task),
      from_(configuration_of(request.from, task, request.session.mode, store)),
      to_(configuration_of(request.to, task, request.session.mode, store)),
      parts_(parts),
      side_by_side_(task, request.session, parts_) {}

bool Explainer::measure() {
  found_.kernel = task_.description().kernel;
  found_.file = task_.description().file.string();
  found_.problem = problem_text(task_.problem());
  found_.device = task_.device().name;
  found_.mode = to_string(request_.session.mode);
  const std::vector<std::size_t> both = side_by_side_.add({{&task_, from_}, {&task_, to_}});
  if (parts_.stop) return false;
  require_running(both);
  found_.from = measured_facts(side_by_side_[both[0]], name_of(request_.from, "the other"));
  found_.to = measured_facts(side_by_side_[both[1]], name_of(request_.to, "this one"));
  found_.next_steps = next_step_sentences(found_.to, task_.device());
  if (from_ == to_) return true;
  if (request_.with_path) find_the_path(both);
  if (!parts_.stop && !found_.time) race(both);
  if (parts_.stop) return false;
  require_running(both);
  return true;
}

void Explainer::require_running(const std::vector<std::size_t>& both) const {
  for (const std::size_t one : both) {
    if (!side_by_side_[one].failure) continue;
    throw Error(Errc::baseline_failed, fmt::format("{} fails, so there is nothing to explain: {}",
                                                   side_by_side_[one].text, side_by_side_[one].failure->message));
  }
}

explain::Explanation Explainer::conclude() {
  if (rates_) add_bound();
  explain_again(found_, task_.device());
  return std::move(found_);
}

void Explainer::add_roofline() {
  const WorkDescription& work = task_.description().work;
  if (!work.bytes && !work.flops) return;
  try {
    require_roofline(task_, request_.session.mode);
  } catch (const Error&) {
    return;  // nothing bounds it from below
  }
  engine::SessionStores stores = engine::open_for_session(request_.database);
  const engine::SessionParts parts{.compile = parts_.compile,
                                   .device = parts_.device,
                                   .store = *stores.store,
                                   .binaries = stores.binaries.get(),
                                   .observer = parts_.observer,
                                   .stop = parts_.stop};
  try {
    rates_ = engine::measured_roofline(task_, true, parts);
  } catch (const engine::NoRoofline& error) {
    if (!parts_.stop) parts_.observer.warning(fmt::format("There is no roofline: {}", error.what()));
  }
}

void Explainer::find_the_path(const std::vector<std::size_t>& both) {
  const engine::Path path = engine::find_path(side_by_side_, both[0], both[1], request_.path);
  found_.path_failures = path.failures;
  found_.path_note = path.note;
  if (!path.is_complete) return;
  found_.time = time_ratio(path.whole);
  found_.blocks = path.blocks;
  found_.is_noisy = path.is_noisy;
  for (const engine::PathStep& step : path.steps)
    found_.path.push_back({step.assignments, time_ratio(step.time), step.share, step.is_idle});
  for (const engine::Interaction& one : path.interactions) {
    found_.interactions.push_back(
        {path.steps[one.first].assignments, path.steps[one.second].assignments, time_ratio(one.time)});
  }
  found_.from.time_ns = path.from_ns;
  found_.to.time_ns = path.to_ns;
}

void Explainer::race(const std::vector<std::size_t>& both) {
  const engine::PairResult result = engine::race_pair(side_by_side_, both[0], both[1], {.within = 0.005});
  if (result.blocks < engine::kLeastBlocksOfPair) return;
  found_.time = time_ratio(result.ratio);
  found_.blocks = result.blocks;
  found_.is_noisy = result.is_noisy;
  found_.from.time_ns = result.first_ns;
  found_.to.time_ns = result.second_ns;
}

void Explainer::count() try {
  engine::DeviceProcessLane device({.ordinal = request_.device, .stop = &parts_.stop});
  const engine::SessionParts parts{.compile = parts_.compile,
                                   .device = device,
                                   .store = parts_.store,
                                   .observer = parts_.observer,
                                   .stop = parts_.stop};
  engine::SideBySide counting(task_, request_.session, parts);
  const std::vector<std::size_t> both = counting.add({{&task_, from_}, {&task_, to_}});
  std::vector<Counters> counters;
  for (const std::size_t one : both) {
    if (parts_.stop) return;
    engine::CountResult result;
    if (counting[one].failure) {
      result.refused = counting[one].failure->message;
    } else {
      result = counting.count(one);
    }
    found_.no_counters = result.refused;
    if (!result.refused.empty()) return;
    counters.push_back(std::move(result.counters));
  }
  found_.from.counters = std::move(counters[0]);
  found_.to.counters = std::move(counters[1]);
} catch (const Error& error) {
  found_.no_counters = error.what();  // what was measured before stays
}

void Explainer::add_bound() {
  const auto bound = roofline_bound(*rates_, task_, to_);
  if (!bound || !found_.to.time_ns) return;
  found_.roofline =
      RooflineReport{*rates_, *bound, bound_text(*bound, *rates_, task_, to_), bound->time_ns / *found_.to.time_ns};
}

}  // namespace tuner::cli
