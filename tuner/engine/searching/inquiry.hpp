#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/strategy/strategy.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/effort/result_cost.hpp"
#include "tuner/engine/effort/stop_rules.hpp"
#include "tuner/engine/searching/earlier_sessions.hpp"
#include "tuner/engine/searching/incumbents.hpp"

namespace tuner::engine {

/// What a session asks its strategy and tells it, and the rules that end that. How many configurations a strategy asked
/// for and has not heard of is a matter of counts, and not of which was compiled and measured first; so a seed
/// reproduces what it asks for. Knows no lanes and no clock. Everything handed over outlives the inquiry.
class Inquiry {
 public:
  /// Those who work for the session.
  struct Workers {
    double compilers = 1;  ///< what sessions share counts in parts
    std::size_t gpus = 1;
  };

  /// `promising`: configurations that are asked for before all others.
  Inquiry(const Task& task, const SessionOptions& options, const Workers& workers,
          std::vector<search::Configuration> promising, Candidates& candidates, const Incumbents& incumbents,
          const EarlierSessions& earlier);

  /// How many more configurations the strategy should be asked for now, if `room` of them can be worked on.
  std::size_t wanted(std::size_t room) const;
  /// Asks for so many, at least one; returns those that the session does not have yet.
  std::vector<EntryId> ask(std::size_t count);
  /// Nothing more is asked for.
  bool exhausted() const;
  /// Everything in the space was asked for.
  bool asked_all() const;

  /// Tells the strategy and the rules what came out next, and returns it; nothing while that is not finished, enough is
  /// not asked for yet, or a rule ended the search.
  std::optional<TellItem> tell_next();
  /// An entry is finished. True if that settles what a result costs, which is noted in it: its row has to be stored
  /// before the strategy is told, so that a search that goes on from here asks for the same.
  bool settle_cost(EntryId finished);
  /// An earlier session settled it, in seconds.
  void set_cost(double seconds) { result_cost_.settle(seconds); }

  /// A rule that is not this one's ends the search, unless another has.
  void end(const std::string& why);
  /// Whether a rule ended the search by what was found.
  bool is_ended() const { return ended_because_.has_value(); }
  bool out_of_time(double seconds) const { return rules_.out_of_time(seconds); }
  /// Which rule ended the search; `early`: before everything that was to be asked for was measured.
  std::string why_stopped(bool early) const;
  /// The chance that the strategy gives what is untried of being one per cent faster; nothing: it has no belief.
  std::optional<double> chance_left() const;
  /// Entries of `promising` that the strategy asked for, finished.
  std::vector<EntryId> promised() const;
  /// How many configurations will be asked for, as far as known.
  std::uint64_t total() const;

 private:
  std::optional<std::uint64_t> window() const;
  bool may_tell() const;
  void decide_spending();
  std::uint64_t asked() const { return static_cast<std::uint64_t>(candidates_.asked()); }
  std::uint64_t unheard() const { return static_cast<std::uint64_t>(candidates_.unheard()); }

  const Task& task_;
  const SessionOptions& options_;
  const std::size_t gpus_;
  const std::vector<search::Configuration> promising_;
  Candidates& candidates_;
  const Incumbents& incumbents_;
  const EarlierSessions& earlier_;
  StopRules rules_;
  ResultCost result_cost_;
  std::unique_ptr<search::Strategy> strategy_;
  bool nothing_left_ = false;  ///< the strategy asks for no more
  std::optional<std::string> ended_because_;
};

}  // namespace tuner::engine
