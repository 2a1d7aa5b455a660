#include "tuner/engine/session/races.hpp"

#include <algorithm>

#include "tuner/engine/candidates/gpu_time.hpp"
#include "tuner/engine/measure/decide.hpp"
#include "tuner/engine/measure/interruptions.hpp"

namespace tuner::engine {

namespace {

std::vector<EntryId> ids(const std::vector<Finalist>& entrants) {
  std::vector<EntryId> ids;
  for (const Finalist& entrant : entrants) ids.push_back(entrant.id);
  return ids;
}

}  // namespace

Races::Races(const Task& task, const SessionOptions& options, const SessionParts& parts, const SharedParts& shared,
             SearchLoop& search, AwkwardSizes& awkward_sizes)
    : task_(task),
      options_(options),
      parts_(parts),
      candidates_(shared.candidates),
      device_(shared.device),
      journal_(shared.journal),
      search_(search),
      incumbents_(search.incumbents()),
      awkward_sizes_(awkward_sizes) {}

/// An entrant that fails in the race may have kept others out of it, by a time that was too good. They race then.
void Races::run() {
  constexpr int kMostRaces = 5;
  if (parts_.stop || !may_win()) return;
  for (int races = 1; race_once() && races < kMostRaces; ++races) search_.observe("searching");
}

/// Whether there is anything to race for.
bool Races::may_win() const {
  const auto previous = incumbents_.raceable_previous();
  if (!options_.races_if_faster || !previous) return true;
  const std::vector<Screened> pool = screened();
  return std::any_of(pool.begin(), pool.end(), [&](const Screened& one) {
    return !one.censored && one.time_ns < *candidates_[*previous].trial.time_ns;
  });
}

/// True if an entrant failed, so that others may have to race now.
bool Races::race_once() {
  std::vector<Screened> pool;
  std::vector<Finalist> entrants;
  do {
    pool = screened();
    if (pool.empty() || parts_.stop) return false;
    entrants = choose_finalists(pool, device_.noise().finalist_policy(), incumbents_.raceable_baseline(),
                                incumbents_.raceable_previous());
    add_serving(entrants);
    for (Finalist& entrant : entrants) entrant.id = representative(entrant.id);
    if (final_ && !left_out(entrants)) return false;
  } while (!search_.bring_binaries(ids(entrants)));
  if (parts_.stop) return false;
  for (const Finalist& entrant : entrants) raced_.insert(entrant.id);
  const std::optional<FinalResult> before = std::move(final_);
  const std::size_t failed_before = failed_.size();
  search_.observe("racing");
  compile_ahead(entrants);
  final_ = run_final_race(entrants, race_options(pool),
                          {candidates_, device_, parts_.stop,
                           [this](EntryId entry, const CandidateFailure& failure) { record_failure(entry, failure); },
                           [this](EntryId entry) { return awkward_sizes_.check(entry); }});
  racing_gpu_ms_ += final_->gpu_ms;
  for (const EntryId entry : final_->rested) raced_.erase(entry);
  // A winner that was verified before the session was stopped is still one.
  if (before && before->winner && parts_.stop && !final_->winner) final_ = before;
  return failed_.size() > failed_before;
}

/// For the fastest few, of which one is likely to win.
void Races::compile_ahead(const std::vector<Finalist>& entrants) {
  constexpr std::size_t kLikely = 3;
  std::vector<EntryId> fastest;
  for (const Finalist& entrant : entrants) {
    if (!entrant.is_baseline) fastest.push_back(entrant.id);
  }
  std::stable_sort(fastest.begin(), fastest.end(),
                   [&](EntryId a, EntryId b) { return *candidates_[a].trial.time_ns < *candidates_[b].trial.time_ns; });
  fastest.resize(std::min(fastest.size(), kLikely));
  for (const EntryId entry : fastest) awkward_sizes_.compile_ahead(entry);
}

FinalRaceOptions Races::race_options(const std::vector<Screened>& pool) {
  const double lead_in = lead_in_ns(task_.device(), options_.mode);
  FinalRaceOptions options;
  options.tournament =
      tournament_options(pool, device_.time().screening_gpu_s * 1e9, lead_in, options_.seed, parts_.device.gpus());
  options.baseline = incumbents_.raceable_baseline();
  options.seed = options_.seed;
  const std::optional<double> best_ns = candidates_.best_ns();
  if (options_.contended && best_ns) options.block_runs = samples_against_interruptions(*best_ns);
  return options;
}

void Races::record_failure(EntryId entry, const CandidateFailure& failure) {
  journal_.add_late_failure(candidates_, entry, failure);
  for (const EntryId twin : candidates_.twins(entry)) failed_.insert(twin);
}

/// Whether one of them has not raced, although it was faster than the winner, or there is none.
bool Races::left_out(const std::vector<Finalist>& entrants) const {
  const auto time_of = [&](EntryId entry) { return *candidates_[entry].trial.time_ns; };
  return std::any_of(entrants.begin(), entrants.end(), [&](const Finalist& entrant) {
    if (raced_.count(entrant.id) > 0) return false;
    return !final_->winner || time_of(entrant.id) < time_of(*final_->winner_entry());
  });
}

/// Everything that ran and was timed, now or in an earlier session, and has not failed since; each binary once.
std::vector<Screened> Races::screened() const {
  std::vector<Screened> pool;
  for (const EntryId entry : candidates_.ids()) {
    const cache::Trial& trial = candidates_[entry].trial;
    if (!candidates_[entry].finished || trial.outcome != Outcome::ok || !trial.duplicate_of.empty()) continue;
    if (failed_.count(entry) > 0) continue;
    pool.push_back({entry, *trial.time_ns, trial.censored});
  }
  return pool;
}

/// What a program uses now races to the end, as an earlier winner does.
void Races::add_serving(std::vector<Finalist>& entrants) const {
  const auto serving = incumbents_.raceable_serving();
  if (!serving) return;
  const auto same = std::find_if(entrants.begin(), entrants.end(),
                                 [&](const Finalist& entrant) { return candidates_.original(entrant.id) == *serving; });
  (same != entrants.end() ? *same : entrants.emplace_back(Finalist{.id = *serving})).is_previous = true;
}

/// Of several configurations that are the same binary and launch, the one that would win a tie races for all, so
/// that it does not matter which was compiled first.
EntryId Races::representative(EntryId entry) const {
  const auto baseline = incumbents_.raceable_baseline();
  std::vector<EntryId> twins = candidates_.twins(entry);
  std::erase_if(twins, [&](EntryId twin) { return !candidates_[twin].finished; });
  std::vector<TieCandidate> same;
  for (const EntryId twin : twins) {
    const search::Configuration& configuration = candidates_[twin].configuration;
    const int differing = baseline ? differing_parameters(configuration, candidates_[*baseline].configuration) : 0;
    same.push_back({differing, 0, candidates_.text(twin)});
  }
  return twins[choose_winner(same)];
}

}  // namespace tuner::engine
