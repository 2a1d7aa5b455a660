#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/core/task/problem_list.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

/// Several problems of one kernel on GPUs of one kind, and who runs their sessions.
struct Together {
  const KernelDescription& kernel;
  const std::vector<GivenProblem>& problems;  ///< complete, each once
  const SessionOptions& options;              ///< of every session, but for what others teach it
  const cache::Store& store;  ///< in which the sessions record; where there are several seats, of any thread
  /// A portfolio's member may lose so much: 0.02 is two per cent. More: fewer members.
  double within = 0.02;
  /// Whether the problems are taken as they come, because there may not be time for all.
  bool keeps_order = false;
  /// How many sessions run at the same time, each on a seat (a GPU) of its own and in a thread of its own, which `run`
  /// is called in. One: all in the caller's thread.
  std::size_t seats = 1;
  /// How much there is to do in a launch for each problem, in any unit; empty: not known.
  std::vector<double> work = {};
  /// Runs the session of the problem at this position on this seat; nothing if it is not to begin any more.
  std::function<std::optional<TuneReport>(std::size_t problem, const SessionOptions& options, std::size_t seat)> run;
  /// Takes what is news about a problem: its first report, and a further one if its winner is replaced. One call after
  /// the other, in the thread of the seat.
  std::function<void(TuneReport report, std::size_t seat)> deliver;
  /// Takes why a problem cannot be tuned, likewise. If it is not given, the first such error is thrown in the end.
  std::function<void(std::size_t problem, const Error& error)> failed = {};
  /// Called in the thread of each of several seats before its first session. What it throws is thrown in the end, and
  /// no other session begins; then `refused` is called, there, so that those that have begun can be ended.
  std::function<void(std::size_t seat)> begin = {};
  std::function<void()> refused = {};
  /// Told, in its thread, that a seat leaves because its GPU was lost; another one goes on with its problem.
  std::function<void(std::size_t seat, const Error& error)> left = {};
};

/// Whether an error of a session is about its problem, so that others may be tuned all the same.
bool concerns_one_problem(Errc code);

/// Tunes the problems in an order in which each is far from those before (spread_order). What is best on those before
/// is tried first on the next, which then needs less of a search of its own (limits_of). On several seats the last
/// begin with the longest, so that all seats end together. In the end a shortlist, of which portfolio and rule choose,
/// is measured where it was never tried, and what turns out to be faster than a winner there takes its place. False if
/// it was interrupted, or no problem could be tuned. Throws what the sessions throw.
bool tune_together(const Together& together);

}  // namespace tuner::engine
