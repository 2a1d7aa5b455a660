#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace tuner::test {

/// One row of the database's trials.
struct Row {
  std::int64_t id = 0;
  std::string session, configuration, outcome, message, gpu;
  std::string everything;  ///< all columns of the table as text: equal if nothing changed
};

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string role;  ///< of a worker: "compile" or "device"; "engine"; empty for the program itself
  std::string gpus;  ///< that it may see, as CUDA_VISIBLE_DEVICES has them
};

/// What `tuner tune --json` said.
struct TuneReport {
  int exit_code = -1;
  std::string err;
  std::string winner;  ///< empty if there was none
  std::map<std::string, std::int64_t> counters;
  std::vector<std::string> warnings;
};

/// Looks every few milliseconds until `condition` is true; false if it is not after five minutes.
bool eventually(const std::function<bool()>& condition);

/// A user whose GPU is the fake driver and whose everything else is real: program, workers, compiler, database. Tunes
/// faults.cu (see there), with two compile workers and short limits.
class Tuner : public User {
 public:
  Tuner();

  /// `tuner tune` of all configurations for which all of `where` is true: on a slow machine the default would leave
  /// some out. `more` may name a budget.
  TuneReport tune(const Words& where, const Words& more = {}) const;
  /// The words of that call, for a program that is watched while it runs.
  Words words(const Words& where, const Words& more = {}) const;
  std::string compile_timeout = "60s";

  /// All trials, in the order in which they were recorded. Empty while there is no database.
  std::vector<Row> rows() const;
  std::size_t count_rows() const;
  /// What the fake driver was asked: "launch faults time=...", one line each.
  std::vector<std::string> journal() const;

  /// Each trial ended as its configuration deserves.
  void check_outcomes() const;

  /// The journal's lines that begin so.
  std::size_t count_in_journal(const std::string& beginning) const;

  /// All processes that were started from this user's home and still live, but for zombies.
  std::vector<Process> processes() const;
  bool all_processes_end() const {
    return eventually([&] { return processes().empty(); });
  }

 private:
  std::filesystem::path journal_file() const { return home() / "journal"; }
};

/// What `tuner tune --json` printed, read.
TuneReport read_report(const Result& result);

/// The session ended well, with this winner.
void check_winner(const TuneReport& told, const std::string& winner);

/// The value of KIND in a configuration's text.
std::string kind_of(const std::string& configuration);
/// The outcome that a configuration of faults.cu deserves while the space is searched.
const std::string& class_of(const std::string& configuration);

/// The right configuration that is the fastest.
inline const std::string kFastest = "FLAVOUR=2,KIND=right,VARIANT=12";
/// All kinds but those that fail only in the final race or on other inputs.
inline const std::string kSearched = "KIND not in (faults_racing, hangs_racing, faults_elsewhere, wrong_elsewhere)";

}  // namespace tuner::test
