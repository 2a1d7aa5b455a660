#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tuner/cli/fleet/fleet_actions.hpp"
#include "tuner/cli/fleet/queue_option.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/json_list.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/error.hpp"
#include "tuner/fleet/queue/queue.hpp"

namespace tuner::cli {

namespace {

using Json = nlohmann::ordered_json;

std::int64_t job_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number > 0) return number;
  throw Error(Errc::bad_usage,
              fmt::format("`{}` is no number of a job: `tuner fleet status` lists them.", one_line(text, 100)));
}

Json seconds_json(double seconds) {
  return seconds < 0 ? Json(nullptr) : Json(std::round(seconds * 1000) / 1000);
}

Json job_json(const fleet::Listed& job) {
  return {{"job", job.job},
          {"state", job.state},
          {"team", job.team},
          {"submitter", job.submitter},
          {"file", job.file},
          {"kernel", job.kernel},
          {"problem", job.problem},
          {"device", text_or_null(job.device)},
          {"priority", job.priority},
          {"tries", job.tries},
          {"worker", text_or_null(job.worker)},
          {"reason", text_or_null(job.reason)},
          {"submitted_s_ago", seconds_json(job.submitted_s)},
          {"taken_s_ago", seconds_json(job.taken_s)},
          {"finished_s_ago", seconds_json(job.finished_s)},
          {"heartbeat_s_ago", seconds_json(job.heartbeat_s)}};
}

Json counts_json(const std::vector<fleet::Counted>& counts) {
  Json object = Json::object();
  for (const fleet::Counted& counted : counts) object[counted.state] = counted.jobs;
  return object;
}

std::string counts_text(const std::vector<fleet::Counted>& counts) {
  std::string text;
  for (const fleet::Counted& counted : counts) {
    const std::string name = counted.state == "aside" ? "set aside" : counted.state;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(static_cast<std::uint64_t>(counted.jobs)), name);
  }
  return text;
}

std::string ago(double seconds) {
  return seconds < 0 ? "-" : duration_text(seconds);
}

std::string note_of(const fleet::Listed& job) {
  if (job.state == "running") return fmt::format("{}, heard of {} ago", job.worker, ago(job.heartbeat_s));
  return job.reason.empty() ? "-" : job.reason;
}

void print_jobs(const std::vector<fleet::Listed>& jobs) {
  using Align = Table::Align;
  Table table({{"job", Align::right},
               {"state"},
               {"kernel"},
               {"problem"},
               {"GPU"},
               {"tries", Align::right},
               {"waits", Align::right},
               {"note"}},
              0);
  for (const fleet::Listed& job : jobs) {
    table.add({std::to_string(job.job), job.state, job.kernel, job.problem, job.device.empty() ? "any" : job.device,
               std::to_string(job.tries), ago(job.submitted_s), note_of(job)});
  }
  print(table.text(output_width()));
}

ExitCode show_job(fleet::Queue& queue, std::int64_t number, bool json) {
  const std::vector<fleet::Listed> found = queue.list(number);
  if (found.empty()) {
    say(fmt::format("There is no job {} of your teams: `tuner fleet status` lists them.", number));
    return ExitCode::no_result;
  }
  std::string log;
  try {
    log = queue.log(number);
  } catch (const fleet::Unreachable&) {
    throw;
  } catch (const Error&) {  // the log is for whoever submits; a reader sees the rest
  }
  if (json) {
    Json object = job_json(found.front());
    object["log"] = text_or_null(log);
    print_json({{"format", 1}, {"jobs", Json::array({std::move(object)})}});
    return ExitCode::done;
  }
  print_jobs(found);
  if (!log.empty()) print("\n" + printable(log) + "\n");
  return ExitCode::done;
}

bool is_over(const std::vector<fleet::Counted>& counts) {
  for (const fleet::Counted& counted : counts) {
    if ((counted.state == "queued" || counted.state == "running") && counted.jobs > 0) return false;
  }
  return true;
}

/// A line whenever the counts change, until nothing is left to do.
ExitCode watch(const fleet::Address& address) {
  const Interrupts interrupts;
  fleet::Queue queue(address);
  std::string shown;
  while (!interrupts.flag()) {
    const std::vector<fleet::Counted> counts = queue.count();
    const std::string text = counts_text(counts);
    if (text != shown) print(text + "\n");
    std::fflush(stdout);
    shown = text;
    if (is_over(counts)) return ExitCode::done;
    for (int i = 0; i < 20 && !interrupts.flag(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return ExitCode::interrupted;
}

}  // namespace

ExitCode fleet_status(const Arguments& arguments) {
  const std::span<const std::string> operands = std::span(arguments.operands()).subspan(1);
  if (operands.size() > 1) throw Error(Errc::bad_usage, "`tuner fleet status` shows one job, or all: give one number.");
  const fleet::Address address = queue_address(arguments);
  const bool json = arguments.has("json");
  if (arguments.has("watch")) {
    if (json || !operands.empty()) {
      throw Error(Errc::bad_usage, "--watch shows counts of jobs as text: leave --json and the job's number out.");
    }
    return watch(address);
  }
  const std::int64_t number = operands.empty() ? 0 : job_number(operands.front());
  fleet::Queue queue(address);
  if (number > 0) return show_job(queue, number, json);
  const std::vector<fleet::Counted> counts = queue.count();
  const std::vector<fleet::Listed> jobs = queue.list();
  if (json) {
    print_json({{"format", 1}, {"counts", counts_json(counts)}, {"jobs", json_list(jobs, job_json)}});
    return ExitCode::done;
  }
  print(counts_text(counts) + "\n");
  if (!jobs.empty()) {
    print("\n");
    print_jobs(jobs);
  }
  return ExitCode::done;
}

ExitCode fleet_cancel(const Arguments& arguments) {
  const std::span<const std::string> operands = std::span(arguments.operands()).subspan(1);
  if (operands.empty()) throw Error(Errc::bad_usage, "`tuner fleet cancel` needs the numbers of jobs to cancel.");
  std::vector<std::int64_t> numbers;
  for (const std::string& operand : operands) numbers.push_back(job_number(operand));
  fleet::Queue queue(queue_address(arguments));
  bool all = true;
  Json jobs = Json::array();
  for (const std::int64_t number : numbers) {
    const auto state = queue.cancel(number);
    all = all && state == "cancelled";
    if (arguments.has("json")) {
      jobs.push_back({{"job", number}, {"state", state ? Json(*state) : Json(nullptr)}});
    } else if (!state) {
      say(fmt::format("Job {} is none that you submitted.", number));
    } else if (*state != "cancelled") {
      say(fmt::format("Job {} is {} already.", number, *state == "aside" ? "set aside" : *state));
    } else {
      print(fmt::format("job {}: cancelled\n", number));
    }
  }
  if (arguments.has("json")) print_json({{"format", 1}, {"jobs", std::move(jobs)}});
  return all ? ExitCode::done : ExitCode::no_result;
}

}  // namespace tuner::cli
