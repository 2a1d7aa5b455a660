#pragma once

#include <signal.h>

#include <chrono>
#include <future>
#include <string>

#include "tests/end_to_end/story.hpp"
#include "tuner/engine_protocol/engine_client.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::test {

/// What faults.cu is used with before it is tuned.
inline const std::string kBaseline = "FLAVOUR=0,KIND=right,VARIANT=0";

/// A user whose programs use the library. This process is the user's: its environment is, from the construction on.
class Applicant : public Tuner {
 public:
  Applicant();

  /// faults.cu, of which only the configurations are valid for which `constraint` is true, with n = 1000.
  JobSubject subject(const std::string& constraint = "KIND == right") const;
  CompileJob compile_job(const std::string& configuration) const;
  /// `subject`, of which the fastest is the right one. A share makes it background tuning.
  TuneJob tune_job(const std::string& constraint) const;

  std::size_t count(const std::string& role) const;  ///< of living processes: "engine", or a worker's role
  /// Sends a signal to what works in that role. False if there is nobody.
  bool kill(const std::string& role) const { return signal(role, SIGKILL); }
  bool signal(const std::string& role, int number) const;
};

std::future<TuneAnswer> start_tuning(EngineClient& client, TuneJob job);
/// Waits for it.
TuneAnswer answer_of(std::future<TuneAnswer> tuning);
inline TuneAnswer tune(EngineClient& client, TuneJob job) {
  return answer_of(start_tuning(client, std::move(job)));
}
/// Which must be a decision.
TuneAnswer decided(TuneAnswer answer);

/// A program in a process of its own: tunes the job, says what came out, and waits for its end.
class Application {
 public:
  explicit Application(const TuneJob& job);
  void kill() { process_.kill(); }
  TuneAnswer answer();

 private:
  ChildProcess process_;
};

/// Compilers are polite, and a busy machine lets them wait long.
inline std::chrono::steady_clock::time_point with_patience() {
  return std::chrono::steady_clock::now() + std::chrono::minutes(5);
}

/// Sixteen right ones, the fastest of all among them.
inline const std::string kSixteen = "KIND == right && VARIANT in (0, 4, 8, 12)";

}  // namespace tuner::test
