#include "tuner/fleet/queue/queue.hpp"

#include <fmt/format.h>

#include <string_view>

#include "tuner/error.hpp"
#include "tuner/fleet/job/sha256.hpp"

namespace tuner::fleet {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kLongestLog = std::size_t{1} << 20;

/// Rolls back what was not committed.
class Together {
 public:
  explicit Together(Connection& connection) : connection_(connection) { connection_.ask("BEGIN"); }
  ~Together() {
    if (is_done_) return;
    try {
      connection_.ask("ROLLBACK");
    } catch (const Error&) {  // then the server has done so
    }
  }
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;
  void commit() {
    connection_.ask("COMMIT");
    is_done_ = true;
  }

 private:
  Connection& connection_;
  bool is_done_ = false;
};

Parameter log_of(std::string_view log) {
  return Parameter::binary(log.substr(0, kLongestLog));
}

}  // namespace

Queue::Queue(const Address& address) : connection_(address) {
  const Rows about = connection_.ask("SELECT version, lease_seconds FROM tuner_fleet.describe()");
  if (about.size() != 1 || about.number(0, 0) != kVersion) {
    throw Error(Errc::store_newer,
                fmt::format("The queue has version {}, and this program knows version {}: use the program that belongs "
                            "to it.",
                            about.size() == 1 ? about.text(0, 0) : "none", kVersion));
  }
  lease_s_ = about.real(0, 1);
}

std::vector<std::int64_t> Queue::submit(const std::string& team, std::span<const std::string> contents,
                                        std::span<const Submission> jobs) {
  Together together(connection_);
  for (const std::string& content : contents) {
    connection_.ask("SELECT tuner_fleet.put_content($1, $2)", {team, Parameter::binary(content)});
  }
  std::vector<std::int64_t> numbers;
  for (const Submission& job : jobs) {
    const Rows rows = connection_.ask(
        "SELECT tuner_fleet.submit($1, $2, $3, $4, $5, $6, $7)",
        {team, job.file, job.kernel, job.problem, job.device, job.priority, Parameter::binary(job.spec)});
    numbers.push_back(rows.number(0, 0));
  }
  together.commit();
  return numbers;
}

std::optional<std::string> Queue::cancel(std::int64_t job) {
  std::string state = connection_.ask("SELECT tuner_fleet.cancel($1)", {job}).text(0, 0);
  if (state.empty()) return std::nullopt;
  return state;
}

std::string Queue::log(std::int64_t job) {
  const Rows rows =
      connection_.ask("SELECT body FROM tuner_fleet.log WHERE job = $1 ORDER BY attempt DESC LIMIT 1", {job});
  return rows.size() == 0 ? "" : rows.bytes(0, 0);
}

std::vector<Counted> Queue::count() {
  const Rows rows = connection_.ask("SELECT state, count(*) FROM tuner_fleet.job GROUP BY state");
  std::vector<Counted> all;
  for (const char* const state : {"queued", "running", "done", "aside", "cancelled"}) {
    Counted& counted = all.emplace_back(Counted{state, 0});
    for (int row = 0; row < rows.size(); ++row) {
      if (rows.text(row, 0) == state) counted.jobs = rows.number(row, 1);
    }
  }
  return all;
}

std::vector<Listed> Queue::list(std::optional<std::int64_t> job) {
  const Rows rows = connection_.ask(
      "SELECT id, team, submitter, file, kernel, problem, device, state, worker, reason, priority, tries, "
      "coalesce(extract(epoch FROM now() - submitted), -1), coalesce(extract(epoch FROM now() - taken), -1), "
      "coalesce(extract(epoch FROM now() - finished), -1), coalesce(extract(epoch FROM now() - heartbeat), -1) "
      "FROM tuner_fleet.job WHERE id = $1 OR $1::bigint = 0 AND state <> 'done' "
      "ORDER BY state = 'running' DESC, state = 'queued' DESC, priority DESC, id",
      {job.value_or(0)});
  std::vector<Listed> all;
  for (int row = 0; row < rows.size(); ++row) {
    Listed& listed = all.emplace_back();
    listed.job = rows.number(row, 0);
    int column = 1;
    for (std::string* const text : {&listed.team, &listed.submitter, &listed.file, &listed.kernel, &listed.problem,
                                    &listed.device, &listed.state, &listed.worker, &listed.reason}) {
      *text = rows.text(row, column++);
    }
    for (int* const number : {&listed.priority, &listed.tries}) *number = static_cast<int>(rows.number(row, column++));
    for (double* const seconds : {&listed.submitted_s, &listed.taken_s, &listed.finished_s, &listed.heartbeat_s}) {
      *seconds = rows.real(row, column++);
    }
  }
  return all;
}

