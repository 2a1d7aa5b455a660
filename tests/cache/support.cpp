#include "tests/cache/support.hpp"

#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace tuner::cache::test {
namespace {

constexpr uid_t kNobody = 65534;

}  // namespace

DecisionKey some_key() {
  return {"prefetch", "prefetch:0123456789abcdef", "row_length=65536,rows=528", "NVIDIA H200|sm_90|132", "cold",
          "time"};
}

DecisionKey key_of_problem(const std::string& problem) {
  DecisionKey key = some_key();
  key.problem = problem;
  return key;
}

std::vector<Trial> full_trials(std::size_t count) {
  std::vector<Trial> trials(count, full_trial());
  for (std::size_t i = 0; i < count; ++i) trials[i].sequence = static_cast<std::int64_t>(i);
  return trials;
}

Trial full_trial() {
  Trial trial;
  trial.key = some_key();
  trial.reuse_hash = "reuse";
  trial.session = "session-1";
  trial.sequence = 17;
  trial.configuration = "BLOCKDIMX=128,STRATEGY=none";
  trial.outcome = Outcome::wrong_result;
  trial.message = "sums[3] is 1, expected 2";
  trial.censored = true;
  trial.time_ns = 123456.789;
  trial.samples_ns = {0.1, 1e300, 123456.78900000001, 5e-324, 3};
  trial.facts = {.registers = 42,
                 .stack_bytes = 8,
                 .spill_store_bytes = 16,
                 .spill_load_bytes = 24,
                 .static_shared_bytes = 1024,
                 .dynamic_shared_bytes = 65536,
                 .occupancy = 0.4375,
                 .occupancy_limiter = "registers",
                 .binary_hash = {"00112233445566778899aabbccddeeff"}};
  trial.launch = "grid=528x1x1 block=128x1x1 shared=65536";
  trial.duplicate_of = "BLOCKDIMX=128,STRATEGY=unrolled";
  trial.gpu = "GPU-01234567-89ab-cdef-0123-456789abcdef";
  trial.compile_ms = 81.25;
  trial.verify_ms = 1.5;
  trial.timing_ms = 2.75;
  trial.result_cost_ms = 12.5;
  trial.conditions = {"0.1.0", "13.0.88", "580.159"};
  trial.origin = Origin::imported;
  trial.created_unix_ms = 1'700'000'000'123;
  return trial;
}

Trial bare_trial() {
  Trial trial;
  trial.key = some_key();
  trial.session = "session-1";
  trial.configuration = "BLOCKDIMX=64,STRATEGY=none";
  trial.created_unix_ms = 1;
  return trial;
}

Decision full_decision(const std::string& configuration) {
  Decision decision;
  decision.key = some_key();
  decision.reuse_hash = "reuse";
  decision.session = "session-1";
  decision.configuration = configuration;
  decision.baseline = "BLOCKDIMX=128,STRATEGY=none";
  decision.time_ns = 98765.4321;
  decision.baseline_time_ns = 200000.25;
  decision.speedup = 2.025;
  decision.speedup_low = 2.01;
  decision.speedup_high = 2.04;
  decision.confidence = 0.99;
  decision.ties = {{"BLOCKDIMX=512,STRATEGY=unrolled", 1}, {"BLOCKDIMX=256,STRATEGY=unrolled", 1.0041}};
  decision.race_blocks = 64;
  decision.verified = true;
  decision.awkward_sizes = 5;
  decision.noisy = true;
  decision.contended = true;
  decision.effort = Effort::full;
  decision.evaluated = 708;
  decision.space_size = 9921;
  decision.space_hash = "0123456789abcdef0123456789abcdef";
  decision.stopped_because = "the budget of 60.0 s is spent";
  decision.binary_hash = {"ffeeddccbbaa99887766554433221100"};
  decision.launch = "grid=528x1x1 block=512x1x1 shared=0";
  decision.counters = {{"asked", 708}, {"compiled", 700}, {"failed_compile_error", 8}};
  decision.conditions = {"0.1.0", "13.0.88", "580.159"};
  decision.origin = Origin::replay;
  decision.created_unix_ms = 1'700'000'000'456;
  return decision;
}

Decision bare_decision() {
  Decision decision;
  decision.key = some_key();
  decision.configuration = "BLOCKDIMX=64,STRATEGY=none";
  decision.created_unix_ms = 1;
  return decision;
}

