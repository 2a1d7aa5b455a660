#include "tuner/engine/session/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/measure/screen.hpp"
#include "tuner/engine/session/candidate_request.hpp"

namespace tuner::engine {

namespace {

/// What came of running a binary, for another configuration or session with the same.
void copy_result(const cache::Trial& from, cache::Trial& to) {
  to.outcome = from.outcome;
  to.message = from.message;
  to.censored = from.censored;
  to.time_ns = from.time_ns;
  to.samples_ns = from.samples_ns;
  to.facts = from.facts;
}

}  // namespace

std::string Entry::launch() const {
  std::string text = trial.launch;
  for (std::size_t i = 0; i < scratch_lengths.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? " scratch=" : ",", scratch_lengths[i]);
  }
  return text;
}

std::size_t Candidates::add(const search::Configuration& configuration) {
  const std::size_t position = insert(configuration);
  to_tell_.push_back({position, false});
  return position;
}

std::size_t Candidates::insert(const search::Configuration& configuration) {
  const std::size_t position = entries_.size();
  Entry entry;
  entry.configuration = configuration;
  entry.original = position;
  entry.trial = common_;
  entry.trial.sequence = static_cast<std::int64_t>(position);
  entry.trial.configuration = task_.space().text(configuration);
  entries_.push_back(std::move(entry));
  by_configuration_.emplace(configuration, position);
  ++unfinished_;
  return position;
}

std::optional<std::size_t> Candidates::ask(const search::Configuration& configuration) {
  const auto known = by_configuration_.find(configuration);
  const bool is_new = known == by_configuration_.end();
  const std::size_t position = is_new ? insert(configuration) : known->second;
  entries_[position].asked = true;
  asked_.push_back(position);
  to_tell_.push_back({position, true});
  return is_new ? std::optional(position) : std::nullopt;
}

CompileRequest Candidates::request(std::size_t position) {
  Entry& entry = entries_[position];
  entry.geometry = task_.geometry(entry.configuration);
  entry.scratch_lengths = task_.scratch_lengths(entry.configuration);
  // Foreign recordings do not say how anything was launched.
  if (!task_.description().grid.empty()) entry.trial.launch = entry.geometry.text();
  return compile_request(task_, entry.configuration);
}

void Candidates::refuse(std::size_t position, Outcome outcome, const std::string& message) {
  entries_[position].trial.outcome = outcome;
  entries_[position].trial.message = message;
  finish(position);
}

bool Candidates::compiled(std::size_t position, CompileReply reply) {
  Entry& entry = entries_[position];
  cache::Trial& trial = entry.trial;
  entry.binary = std::move(reply);
  trial.compile_ms = entry.binary.milliseconds;
  trial.facts = entry.binary.facts;
  trial.facts.dynamic_shared_bytes = static_cast<int>(entry.geometry.shared_bytes);
  if (!entry.binary.toolkit.empty()) trial.conditions.toolkit = entry.binary.toolkit;
  compile_ms_ += entry.binary.milliseconds;

  if (entry.binary.outcome != Outcome::ok) {
    trial.outcome = entry.binary.outcome;
    trial.message = entry.binary.message;
    finish(position);
    return false;
  }
  if (register_binary(position)) {
    entry.own_binary = true;
    ++compiled_;
    return true;
  }
  drop_binary(position);
  if (entries_[entry.original].finished) finish_twin(position, entry.original);
  return false;
}

bool Candidates::register_binary(std::size_t position) {
  Entry& entry = entries_[position];
  const std::string& hash = entry.trial.facts.binary_hash;
  if (hash.empty()) return true;  // a foreign recording: nothing is known to be the same
  const auto [first, is_new] = by_binary_.emplace(hash + ' ' + entry.launch(), position);
  if (is_new) return true;
  ++deduplicated_;
  entry.original = first->second;
  entry.trial.duplicate_of = text(first->second);
  twins_[first->second].push_back(position);
  return false;
}

void Candidates::reuse(std::size_t position, const cache::Trial& earlier) {
  Entry& entry = entries_[position];
  cache::Trial& trial = entry.trial;
  copy_result(earlier, trial);
  trial.conditions = earlier.conditions;
  entry.reused = true;
  drop_binary(position);
  if (register_binary(position)) return finish(position);
  mark_finished(position);
}

bool Candidates::restore_binary(std::size_t position, const CompileReply& reply) {
  if (reply.outcome != Outcome::ok || reply.facts.binary_hash != entries_[position].trial.facts.binary_hash) {
    return false;
  }
  entries_[position].binary = reply;
  compile_ms_ += reply.milliseconds;
  return true;
}

std::vector<std::size_t> Candidates::reopen(std::size_t position) {
  const std::vector<std::size_t> group = twins(position);
  by_binary_.erase(entries_[group.front()].trial.facts.binary_hash + ' ' + entries_[group.front()].launch());
  twins_.erase(group.front());
  for (const std::size_t member : group) {
    Entry& entry = entries_[member];
    if (!entry.trial.duplicate_of.empty()) --deduplicated_;
    if (entry.own_binary) --compiled_;
    if (entry.finished) ++unfinished_;
    const cache::Trial before = std::exchange(entry.trial, common_);
    entry.trial.sequence = before.sequence;
    entry.trial.configuration = before.configuration;
    entry.trial.launch = before.launch;
    entry.original = member;
    entry.finished = entry.reused = entry.own_binary = false;
    drop_binary(member);
  }
  best_.reset();
  best_ns_.reset();
  for (std::size_t i = 0; i < entries_.size(); ++i) note_best(i);
  return group;
}

