#include "tuner/cli/fleet/fleet_job.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cache/exchange/key_rows.hpp"
#include "cache/file/location.hpp"
#include "tuner/cli/tune/tune_request.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/job/package.hpp"
#include "tuner/fleet/job/row_text.hpp"
#include "tuner/process/private_folder.hpp"

namespace tuner::cli {

namespace {

constexpr std::size_t kLongestLog = std::size_t{256} << 10;

/// What a job's submitter is told.
class JobLog final : public engine::Observer {
 public:
  void warning(const std::string& sentence) override { add(sentence); }
  void trial(const cache::Trial& trial) override { last_ = trial.outcome; }
  /// How the last configuration ended.
  Outcome last() const { return last_; }
  void add(const std::string& text) {
    if (text_.size() < kLongestLog && said_.insert(text).second) text_ += text + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::set<std::string> said_;
  std::string text_;
  Outcome last_ = Outcome::ok;
};

bool is_compilers(Outcome outcome) {
  return outcome == Outcome::compile_error || outcome == Outcome::compile_timeout || outcome == Outcome::compile_memory;
}

/// Why a job failed, for the whole team; nothing for trouble that is this machine's.
std::optional<std::string> reason_for(Errc code) {
  switch (code) {
    case Errc::bad_description:
      return "Its source or its description cannot be used.";
    case Errc::bad_problem:
    case Errc::empty_space:
      return "Its problem does not fit the kernel.";
    case Errc::file_not_found:
      return "It needs a file that it does not carry.";
    case Errc::bad_usage:
    case Errc::bad_recording:
      return "It asks for something that cannot be done.";
    case Errc::baseline_failed:
      return "Its baseline does not compile, or does not run.";
    default:
      return std::nullopt;
  }
}

/// Compilers quote the source and what it includes.
void move_compiler_messages(cache::KeyRows& rows, JobLog& log) {
  for (cache::Trial& trial : rows.trials) {
    if (!is_compilers(trial.outcome) || trial.message.empty()) continue;
    log.add(fmt::format("{}: {}", named_assignments(trial.configuration), trial.message));
    trial.message = "What the compiler said is for who submitted the job.";
  }
}

TuneRequest request_for(const fleet::JobSpec& spec, KernelDescription kernel, const std::filesystem::path& folder,
                        const FleetPlace& place) {
  TuneRequest request;
  request.confined_to = folder;
  request.description = std::move(kernel);
  request.problems.push_back({parse_problem(spec.problem), {}});
  request.mode = spec.timing;
  request.session.mode = spec.timing;
  request.session.effort = spec.effort;
  request.session.takes_stored = true;
  request.devices = {place.device};
  request.workers = place.workers;
  request.compile_timeout = place.compile_timeout;
  request.compile_memory = place.compile_memory;
  request.database = place.database;
  return request;
}

/// Throws Error{store_unavailable} where the session could not store what it found: its observer was warned why.
/// Another worker of this machine may have stored something newer meanwhile.
void require_stored(const cache::KeyRows& rows, const TuneReport& report, const FleetPlace& place) {
  if (rows.decision && (rows.decision->session == report.decision.session || report.stored.decision)) return;
  throw Error(Errc::store_unavailable,
              fmt::format("What was found could not be stored in {}: make room on its disk, or make it writable.",
                          place.database.string()));
}

fleet::Answer answer_of(const TuneReport& report, const FleetPlace& place, JobLog& log) {
  for (const FailureReport& failure : report.failures) {
    log.add(fmt::format("{} x {}, such as {}: {}", failure.count, to_string(failure.outcome),
                        named_assignments(failure.example_configuration), failure.example_message));
  }
  if (!report.decision.has_winner()) {
    return {.reason = "No configuration gave the right result.", .is_final = true, .log = log.take()};
  }
  cache::KeyRows rows = cache::read_key_rows(cache::locate(place.database).decisions, report.decision.key);
  require_stored(rows, report, place);
  move_compiler_messages(rows, log);
  return {.is_done = true, .session = newest_session(rows), .rows = fleet::row_texts(rows), .log = log.take()};
}

}  // namespace

fleet::Answer tune_job(const fleet::Package& package, const FleetPlace& place, const std::atomic<bool>& stop) {
  JobLog log;
  std::optional<TuneReport> report;
  const TuneContext context{
      .observer = log, .stop = stop, .deliver = [&](TuneReport delivered) { report = std::move(delivered); }};
  const PrivateFolder folder("fleet", "a job");
  try {
    tune_live(request_for(package.spec, fleet::unpack_job(package, folder.path()), folder.path(), place), context);
  } catch (const Error& error) {
    if (stop) return {};
    const auto reason = reason_for(error.code());
    if (!reason) throw;
    log.add(error.what());
    // What a GPU refuses today it may run tomorrow; a source stays as it is.
    const bool may_run = error.code() == Errc::baseline_failed && !is_compilers(log.last());
    return {.reason = *reason, .is_final = !may_run, .log = log.take()};
  }
  if (stop || !report) return {};
  return answer_of(*report, place, log);
}

}  // namespace tuner::cli
