#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/trial.hpp"
#include "search/space/observation.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/measure/entry_id.hpp"

namespace tuner::engine {

/// One configuration on its way from the strategy to a row.
struct Entry {
  search::Configuration configuration;
  Geometry geometry;
  std::vector<std::uint64_t> scratch_lengths;
  EntryId original;  ///< the entry whose binary and launch this one shares; itself if it has its own
  bool finished = false;
  bool reused = false;      ///< its trial is an earlier session's: nothing was done, and there is no new row
  bool own_binary = false;  ///< it compiled, and no earlier one has the same binary and launch
  bool asked = false;       ///< the strategy asked for it, or left it out because it had been told of it
  CompileReply binary;      ///< dropped once the configuration can no longer become a finalist
  cache::Trial trial;       ///< complete when finished

  /// How it is launched, lengths of scratch buffers included: with the binary's hash, what it is that runs.
  std::string launch() const;
};

/// What became of a configuration, for the strategy and for the rules that end a search.
struct TellItem {
  EntryId entry;
  search::Observation observation;
  bool asked = false;     ///< by the strategy; otherwise the session needed it
  bool in_space = false;  ///< `where` does not exclude it
};

/// Every configuration of a session, in the order asked: which were asked for, which share a binary, what came out,
/// and the counters that must add up. Knows no lanes and no clock.
class Candidates {
 public:
  /// `interrupted`: another program is at work on the GPU, so the shortest sample is what counts.
  Candidates(const Task& task, cache::Trial common, bool interrupted = false)
      : task_(task), common_(std::move(common)), interrupted_(interrupted) {}

  /// Adds a configuration that the session itself needs (the baseline).
  EntryId add(const search::Configuration& configuration);
  /// Works out the entry's launch and what to compile for it. Throws Error{bad_description} for expressions that give
  /// nothing that can be launched.
  CompileRequest request(EntryId entry);
  /// The entry is not compiled, or not run: it is finished with this outcome.
  void refuse(EntryId entry, Outcome outcome, const std::string& message);
  /// Whether the strategy asked for it.
  bool was_asked(const search::Configuration& configuration) const;
  /// Adds a configuration that the strategy asked for; nothing if the session has it already (it is asked for, though).
  std::optional<EntryId> ask(const search::Configuration& configuration);

  /// Takes the compiler's answer. True if the candidate must be run: it compiled, and no earlier one has the same
  /// binary and launch. A twin of an earlier one waits for it or, if that is finished, is finished too.
  bool compiled(EntryId entry, CompileReply reply);
  /// Takes the device's answer. Throws Error{internal} if that is ok and has no samples.
  void ran(EntryId entry, const DeviceReply& reply);

  /// Takes over what an earlier session found: the entry is finished, without a binary. Later ones with the same binary
  /// and launch are its twins.
  void reuse(EntryId entry, const cache::Trial& earlier);
  /// The entry was measured now although an earlier session had: that is what its rows say.
  void mark_reused(EntryId entry) { at(entry).reused = true; }
  /// Takes the binary of a finished entry that had been dropped or never made. False if it is another one than the
  /// trial speaks of.
  bool restore_binary(EntryId entry, const CompileReply& reply);
  /// The entry, finished, settles what a result costs.
  void note_cost(EntryId entry, double result_cost_ms) { at(entry).trial.result_cost_ms = result_cost_ms; }
  /// What earlier sessions found for the entry, and for those that were thought to share its binary, does not hold:
  /// they have to be compiled and run after all. Returns them.
  std::vector<EntryId> reopen(EntryId entry);

  const Entry& operator[](EntryId entry) const { return entries_[entry.index]; }
  std::size_t size() const { return entries_.size(); }
  std::vector<EntryId> ids() const;
  EntryId original(EntryId entry) const { return (*this)[entry].original; }
  const std::string& text(EntryId entry) const { return (*this)[entry].trial.configuration; }

  /// What was finished since the last call, in order of finishing.
  std::vector<EntryId> take_finished();
  /// What came out next, in the order added and asked: also of what the session itself needed, unless the strategy
  /// asked for it since. Nothing while that is not finished.
  std::optional<TellItem> take_told();
  /// How many that the strategy asked for it has not been told of.
  std::int64_t unheard() const { return asked() - heard_; }
  /// The strategy has nothing left to ask for: what it was told of without asking is part of what was searched.
  void count_told_as_asked();

  std::optional<double> best_ns() const { return best_ns_; }
  std::optional<EntryId> best() const { return best_; }
  bool all_finished() const { return unfinished_ == 0; }

  /// What the device needs to run it; a twin is run with its original's binary.
  Candidate candidate(EntryId entry) const;
  bool has_binary(EntryId entry) const { return (*this)[original(entry)].binary.outcome == Outcome::ok; }
  /// The binary can be forgotten: this entry will not be launched again.
  void drop_binary(EntryId entry);
  /// The entry and those with the same binary and launch.
  std::vector<EntryId> twins(EntryId entry) const;

  /// Of what the strategy asked for and is finished: asked = timed + deduplicated + failed = screened + reused;
  /// compiled (binaries of their own, whatever became of them), failed_<outcome>.
  std::map<std::string, std::int64_t> counters() const;
  std::int64_t asked() const { return static_cast<std::int64_t>(asked_.size()); }
  std::int64_t failed() const { return failed_; }
  std::int64_t compiled() const { return compiled_; }
  std::int64_t deduplicated() const { return deduplicated_; }
  std::int64_t finished() const { return static_cast<std::int64_t>(entries_.size()) - unfinished_; }
  double compile_seconds() const { return compile_ms_ / 1000; }

 private:
  struct ToTell {
    EntryId entry;
    bool asked;
  };

  Entry& at(EntryId entry) { return entries_[entry.index]; }
  EntryId insert(const search::Configuration& configuration);
  search::Observation observation(EntryId entry) const;
  /// Whether the entry is the first with its binary and launch; otherwise it becomes a twin.
  bool register_binary(EntryId entry);
  void finish(EntryId entry);
  void note_best(EntryId entry);
  void mark_finished(EntryId entry);
  void finish_twin(EntryId twin, EntryId original);

  const Task& task_;
  const cache::Trial common_;  ///< key, session, conditions, origin: the same in every trial
  const bool interrupted_;
  std::deque<Entry> entries_;
  std::map<search::Configuration, EntryId> by_configuration_;
  std::map<std::string, EntryId> by_binary_;       ///< binary hash and launch → first entry
  std::map<EntryId, std::vector<EntryId>> twins_;  ///< of the first entry with that binary and launch
  std::vector<EntryId> asked_;
  std::vector<ToTell> to_tell_;
  std::size_t told_ = 0;    ///< of these
  std::int64_t heard_ = 0;  ///< of those, what the strategy asked for
  std::vector<EntryId> just_finished_;
  std::optional<double> best_ns_;
  std::optional<EntryId> best_;
  std::int64_t unfinished_ = 0, compiled_ = 0, deduplicated_ = 0, failed_ = 0;
  double compile_ms_ = 0;
};

}  // namespace tuner::engine
