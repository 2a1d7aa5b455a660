#include "tests/cache/support.hpp"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tuner::cache::test {
namespace {

constexpr uid_t kNobody = 65534;

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int run_in_child(const std::function<void()>& action, bool unprivileged) {
  const pid_t child = fork();
  if (child != 0) return wait_for(child);
  if (unprivileged && geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(2);
  try {
    action();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "in the child process: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tuner-cache-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

DecisionKey some_key() {
  return {"prefetch", "prefetch:0123456789abcdef", "row_length=65536,rows=528", "NVIDIA H200|sm_90|132", "cold",
          "time"};
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
                 .binary_hash = "00112233445566778899aabbccddeeff"};
  trial.launch = "grid=528x1x1 block=128x1x1 shared=65536";
  trial.duplicate_of = "BLOCKDIMX=128,STRATEGY=unrolled";
  trial.compile_ms = 81.25;
  trial.verify_ms = 1.5;
  trial.timing_ms = 2.75;
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

Decision full_decision() {
  Decision decision;
  decision.key = some_key();
  decision.reuse_hash = "reuse";
  decision.session = "session-1";
  decision.configuration = "BLOCKDIMX=512,STRATEGY=unrolled";
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
  decision.binary_hash = "ffeeddccbbaa99887766554433221100";
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
  quarantined.binary_hash = "00112233445566778899aabbccddeeff";
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

void check_same(const Quarantined& a, const Quarantined& b) {
  CHECK(a.key == b.key);
  CHECK(a.binary_hash == b.binary_hash);
  CHECK(a.launch == b.launch);
  CHECK(a.driver == b.driver);
  CHECK(a.configuration == b.configuration);
  CHECK(a.outcome == b.outcome);
  CHECK(a.message == b.message);
  CHECK(a.launch_timeout_ms == b.launch_timeout_ms);
  CHECK(a.session == b.session);
  CHECK(a.created_unix_ms == b.created_unix_ms);
}

void check_same(const Trial& a, const Trial& b) {
  CHECK(a.key == b.key);
  CHECK(a.reuse_hash == b.reuse_hash);
  CHECK(a.session == b.session);
  CHECK(a.sequence == b.sequence);
  CHECK(a.configuration == b.configuration);
  CHECK(a.outcome == b.outcome);
  CHECK(a.message == b.message);
  CHECK(a.censored == b.censored);
  CHECK(a.time_ns == b.time_ns);
  CHECK(a.samples_ns == b.samples_ns);
  CHECK(a.facts.registers == b.facts.registers);
  CHECK(a.facts.stack_bytes == b.facts.stack_bytes);
  CHECK(a.facts.spill_store_bytes == b.facts.spill_store_bytes);
  CHECK(a.facts.spill_load_bytes == b.facts.spill_load_bytes);
  CHECK(a.facts.static_shared_bytes == b.facts.static_shared_bytes);
  CHECK(a.facts.dynamic_shared_bytes == b.facts.dynamic_shared_bytes);
  CHECK(a.facts.occupancy == b.facts.occupancy);
  CHECK(a.facts.occupancy_limiter == b.facts.occupancy_limiter);
  CHECK(a.facts.binary_hash == b.facts.binary_hash);
  CHECK(a.launch == b.launch);
  CHECK(a.duplicate_of == b.duplicate_of);
  CHECK(a.compile_ms == b.compile_ms);
  CHECK(a.verify_ms == b.verify_ms);
  CHECK(a.timing_ms == b.timing_ms);
  CHECK(a.conditions == b.conditions);
  CHECK(a.origin == b.origin);
  CHECK(a.created_unix_ms == b.created_unix_ms);
}

void check_same(const Decision& a, const Decision& b) {
  CHECK(a.key == b.key);
  CHECK(a.reuse_hash == b.reuse_hash);
  CHECK(a.session == b.session);
  CHECK(a.configuration == b.configuration);
  CHECK(a.baseline == b.baseline);
  CHECK(a.time_ns == b.time_ns);
  CHECK(a.baseline_time_ns == b.baseline_time_ns);
  CHECK(a.speedup == b.speedup);
  CHECK(a.speedup_low == b.speedup_low);
  CHECK(a.speedup_high == b.speedup_high);
  CHECK(a.confidence == b.confidence);
  REQUIRE(a.ties.size() == b.ties.size());
  for (std::size_t i = 0; i < a.ties.size(); ++i) {
    CHECK(a.ties[i].configuration == b.ties[i].configuration);
    CHECK(a.ties[i].relative_time == b.ties[i].relative_time);
  }
  CHECK(a.race_blocks == b.race_blocks);
  CHECK(a.verified == b.verified);
  CHECK(a.awkward_sizes == b.awkward_sizes);
  CHECK(a.noisy == b.noisy);
  CHECK(a.contended == b.contended);
  CHECK(a.binary_hash == b.binary_hash);
  CHECK(a.launch == b.launch);
  CHECK(a.counters == b.counters);
  CHECK(a.conditions == b.conditions);
  CHECK(a.origin == b.origin);
  CHECK(a.created_unix_ms == b.created_unix_ms);
}

std::unique_ptr<SqliteStore> open_store(const std::filesystem::path& path, Access access) {
  return SqliteStore::open({.path = path, .access = access});
}

std::string error_of(Errc code, const std::function<void()>& action) {
  // Thrown rather than checked, so that a mistake in a child process ends it with a status.
  try {
    action();
  } catch (const Error& error) {
    if (error.code() == code) return error.what();
    throw std::runtime_error(std::string("an Error of another code was thrown: ") + error.what());
  }
  throw std::runtime_error("no Error was thrown");
}

int in_child(const std::function<void()>& action) {
  return run_in_child(action, false);
}

int in_unprivileged_child(const std::function<void()>& action) {
  return run_in_child(action, true);
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

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tuner::cache::test
