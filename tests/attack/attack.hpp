#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/attack/chance.hpp"
#include "tests/attack/program_door.hpp"
#include "tests/attack/sandbox.hpp"

namespace tuner::attack {

/// One thing that must not have happened.
struct Finding {
  std::string section;
  std::uint64_t number = 0;  ///< of the case
  std::string what;          ///< in one line
  std::string signature;     ///< equal for what is probably the same defect
};

/// What is expected of a command line, beside what is expected of all.
struct Expectation {
  std::set<std::string> may_change = {};  ///< folders and files of the sandbox, by their names in it
  std::set<int> exit_codes = {0, 1, 2, 3, 4, 5, 6, 7};
  std::set<int> signals = {};  ///< that it may end by
  bool text_matters = true;    ///< what it says is checked for what was to be escaped, and for lines that were forged
  std::chrono::seconds patience{10};  ///< without any progress
};

/// Text that is planted behind line breaks: a line of output that begins with it was forged.
inline const std::string kForged = "FORGED-LINE";

struct Programs {
  std::filesystem::path tuner, engine, worker, helper, fork_server, fake_driver, data;
  int lives = 1;  ///< command lines that a process runs in turn
};

/// One process of the campaign: its sandbox, its programs, what it found.
class Attack {
 public:
  Attack(Programs programs, std::uint64_t seed, std::filesystem::path root, std::filesystem::path keep);

  const Programs& programs() const { return programs_; }
  const Sandbox& sandbox() const { return sandbox_; }
  std::filesystem::path operator/(const std::string& name) const { return sandbox_ / name; }
  std::uint64_t seed() const { return seed_; }

  void begin_case(const std::string& section, std::uint64_t number);
  /// Of the case, for whoever looks at a finding: "two bits flipped at 0x30".
  void note(const std::string& what) { notes_ += what + "\n"; }

  /// Runs `tuner` and looks at how it ended, at what it said and at what it touched.
  Ending run(const std::vector<std::string>& words, const Expectation& expectation = {});
  /// Another program, "live" (with the fake driver, and workers of in/libexec), "replayer" (with its own), "engine",
  /// "worker" or "helper".
  Ending run(const std::string& program, const std::vector<std::string>& words, const Expectation& expectation);
  /// Or `tuner` in a process of its own: "victim"; "limited", with the fake driver; "checker", with a C++ compiler
  /// whose parts lie in in/bin.
  Door& door(const std::string& program);

  /// What was found otherwise. The sandbox is kept as it is now.
  void find(const std::string& what, const std::string& command_line, const Ending* ending = nullptr);
  /// What is wrong with an ending in any case.
  void judge(const Ending& ending, const Expectation& expectation, const std::string& command_line);
  const std::vector<Finding>& findings() const { return findings_; }
  std::uint64_t runs() const { return runs_; }
  /// Of all command lines: how long it took, and which it was.
  std::chrono::nanoseconds longest() const { return longest_; }
  const std::string& longest_run() const { return longest_run_; }

 private:
  Programs programs_;
  std::uint64_t seed_;
  Sandbox sandbox_;
  std::filesystem::path keep_;
  std::map<std::string, std::unique_ptr<Door>> doors_;
  std::string section_;
  std::uint64_t number_ = 0;
  std::string notes_;
  std::vector<Finding> findings_;
  std::map<std::string, int> kept_;  ///< how many of a signature
  std::uint64_t runs_ = 0;
  std::chrono::nanoseconds longest_{0};
  std::string longest_run_;
};

/// A kind of attack: `count` cases in the whole campaign.
struct Section {
  const char* name;
  std::uint64_t count;
  void (*prepare)(Attack&);  ///< once a process, before the first case
  void (*run)(Attack&, Chance&);
};
extern const Section kDatabases, kSources, kPlainSources, kT1Files, kRecordings, kForeignResults, kDataFiles, kFrozen,
    kCommandLines, kConversations, kJobs, kMeetings, kKills, kUpkeep, kPages, kCaptures, kBuilds;

/// The database that every case begins with, made by prepare_databases: decisions.db, binaries.db, served.db and
/// wanted.db.
void prepare_databases(Attack& attack);

}  // namespace tuner::attack
