#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/report/report.hpp"
#include "tuner/explain/facts.hpp"
#include "tuner/explain/finding.hpp"

namespace tuner::explain {

/// A step of the path with its words.
struct ExplainedStep {
  std::string assignments;
  TimeRatio time;               ///< after over before
  std::optional<double> share;  ///< of the whole; nothing where the whole may be no change
  bool is_idle = false;
};

struct ExplainedInteraction {
  std::string first, second;  ///< assignments
  TimeRatio time;             ///< of both together over the product of each alone
};

/// How the two sides are called where they are what is stored and the defaults; every other name stands for a
/// configuration that was given.
inline constexpr std::string_view kWinnerName = "the winner", kBaselineName = "the baseline";

/// What `tuner explain` found about a configuration, against another one.
struct Explanation {
  std::string kernel, file, problem, device, mode;
  ConfigurationFacts from, to;    ///< `to` is what is explained
  std::optional<TimeRatio> time;  ///< of `to` over `from`, raced; nothing: not measured
  std::size_t blocks = 0;
  bool is_noisy = false;
  std::vector<ExplainedStep> path;  ///< empty: there is none, or it was not looked for
  std::vector<ExplainedInteraction> interactions;
  std::vector<std::string> path_failures;
  std::string path_note;                   ///< why there is no path, or what is not as it should be; empty: nothing
  std::vector<Finding> findings;           ///< most important first
  std::vector<std::string> next_steps;     ///< what would let more blocks of `to` be resident, sentences
  std::optional<RooflineReport> roofline;  ///< of `to`
  std::string no_counters;                 ///< why there are none, a sentence; empty: there are, or nobody asked
  std::vector<std::string> warnings;
};

/// Sets what each side's time is of the other's, from `time`.
void set_ratios(Explanation& explanation);
/// Finds `findings` from what else is known of both.
void explain_again(Explanation& explanation, const DeviceInfo& device);

/// Whether `kept` says more than `found`: it has a fuller path, counters or a roofline that the other lacks, or both
/// have the same parts and its interval is less than half as wide.
bool says_more(const Explanation& kept, const Explanation& found);

std::string to_text(const Explanation& explanation, std::size_t width);
/// As a part of a page: lists and tables.
std::string to_markdown(const Explanation& explanation);

/// "0.9671 (0.9649-0.9692)".
std::string ratio_text(const TimeRatio& ratio);

// The parts of which it consists. Tables are empty where there is nothing to show.
std::string verdict_text(const Explanation& explanation);
std::string path_markdown(const Explanation& explanation);
std::string code_markdown(const Explanation& explanation);
/// Of those of these counters that were counted and are not 0 in both.
std::string counters_markdown(const Explanation& explanation, std::span<const std::string_view> names);

}  // namespace tuner::explain