Quarantined full_quarantined() {
  Quarantined quarantined;
  quarantined.key = some_key();
  quarantined.binary_hash = {"00112233445566778899aabbccddeeff"};
  quarantined.launch = "grid=528x1x1 block=128x1x1 shared=65536 scratch=4096";
  quarantined.driver = "580.159";
  quarantined.configuration = "BLOCKDIMX=128,STRATEGY=none";
  quarantined.outcome = Outcome::run_timeout;
  quarantined.message = "still running after 2 s";
  quarantined.launch_timeout_ms = 2000;
  quarantined.session = "session-1";
  quarantined.created_unix_ms = 1'700'000'000'789;
  return quarantined;
}

namespace {

/// The fields of a record as text: "time_ns = 12.5".
class FieldTexts {
 public:
  template <class T>
  void operator()(const char* name, const T& member) {
    lines.push_back(fmt::format("{} = {}", name, text(member)));
  }
  void operator()(const char*, const std::vector<Tie>& ties) {
    for (const Tie& tie : ties) describe(*this, tie);
  }

  std::vector<std::string> lines;

 private:
  template <class T>
  static std::string text(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return std::to_string(static_cast<int>(value));
    } else {
      return fmt::format("{}", value);
    }
  }
  template <class T>
  static std::string text(const std::optional<T>& value) {
    return value ? text(*value) : "none";
  }
};

template <class Record>
std::vector<std::string> texts_of(const Record& record) {
  FieldTexts texts;
  describe(texts, record);
  return std::move(texts.lines);
}

template <class Record>
void check_same_fields(const Record& a, const Record& b) {
  const std::vector<std::string> of_a = texts_of(a), of_b = texts_of(b);
  REQUIRE(of_a.size() == of_b.size());
  for (std::size_t i = 0; i < of_a.size(); ++i) CHECK(of_a[i] == of_b[i]);
}

}  // namespace

void check_same(const Quarantined& found, const Quarantined& expected) {
  check_same_fields(found, expected);
}

void check_same(const std::vector<Trial>& found, const std::vector<Trial>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) check_same_fields(found[i], expected[i]);
}

void check_same(const std::optional<Decision>& found, const Decision& expected) {
  REQUIRE(found);
  Decision with_row = expected;
  with_row.row = found->row;  // a record that was not stored has none
  check_same_fields(*found, with_row);
}

std::vector<std::string> field_texts(const Trial& trial) {
  return texts_of(trial);
}

std::vector<std::string> field_texts(const Decision& decision) {
  return texts_of(decision);
}

std::unique_ptr<SqliteStore> open_store(const std::filesystem::path& path, Access access) {
  return SqliteStore::open({.path = path, .access = access});
}

std::string check_error(Errc code, const std::vector<std::string>& parts, const std::function<void()>& action) {
  const std::string message = error_of(code, action);
  for (const std::string& part : parts) {
    if (!contains(message, part)) throw std::runtime_error("the message lacks \"" + part + "\": " + message);
  }
  return message;
}

pid_t start_child(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    action();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in the child process: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int in_child(const std::function<void()>& action) {
  return status_of(start_child(action));
}

int in_unprivileged_child(const std::function<void()>& action) {
  return in_child([&] {
    if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(2);
    action();
  });
}

void hand_over(const std::filesystem::path& path) {
  if (geteuid() == 0) REQUIRE(chown(path.c_str(), kNobody, kNobody) == 0);
}

std::vector<std::string> sql(const std::filesystem::path& path, const std::string& statements) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  std::vector<std::string> rows;
  const auto add_row = [](void* to, int count, char** values, char**) {
    std::string row;
    for (int i = 0; i < count; ++i) {
      if (i > 0) row += '|';
      row += values[i] == nullptr ? "NULL" : values[i];
    }
    static_cast<std::vector<std::string>*>(to)->push_back(row);
    return 0;
  };
  const int result = sqlite3_exec(handle, statements.c_str(), add_row, &rows, nullptr);
  const std::string message = sqlite3_errmsg(handle);
  sqlite3_close(handle);
  INFO(statements << ": " << message);
  REQUIRE(result == SQLITE_OK);
  return rows;
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace tuner::cache::test
