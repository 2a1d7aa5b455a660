#include "tuner/engine/device/lane/overread_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tuner/core/base/text.hpp"
#include "tuner/engine/device/lane/memory_needed.hpp"

namespace tuner::engine {
namespace {

/// What is wrong in more places is said again when these are mended.
constexpr std::size_t kMostEdges = 4;
/// Into so many parts a distance is divided by the launches of one request. More parts are fewer workers.
constexpr std::uint64_t kParts = 16;

std::uint64_t next_multiple(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool takes(const Candidate& candidate, std::size_t position) {
  return !candidate.takes ||
         std::find(candidate.takes->begin(), candidate.takes->end(), position) != candidate.takes->end();
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace

OverreadSearch::OverreadSearch(const std::vector<BoundArgument>& arguments, const Candidate& candidate)
    : arguments_(arguments) {
  std::size_t next_scratch = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const BoundArgument& argument = arguments_[i];
    if (!has_surroundings(argument.role)) continue;
    std::uint64_t length = argument.length;
    if (argument.role == Argument::Role::scratch)
      length = next_scratch < candidate.scratch_lengths.size() ? candidate.scratch_lengths[next_scratch++] : 0;
    if (takes(candidate, i)) buffers_.push_back({i, length * element_size(argument)});
  }
  go_on();
}

FenceProbe OverreadSearch::probe(std::size_t buffer, FenceSide side, std::uint64_t gap, std::uint64_t alignment) const {
  return {buffers_[buffer].position, side, gap, alignment};
}

/// The nearest place of a fence behind its padding, with the data at its usual alignment.
std::uint64_t OverreadSearch::nearest_gap(std::size_t buffer, FenceSide side) const {
  const std::uint64_t alignment = fenced_alignment(argument(buffer));
  const std::uint64_t padding = argument(buffer).padding, bytes = buffers_[buffer].bytes;
  if (side == FenceSide::before) return next_multiple(padding, alignment);
  return next_multiple(bytes + padding, alignment) - bytes;
}

void OverreadSearch::go_on() {
  probes_.clear();
  if (phase_ == Phase::edges) {
    probe_edges();
    if (probes_.empty()) phase_ = edges_.empty() ? Phase::writes : Phase::distances;
  }
  while (phase_ == Phase::distances && probes_.empty()) {
    if (measured_ == edges_.size()) {
      phase_ = Phase::over;
    } else if (!narrow(edges_[measured_])) {
      ++measured_;
    }
  }
  if (phase_ != Phase::writes) return;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (argument(i).role != Argument::Role::in) continue;
    probes_.push_back(probe(i, FenceSide::inside, 0, fenced_alignment(argument(i))));
  }
  if (probes_.empty()) phase_ = Phase::over;
}

void OverreadSearch::probe_edges() {
  if (edges_.size() == kMostEdges) return;
  for (std::size_t i = edges_done_; i < 2 * buffers_.size(); ++i) {
    const FenceSide side = i % 2 == 0 ? FenceSide::behind : FenceSide::before;
    probes_.push_back(probe(i / 2, side, nearest_gap(i / 2, side), fenced_alignment(argument(i / 2))));
  }
}

/// Asks for fences between the nearest that is not met and the farthest that is. False if there is no place between.
bool OverreadSearch::narrow(Edge& edge) {
  if (edge.is_known) return false;
  const auto ask = [&](std::uint64_t gap) { probes_.push_back(probe(edge.buffer, edge.side, gap, edge.alignment)); };
  if (!edge.high) {
    for (std::uint64_t distance = kProbeReach; distance >= edge.alignment; distance /= 2) ask(edge.low + distance);
    return true;
  }
  if (*edge.high - edge.low <= edge.alignment) {
    const std::uint64_t least = least_alignment(argument(edge.buffer));
    if (least >= edge.alignment) return false;
    edge.alignment = least;
  }
  const std::uint64_t places = (*edge.high - edge.low) / edge.alignment;
  const std::uint64_t step = (places + kParts - 1) / kParts;
  for (std::uint64_t i = (places - 1) / step; i > 0; --i) ask(edge.low + i * step * edge.alignment);
  return !probes_.empty();
}

void OverreadSearch::take(std::size_t passed, ProbeEnd end) {
  if (end != ProbeEnd::normal && passed >= probes_.size()) {
    phase_ = Phase::over;
  } else if (phase_ == Phase::edges) {
    take_edges(passed, end);
  } else if (phase_ == Phase::distances) {
    take_distance(edges_[measured_], passed, end);
  } else {
    if (end == ProbeEnd::fault) rewritten_ = arguments_[probes_[passed].argument].name;
    phase_ = Phase::over;
  }
  go_on();
}

void OverreadSearch::take_edges(std::size_t passed, ProbeEnd end) {
  edges_done_ += passed;
  if (end == ProbeEnd::normal) return;
  const std::size_t buffer = edges_done_ / 2;
  ++edges_done_;
  if (end != ProbeEnd::fault) return;
  const FenceProbe& met = probes_[passed];
  edges_.push_back({buffer, met.side, met.gap, std::nullopt, met.alignment});
}

void OverreadSearch::take_distance(Edge& edge, std::size_t passed, ProbeEnd end) {
  if (passed > 0) edge.high = probes_[passed - 1].gap;
  if (end == ProbeEnd::fault) edge.low = probes_[passed].gap;
  if (end == ProbeEnd::misaligned) edge.alignment = fenced_alignment(argument(edge.buffer));
  edge.is_known = end == ProbeEnd::misaligned || !edge.high;
}

std::string OverreadSearch::text(const Edge& edge) const {
  const BoundArgument& of = argument(edge.buffer);
  const std::string where = fmt::format("{} `{}`", edge.side == FenceSide::behind ? "behind" : "before", of.name);
  // An access of a thread has at least an element, and begins at a multiple of its size.
  const bool is_exact = !edge.high || edge.alignment <= element_size(of);
  std::vector<std::string> notes;
  if (!is_exact) notes.push_back(fmt::format("found in steps of {}, its alignment", edge.alignment));
  if (of.padding > 0) notes.push_back(fmt::format("it has a padding of {}", grouped(of.padding)));
  return fmt::format("{}{} {}{}",
                     !edge.high ? "more than "
                     : is_exact ? ""
                                : "at most ",
                     counted(edge.high.value_or(edge.low), "byte"), where,
                     notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; ")));
}

std::string OverreadSearch::found() const {
  if (!rewritten_.empty()) return fmt::format("It writes to its input `{}` what is there already", rewritten_);
  std::vector<std::string> parts;
  for (const Edge& edge : edges_) parts.push_back(text(edge));
  return parts.empty() ? "" : "It reads " + listed(parts);
}

std::string OverreadSearch::way_out() const {
  if (!rewritten_.empty()) return fmt::format("Correct it, or declare `{}` as inout.", rewritten_);
  std::map<std::string, std::uint64_t> pads;
  for (const Edge& edge : edges_) {
    if (!edge.high) return "Correct it, or the length that is described.";
    std::uint64_t& pad = pads[argument(edge.buffer).name];
    pad = std::max(pad, *edge.high);
  }
  std::vector<std::string> clauses, options;
  for (const auto& [name, bytes] : pads) {
    clauses.push_back(fmt::format("`pad {}` in the directive of `{}`", bytes, name));
    options.push_back(fmt::format("--pad {}={}", name, bytes));
  }
  return fmt::format(
      "Correct it, or allow such reads with {} (Padding in a T1 file; `{}` for one call of `tuner tune`).",
      listed(clauses), fmt::join(options, " "));
}

}  // namespace tuner::engine
