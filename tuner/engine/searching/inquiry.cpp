#include "tuner/engine/searching/inquiry.hpp"

#include <algorithm>
#include <utility>

#include "tuner/engine/effort/effort_limits.hpp"

namespace tuner::engine {

namespace {

/// How many configurations a strategy may have asked for without hearing of them, in a search that counts or results
/// may end: this part of those that it may ask for, or so many for each GPU. It asks the better the more it has heard,
/// and some compile workers may rest then.
constexpr std::uint64_t kPartUnheard = 4, kMostUnheard = 24;
/// Each of several GPUs needs so many, if they are no more than half of those: some are compiled, some wait for it.
constexpr std::uint64_t kNeeded = 12;

StopRules rules_of(const SessionOptions& options, std::uint64_t space_size) {
  Budget budget = options.budget;
  if (options.effort) {
    const Budget limits = limits_of(*options.effort, space_size, options.known_problems, options.percent_worth);
    budget.evaluations = limits.evaluations;
    budget.idle = limits.idle;
    budget.idle_gain = limits.idle_gain;
    budget.least_for_idle = limits.least_for_idle;
    budget.weighs = limits.weighs;
  }
  return {budget, space_size};
}

}  // namespace

Inquiry::Inquiry(const Task& task, const SessionOptions& options, const Workers& workers,
                 std::vector<search::Configuration> promising, Candidates& candidates, const Incumbents& incumbents,
                 const EarlierSessions& earlier)
    : task_(task),
      options_(options),
      gpus_(workers.gpus),
      promising_(std::move(promising)),
      candidates_(candidates),
      incumbents_(incumbents),
      earlier_(earlier),
      rules_(rules_of(options, task.space().size())),
      result_cost_(task.space().size(), workers.compilers, workers.gpus),
      strategy_(search::make_strategy(options.strategy, task.space(),
                                      {.seed = options.seed,
                                       .budget = rules_.evaluations(),
                                       .may_end_early = rules_.may_end_early(),
                                       .promising = promising_,
                                       .proven = options.proven.empty() ? 0 : promising_.size()})) {}

std::size_t Inquiry::wanted(std::size_t room) const {
  const auto most_unheard = window();
  if (!most_unheard) return room;
  const std::uint64_t more = std::min<std::uint64_t>(room, *most_unheard - std::min(*most_unheard, unheard()));
  const auto most = rules_.evaluations();
  return most ? std::min(more, *most - std::min(*most, asked())) : more;
}

/// Nothing: the strategy may ask for as many as can be worked on.
std::optional<std::uint64_t> Inquiry::window() const {
  const bool by_results = rules_.may_end_by_results();
  if (!rules_.evaluations() && !by_results) return std::nullopt;
  const std::uint64_t most = rules_.evaluations().value_or(task_.space().size());
  std::uint64_t part = std::max<std::uint64_t>(most / kPartUnheard, 1);
  if (gpus_ > 1) part = std::max(part, std::min<std::uint64_t>(most / 2, kNeeded * gpus_));
  // Of a small space that turns out to be dear no more is under way by then than may be tried.
  if (rules_.awaits_spending())
    part = std::min(part, most_before_cost_is_known(task_.space().size()) - ResultCost::kSettling);
  return by_results ? std::min<std::uint64_t>(part, kMostUnheard * gpus_) : part;
}

std::vector<EntryId> Inquiry::ask(std::size_t count) {
  const std::vector<search::Configuration> asked = strategy_->ask(count);
  if (asked.empty()) {
    nothing_left_ = true;
    candidates_.count_told_as_asked();
  }
  std::vector<EntryId> entries;
  for (const search::Configuration& configuration : asked) {
    if (candidates_.was_asked(configuration)) continue;  // of another strategy, before this took over
    if (const auto entry = candidates_.ask(configuration)) entries.push_back(*entry);
  }
  return entries;
}

bool Inquiry::exhausted() const {
  const auto evaluations = rules_.evaluations();
  return nothing_left_ || (evaluations && asked() >= *evaluations);
}

bool Inquiry::asked_all() const {
  return nothing_left_ || asked() >= task_.space().size();
}

/// Once as many as the window allows are asked for, one is told, then one more asked for, and so on.
bool Inquiry::may_tell() const {
  const auto most_unheard = window();
  return !most_unheard || exhausted() || unheard() >= *most_unheard;
}

std::optional<TellItem> Inquiry::tell_next() {
  if (is_ended() || !may_tell()) return std::nullopt;
  const std::optional<TellItem> told = candidates_.take_told();
  if (!told) return std::nullopt;
  if (told->in_space) strategy_->tell(told->observation);
  const auto& time_ns = told->observation.time_ns;
  if (told->entry == incumbents_.baseline() && time_ns) rules_.tell_baseline(*time_ns);
  rules_.tell(told->observation, told->asked);
  if (const auto belief = strategy_->belief()) rules_.tell(*belief);
  decide_spending();
  ended_because_ = rules_.met();
  return told;
}

bool Inquiry::settle_cost(EntryId entry) {
  const Entry& finished = candidates_[entry];
  // What is measured again hides the earlier row, and so what is stored there.
  if (!finished.reused && earlier_.has_cost(finished)) candidates_.note_cost(entry, *result_cost_.seconds() * 1e3);
  if (!rules_.awaits_spending() || !finished.asked) return false;
  // What is taken over has cost this session nothing, and the earlier one what is stored.
  const cache::Trial* const measured = finished.reused ? earlier_.trial_of(finished) : &finished.trial;
  if (measured == nullptr || !result_cost_.add(*measured)) return false;
  candidates_.note_cost(entry, *result_cost_.seconds() * 1e3);
  return true;
}

/// After a number of results, so that it is no matter of which was measured first what a strategy is asked for.
void Inquiry::decide_spending() {
  if (!rules_.awaits_spending() || rules_.told() < ResultCost::kSettling || !result_cost_.seconds()) return;
  const Spending spending =
      spending_of(*options_.effort, task_.space().size(), *result_cost_.seconds(), options_.percent_worth);
  rules_.spend(spending);
  // Where everything is tried, nobody need choose what is next.
  if (!spending.most) strategy_ = search::make_strategy("exhaustive", task_.space());
}

void Inquiry::end(const std::string& why) {
  if (!is_ended()) ended_because_ = why;
}

std::string Inquiry::why_stopped(bool early) const {
  if (is_ended()) return *ended_because_;
  return early ? rules_.why_out_of_time() : rules_.why_enough();
}

std::optional<double> Inquiry::chance_left() const {
  const auto belief = strategy_->belief();
  return belief ? std::optional(belief->chance) : std::nullopt;
}

std::vector<EntryId> Inquiry::promised() const {
  std::vector<EntryId> entries;
  for (const EntryId id : candidates_.ids()) {
    const Entry& entry = candidates_[id];
    const bool promised = std::find(promising_.begin(), promising_.end(), entry.configuration) != promising_.end();
    if (promised && entry.asked && entry.finished) entries.push_back(id);
  }
  return entries;
}

std::uint64_t Inquiry::total() const {
  return std::min(task_.space().size(), rules_.evaluations().value_or(task_.space().size()));
}

}  // namespace tuner::engine