std::optional<Taken> Queue::take(const std::string& worker, const std::string& device) {
  const Rows rows =
      connection_.ask("SELECT job, team, attempt, token, spec FROM tuner_fleet.take($1, $2)", {worker, device});
  if (rows.size() == 0) return std::nullopt;
  return Taken{rows.number(0, 0), rows.text(0, 1), static_cast<int>(rows.number(0, 2)), rows.text(0, 3),
               rows.bytes(0, 4)};
}

std::int64_t Queue::count_open(const std::string& device) {
  return connection_.ask("SELECT tuner_fleet.count_open($1)", {device}).number(0, 0);
}

std::optional<std::string> Queue::content(const std::string& team, const std::string& hash) {
  const Rows rows = connection_.ask("SELECT body FROM tuner_fleet.content WHERE team = $1 AND hash = $2",
                                    {team, Parameter::binary(hash)});
  if (rows.size() == 0) return std::nullopt;
  return rows.bytes(0, 0);
}

bool Queue::beat(const Taken& taken) {
  return connection_.ask("SELECT tuner_fleet.beat($1, $2, $3)", {taken.job, taken.attempt, taken.token}).truth(0, 0);
}

bool Queue::store_rows(const Taken& taken, const std::vector<std::string>& rows) {
  return connection_
      .ask("SELECT tuner_fleet.store_rows($1, $2, $3, $4)",
           {taken.job, taken.attempt, taken.token, Parameter::list(rows)})
      .truth(0, 0);
}

bool Queue::finish(const Taken& taken, const std::string& session, std::size_t rows, const std::string& log) {
  return connection_
      .ask("SELECT tuner_fleet.finish($1, $2, $3, $4, $5, $6)",
           {taken.job, taken.attempt, taken.token, session, static_cast<std::int64_t>(rows), log_of(log)})
      .truth(0, 0);
}

bool Queue::fail(const Taken& taken, const std::string& reason, const std::string& log, bool is_final) {
  return connection_
      .ask("SELECT tuner_fleet.fail($1, $2, $3, $4, $5, $6)",
           {taken.job, taken.attempt, taken.token, reason, log_of(log), is_final})
      .truth(0, 0);
}

bool Queue::could_not_work(const Taken& taken, const std::string& log) {
  return connection_
      .ask("SELECT tuner_fleet.could_not_work($1, $2, $3, $4)", {taken.job, taken.attempt, taken.token, log_of(log)})
      .truth(0, 0);
}

bool Queue::give_back(const Taken& taken) {
  return connection_.ask("SELECT tuner_fleet.give_back($1, $2, $3)", {taken.job, taken.attempt, taken.token})
      .truth(0, 0);
}

std::vector<Accepted> Queue::accepted() {
  const Rows rows = connection_.ask(
      "SELECT r.job, r.attempt, r.session, j.kernel, j.problem FROM tuner_fleet.result r JOIN tuner_fleet.job j "
      "ON j.id = r.job ORDER BY r.accepted, r.job");
  std::vector<Accepted> all;
  for (int row = 0; row < rows.size(); ++row) {
    all.push_back({rows.number(row, 0), static_cast<int>(rows.number(row, 1)), rows.text(row, 2), rows.text(row, 3),
                   rows.text(row, 4)});
  }
  return all;
}

std::vector<std::string> Queue::rows(const Accepted& accepted) {
  const Rows rows = connection_.ask("SELECT body, hash FROM tuner_fleet.result_row WHERE job = $1 AND attempt = $2",
                                    {accepted.job, accepted.attempt});
  std::vector<std::string> bodies;
  for (int row = 0; row < rows.size(); ++row) {
    bodies.push_back(rows.bytes(row, 0));
    if (sha256(bodies.back()) == rows.bytes(row, 1)) continue;
    throw Error(Errc::store_damaged,
                "A row of the queue was changed after it was written, and nothing of its job was taken.");
  }
  return bodies;
}

}  // namespace tuner::fleet
