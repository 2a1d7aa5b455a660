#include "tuner/engine/candidates/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/measure/screen.hpp"

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
  to.gpu = from.gpu;
}

}  // namespace

std::string Entry::launch() const {
  std::string text = trial.launch;
  for (std::size_t i = 0; i < scratch_lengths.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? " scratch=" : ",", scratch_lengths[i]);
  }
  return text;
}

EntryId Candidates::add(const search::Configuration& configuration) {
  const EntryId id = insert(configuration);
  to_tell_.push_back({id, false});
  return id;
}

EntryId Candidates::insert(const search::Configuration& configuration) {
  const EntryId id{entries_.size()};
  Entry entry;
  entry.configuration = configuration;
  entry.original = id;
  entry.trial = common_;
  entry.trial.sequence = static_cast<std::int64_t>(id.index);
  entry.trial.configuration = task_.space().text(configuration);
  entries_.push_back(std::move(entry));
  by_configuration_.emplace(configuration, id);
  ++unfinished_;
  return id;
}

bool Candidates::was_asked(const search::Configuration& configuration) const {
  const auto known = by_configuration_.find(configuration);
  return known != by_configuration_.end() && (*this)[known->second].asked;
}

std::optional<EntryId> Candidates::ask(const search::Configuration& configuration) {
  const auto known = by_configuration_.find(configuration);
  const bool is_new = known == by_configuration_.end();
  const EntryId id = is_new ? insert(configuration) : known->second;
  at(id).asked = true;
  asked_.push_back(id);
  to_tell_.push_back({id, true});
  return is_new ? std::optional(id) : std::nullopt;
}

CompileRequest Candidates::request(EntryId id) {
  Entry& entry = at(id);
  entry.geometry = task_.geometry(entry.configuration);
  entry.scratch_lengths = task_.scratch_lengths(entry.configuration);
  // Foreign recordings do not say how anything was launched.
  if (!task_.description().grid.empty()) entry.trial.launch = entry.geometry.text();
  return compile_request(task_, entry.configuration);
}

void Candidates::refuse(EntryId id, Outcome outcome, const std::string& message) {
  at(id).trial.outcome = outcome;
  at(id).trial.message = message;
  finish(id);
}

bool Candidates::compiled(EntryId id, CompileReply reply) {
  Entry& entry = at(id);
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
    finish(id);
    return false;
  }
  if (register_binary(id)) {
    entry.own_binary = true;
    ++compiled_;
    return true;
  }
  drop_binary(id);
  if (at(entry.original).finished) finish_twin(id, entry.original);
  return false;
}

bool Candidates::register_binary(EntryId id) {
  Entry& entry = at(id);
  const cache::Hash& hash = entry.trial.facts.binary_hash;
  if (hash.empty()) return true;  // a foreign recording: nothing is known to be the same
  const auto [first, is_new] = by_binary_.emplace(hash.text + ' ' + entry.launch(), id);
  if (is_new) return true;
  ++deduplicated_;
  entry.original = first->second;
  entry.trial.duplicate_of = text(first->second);
  twins_[first->second].push_back(id);
  return false;
}

void Candidates::reuse(EntryId id, const cache::Trial& earlier) {
  Entry& entry = at(id);
  cache::Trial& trial = entry.trial;
  copy_result(earlier, trial);
  trial.conditions = earlier.conditions;
  entry.reused = true;
  drop_binary(id);
  if (register_binary(id)) return finish(id);
  mark_finished(id);
}

bool Candidates::restore_binary(EntryId id, const CompileReply& reply) {
  if (reply.outcome != Outcome::ok || reply.facts.binary_hash != at(id).trial.facts.binary_hash) {
    return false;
  }
  at(id).binary = reply;
  compile_ms_ += reply.milliseconds;
  return true;
}

