#include "tests/end_to_end/story.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tuner/ground/unique_handle.hpp"

namespace tuner::test {

namespace {

using Database = UniqueHandle<sqlite3*, sqlite3_close_v2>;

// Seen from outside, so without any code of the product.
std::vector<Words> ask(const std::filesystem::path& file, const char* sql) {
  std::vector<Words> rows;
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  const Database owned_database(database);
  if (opened != SQLITE_OK) return rows;
  sqlite3_busy_timeout(database, 10000);
  const auto add_row = [](void* to, int columns, char** values, char**) {
    Words& row = static_cast<std::vector<Words>*>(to)->emplace_back();
    for (int i = 0; i < columns; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "NULL");
    return 0;
  };
  // It fails while there is no table: the program has not come so far.
  sqlite3_exec(database, sql, add_row, &rows, nullptr);
  return rows;
}

// What the kernel says with zero bytes between.
std::vector<std::string> words_of(const std::filesystem::path& file) {
  std::vector<std::string> words;
  std::istringstream text(read_bytes(file));
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  return words;
}

bool belongs_to(const std::filesystem::path& process, const std::filesystem::path& home) {
  const std::vector<std::string> variables = words_of(process / "environ");
  return std::ranges::find(variables, "HOME=" + home.string()) != variables.end();
}

}  // namespace

bool eventually(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Tuner::Tuner() {
  environment["TUNER_DRIVER"] = TUNER_FAKE_DRIVER;
  environment["FAKE_DRIVER"] = "noise=3";
  environment["FAKE_DRIVER_JOURNAL"] = journal_file().string();
  environment["FAKE_DRIVER_GPU"] = home().string();  // of its own: sessions on one GPU wait for each other
}

Words Tuner::words(const Words& where, const Words& more) const {
  Words all{"tune",  TUNER_FAULTS,        "--problem",    "n=1000", "--json", "--workers", "2", "--launch-timeout",
            "100ms", "--compile-timeout", compile_timeout};
  for (const std::string& expression : where) all.insert(all.end(), {"--where", expression});
  if (std::ranges::find(more, "--budget") == more.end()) all.insert(all.end(), {"--effort", "full"});
  return joined(std::move(all), more);
}

TuneReport Tuner::tune(const Words& where, const Words& more) const {
  return read_report(run(words(where, more)));
}

std::vector<Row> Tuner::rows() const {
  std::vector<Row> rows;
  for (const auto& values :
       ask(data() / "decisions.db",
           "SELECT trial_id, session, configuration, outcome.name, message, gpu, trial.* FROM trial "
           "JOIN run USING (run_id) JOIN outcome USING (outcome) ORDER BY trial_id")) {
    Row& row = rows.emplace_back(Row{std::stoll(values[0]), values[1], values[2], values[3], values[4], values[5], {}});
    for (std::size_t i = 6; i < values.size(); ++i) row.everything += values[i] + "\n";
  }
  return rows;
}

std::size_t Tuner::count_rows() const {
  const auto counted = ask(data() / "decisions.db", "SELECT count(*) FROM trial");
  return counted.empty() ? 0 : std::stoul(counted[0][0]);
}

void Tuner::check_outcomes() const {
  for (const Row& row : rows()) {
    CAPTURE(row.configuration);
    CAPTURE(row.message);
    CHECK(row.outcome == class_of(row.configuration));
  }
}

std::vector<std::string> Tuner::journal() const {
  std::vector<std::string> lines;
  std::ifstream file(journal_file());
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::size_t Tuner::count_in_journal(const std::string& beginning) const {
  const std::vector<std::string> lines = journal();
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [&](const std::string& line) { return line.starts_with(beginning); }));
}

std::vector<Process> Tuner::processes() const {
  std::vector<Process> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || !belongs_to(entry.path(), home())) continue;
    // "PID (program) state parent ..."
    const std::string stat = read_bytes(entry.path() / "stat");
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 'Z';
    Process process;
    fields >> state >> process.parent;
    if (state == 'Z') continue;
    process.pid = std::stoi(name);
    const std::vector<std::string> command = words_of(entry.path() / "cmdline");
    if (command.size() > 1 && command[0].find("tuner-worker") != std::string::npos) process.role = command[1];
    if (command.size() > 1 && command[0].find("tuner-engine") != std::string::npos) process.role = "engine";
    const std::string visible = "CUDA_VISIBLE_DEVICES=";
    for (const std::string& variable : words_of(entry.path() / "environ")) {
      if (variable.starts_with(visible)) process.gpus = variable.substr(visible.size());
    }
    found.push_back(process);
  }
  return found;
}

TuneReport read_report(const Result& result) {
  TuneReport told{.exit_code = result.exit_code, .err = result.err};
  if (result.out.empty()) return told;
  const auto report = nlohmann::json::parse(result.out)["reports"][0];
  if (!report["winner"].is_null()) told.winner = report["winner"]["configuration"];
  told.counters = report["counters"].get<std::map<std::string, std::int64_t>>();
  told.warnings = report["warnings"].get<std::vector<std::string>>();
  return told;
}

void check_winner(const TuneReport& told, const std::string& winner) {
  INFO(told.err);
  CHECK(told.exit_code == 0);
  CHECK(told.winner == winner);
}

std::string kind_of(const std::string& configuration) {
  const std::string name = "KIND=";
  const std::size_t at = configuration.find(name) + name.size();
  return configuration.substr(at, configuration.find(',', at) - at);
}

const std::string& class_of(const std::string& configuration) {
  static const std::map<std::string, std::string> classes = {
      {"right", "ok"},
      {"does_not_compile", "compile_error"},
      {"compiles_forever", "compile_timeout"},
      {"refused", "launch_refused"},
      {"too_many_threads", "launch_refused"},
      {"too_much_shared", "launch_refused"},
      {"too_large", "out_of_memory"},
      {"faults", "illegal_access"},
      {"faults_timed", "illegal_access"},
      {"misaligned", "illegal_access"},
      {"traps", "illegal_access"},
      {"past_end", "guard_violation"},
      {"before_start", "guard_violation"},
      {"input", "input_modified"},
      {"input_timed", "input_modified"},
      {"wrong", "wrong_result"},
      {"unwritten", "unwritten_output"},
      {"flaky", "nondeterministic"},
      {"hangs", "run_timeout"},
      {"hangs_timed", "run_timeout"},
      {"dies", "worker_lost"},
      {"killed", "worker_lost"},
  };
  return classes.at(kind_of(configuration));
}

}  // namespace tuner::test