void Candidates::ran(std::size_t position, const DeviceReply& reply) {
  Entry& entry = entries_[position];
  cache::Trial& trial = entry.trial;
  trial.outcome = reply.outcome;
  trial.message = reply.message;
  const TimedRun& run = reply.timed_run();
  if (reply.ok() && run.samples_ns.empty()) {
    throw Error(Errc::internal,
                fmt::format("The device worker timed {} and sent no samples; report this.", trial.configuration));
  }
  trial.censored = run.censored;
  trial.samples_ns = run.samples_ns;
  trial.facts.occupancy = run.occupancy;
  trial.facts.occupancy_limiter = run.occupancy_limiter;
  trial.verify_ms = reply.load_ms + reply.verify_ms;
  trial.timing_ms = reply.timing_ms;
  if (trial.outcome == Outcome::ok && !trial.samples_ns.empty()) {
    trial.time_ns = screened_time_ns(trial.samples_ns, trial.censored, interrupted_);
  }
  finish(position);
}

void Candidates::finish(std::size_t position) {
  const cache::Trial& trial = entries_[position].trial;
  mark_finished(position);
  if (trial.outcome != Outcome::ok) {
    ++failed_;
    drop_binary(position);
  } else {
    note_best(position);
  }
  const auto waiting = twins_.find(position);
  if (waiting == twins_.end()) return;
  for (const std::size_t twin : waiting->second) {
    if (!entries_[twin].finished) finish_twin(twin, position);
  }
}

void Candidates::note_best(std::size_t position) {
  const Entry& entry = entries_[position];
  const cache::Trial& trial = entry.trial;
  if (!entry.finished || trial.outcome != Outcome::ok || trial.censored || !trial.time_ns) return;
  if (!trial.duplicate_of.empty() || (best_ns_ && *trial.time_ns >= *best_ns_)) return;
  best_ns_ = trial.time_ns;
  best_ = position;
}

void Candidates::finish_twin(std::size_t twin, std::size_t original) {
  copy_result(entries_[original].trial, entries_[twin].trial);
  mark_finished(twin);
}

void Candidates::mark_finished(std::size_t position) {
  entries_[position].finished = true;
  --unfinished_;
  just_finished_.push_back(position);
}

std::vector<std::size_t> Candidates::take_finished() {
  return std::exchange(just_finished_, {});
}

search::Observation Candidates::observation(std::size_t position) const {
  const Entry& entry = entries_[position];
  const cache::ResourceFacts& facts = entry.trial.facts;
  search::Observation observation;
  observation.configuration = entry.configuration;
  observation.outcome = entry.trial.outcome;
  observation.time_ns = entry.trial.time_ns;
  observation.censored = entry.trial.censored;
  observation.registers = facts.registers;
  if (facts.spill_store_bytes && facts.spill_load_bytes) {
    observation.spill_bytes = *facts.spill_store_bytes + *facts.spill_load_bytes;
  }
  observation.occupancy = facts.occupancy;
  return observation;
}

std::vector<TellItem> Candidates::take_told() {
  std::vector<TellItem> told;
  for (; told_ < to_tell_.size() && entries_[to_tell_[told_].entry].finished; ++told_) {
    const auto [entry, asked] = to_tell_[told_];
    // The strategy asked for it since: it hears of it in its turn.
    if (!asked && entries_[entry].asked) continue;
    told.push_back({entry, observation(entry), asked, asked || task_.space().contains(entries_[entry].configuration)});
  }
  return told;
}

void Candidates::count_told_as_asked() {
  for (const auto& [entry, asked] : to_tell_) {
    if (asked || entries_[entry].asked || !task_.space().contains(entries_[entry].configuration)) continue;
    entries_[entry].asked = true;
    asked_.push_back(entry);
  }
}

void Candidates::drop_binary(std::size_t position) {
  entries_[position].binary = {};
  entries_[position].binary.outcome = Outcome::worker_lost;  // anything but ok: there is none
}

std::vector<std::size_t> Candidates::twins(std::size_t position) const {
  std::vector<std::size_t> all{original(position)};
  const auto others = twins_.find(all.front());
  if (others != twins_.end()) all.insert(all.end(), others->second.begin(), others->second.end());
  return all;
}

Candidate Candidates::candidate(std::size_t position) const {
  const Entry& entry = entries_[position];
  const CompileReply& binary = entries_[original(position)].binary;
  return {.configuration = entry.trial.configuration,
          .cubin = binary.cubin,
          .parameters = binary.parameters,
          .geometry = entry.geometry,
          .scratch_lengths = entry.scratch_lengths};
}

std::map<std::string, std::int64_t> Candidates::counters() const {
  std::map<std::string, std::int64_t> counters{{"asked", 0},  {"compiled", 0}, {"deduplicated", 0}, {"timed", 0},
                                               {"failed", 0}, {"screened", 0}, {"reused", 0}};
  for (const std::size_t position : asked_) {
    const Entry& entry = entries_[position];
    if (!entry.finished) continue;
    ++counters["asked"];
    ++counters[entry.reused ? "reused" : "screened"];
    if (entry.own_binary) ++counters["compiled"];
    if (!entry.trial.duplicate_of.empty()) {
      ++counters["deduplicated"];
    } else if (entry.trial.outcome == Outcome::ok) {
      ++counters["timed"];
    } else {
      ++counters["failed"];
      ++counters[fmt::format("failed_{}", to_string(entry.trial.outcome))];
    }
  }
  return counters;
}

}  // namespace tuner::engine