std::vector<EntryId> Candidates::reopen(EntryId id) {
  const std::vector<EntryId> group = twins(id);
  by_binary_.erase(at(group.front()).trial.facts.binary_hash.text + ' ' + at(group.front()).launch());
  twins_.erase(group.front());
  for (const EntryId member : group) {
    Entry& entry = at(member);
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
  for (const EntryId one : ids()) note_best(one);
  return group;
}

void Candidates::ran(EntryId id, const DeviceReply& reply) {
  Entry& entry = at(id);
  cache::Trial& trial = entry.trial;
  trial.outcome = reply.outcome;
  trial.message = reply.message;
  trial.gpu = reply.gpu.empty() ? task_.device().uuid : reply.gpu;
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
  finish(id);
}

void Candidates::finish(EntryId id) {
  const cache::Trial& trial = at(id).trial;
  mark_finished(id);
  if (trial.outcome != Outcome::ok) {
    ++failed_;
    drop_binary(id);
  } else {
    note_best(id);
  }
  const auto waiting = twins_.find(id);
  if (waiting == twins_.end()) return;
  for (const EntryId twin : waiting->second) {
    if (!at(twin).finished) finish_twin(twin, id);
  }
}

void Candidates::note_best(EntryId id) {
  const Entry& entry = at(id);
  const cache::Trial& trial = entry.trial;
  if (!entry.finished || trial.outcome != Outcome::ok || trial.censored || !trial.time_ns) return;
  if (!trial.duplicate_of.empty() || (best_ns_ && *trial.time_ns >= *best_ns_)) return;
  best_ns_ = trial.time_ns;
  best_ = id;
}

void Candidates::finish_twin(EntryId twin, EntryId original) {
  copy_result(at(original).trial, at(twin).trial);
  mark_finished(twin);
}

void Candidates::mark_finished(EntryId id) {
  at(id).finished = true;
  --unfinished_;
  just_finished_.push_back(id);
}

std::vector<EntryId> Candidates::ids() const {
  std::vector<EntryId> all;
  for (std::size_t i = 0; i < entries_.size(); ++i) all.push_back({i});
  return all;
}

std::vector<EntryId> Candidates::take_finished() {
  return std::exchange(just_finished_, {});
}

search::Observation Candidates::observation(EntryId id) const {
  const Entry& entry = (*this)[id];
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

std::optional<TellItem> Candidates::take_told() {
  while (told_ < to_tell_.size() && at(to_tell_[told_].entry).finished) {
    const auto [entry, asked] = to_tell_[told_++];
    // The strategy asked for it since: it hears of it in its turn.
    if (!asked && at(entry).asked) continue;
    if (asked) ++heard_;
    return TellItem{entry, observation(entry), asked, asked || task_.space().contains(at(entry).configuration)};
  }
  return std::nullopt;
}

void Candidates::count_told_as_asked() {
  for (const auto& [entry, asked] : to_tell_) {
    if (asked || at(entry).asked || !task_.space().contains(at(entry).configuration)) continue;
    at(entry).asked = true;
    asked_.push_back(entry);
  }
}

void Candidates::drop_binary(EntryId id) {
  at(id).binary = {};
  at(id).binary.outcome = Outcome::worker_lost;  // anything but ok: there is none
}

std::vector<EntryId> Candidates::twins(EntryId id) const {
  std::vector<EntryId> all{original(id)};
  const auto others = twins_.find(all.front());
  if (others != twins_.end()) all.insert(all.end(), others->second.begin(), others->second.end());
  return all;
}

Candidate Candidates::candidate(EntryId id) const {
  const Entry& entry = (*this)[id];
  const CompileReply& binary = (*this)[original(id)].binary;
  return {.configuration = entry.trial.configuration,
          .cubin = binary.cubin,
          .parameters = binary.parameters,
          .geometry = entry.geometry,
          .scratch_lengths = entry.scratch_lengths,
          .ptx = binary.ptx};
}

std::map<std::string, std::int64_t> Candidates::counters() const {
  std::map<std::string, std::int64_t> counters{{"asked", 0},  {"compiled", 0}, {"deduplicated", 0}, {"timed", 0},
                                               {"failed", 0}, {"screened", 0}, {"reused", 0}};
  const std::optional<search::Configuration> baseline = task_.baseline();
  const std::string baseline_text = baseline ? task_.space().text(*baseline) : "";
  for (const EntryId id : asked_) {
    const Entry& entry = (*this)[id];
    if (!entry.finished) continue;
    ++counters["asked"];
    ++counters[entry.reused ? "reused" : "screened"];
    if (entry.own_binary) ++counters["compiled"];
    if (!entry.trial.duplicate_of.empty()) {
      ++counters["deduplicated"];
      if (entry.trial.duplicate_of == baseline_text) ++counters["no_effect"];
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
