// What a power failure interrupts: `power_victim SCENARIO FOLDER`, started with disk_recorder.cpp. Writes a line to
// standard output whenever the database has promised something, which puts a mark into the recording.
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>

#include "cache/exchange/exchange.hpp"
#include "cache/file/hash.hpp"
#include "cache/schema/set_aside.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/engine/session/fake_lanes.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/engine/session/session.hpp"

// Sessions write what they measured four times a second of this clock, which goes on whenever it is looked at.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static std::atomic<long> looks = 0;
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock != CLOCK_MONOTONIC) return result;
  const long milliseconds = 20 * ++looks;
  time->tv_nsec += milliseconds % 1000 * 1'000'000;
  time->tv_sec += milliseconds / 1000 + time->tv_nsec / 1'000'000'000;
  time->tv_nsec %= 1'000'000'000;
  return result;
}

namespace tuner::power {
namespace {

namespace fs = std::filesystem;

void mark(const std::string& promise) {
  const std::string line = promise + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) throw std::runtime_error("standard output is closed");
}

/// Says when rows are stored.
class MarkingStore final : public cache::Store {
 public:
  explicit MarkingStore(const fs::path& path) : store_(cache::SqliteStore::open({.path = path})) { mark("opened"); }

  void record_trials(std::span<const cache::Trial> trials) override {
    store_->record_trials(trials);
    mark(fmt::format("{} trials", trials.size()));
  }
  std::int64_t record_decision(const cache::Decision& decision) override {
    const std::int64_t row = store_->record_decision(decision);
    mark("decision");
    return row;
  }
  void record_texts(std::int64_t decision, std::span<const cache::DecisionText> texts) override {
    store_->record_texts(decision, texts);
    mark("texts");
  }
  void record_quarantine(const cache::Quarantined& quarantined) override {
    store_->record_quarantine(quarantined);
    mark("quarantine");
  }
  void forget(const cache::Filter& filter) {
    store_->forget(filter, cache::Forget::everything);
    mark("forgotten");
  }
  std::optional<cache::Decision> find_decision(const cache::DecisionKey& key) const override {
    return store_->find_decision(key);
  }
  std::optional<cache::Decision> find_decision(std::int64_t row) const override { return store_->find_decision(row); }
  std::vector<cache::Site> list_sites(const cache::DecisionKey& key) const override { return store_->list_sites(key); }
  std::vector<cache::Decision> list_decisions(const cache::Filter& filter) const override {
    return store_->list_decisions(filter);
  }
  std::vector<cache::Trial> find_trials(const cache::DecisionKey& key) const override {
    return store_->find_trials(key);
  }
  std::vector<cache::Trial> find_reusable(const cache::Run& run) const override { return store_->find_reusable(run); }
  std::vector<cache::Quarantined> find_quarantine(const cache::DecisionKey& key,
                                                  const std::string& driver) const override {
    return store_->find_quarantine(key, driver);
  }
  std::vector<cache::DecisionKey> list_keys(const cache::Filter& filter) const override {
    return store_->list_keys(filter);
  }

 private:
  std::unique_ptr<cache::SqliteStore> store_;
};

constexpr const char* kKernel = R"(
#pragma tuner kernel(saxpy)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCK, 32, 64, 96, 128, 160, 192, 224, 256; default 64)
#pragma tuner param(UNROLL, 1, 2, 3, 4, 5; default 1)
#pragma tuner grid(ceil_div(n, BLOCK * UNROLL)) block(BLOCK)
#pragma tuner in(x, float, n) inout(y, float, n)
#pragma tuner scalar(n, int32)
#pragma tuner work(bytes = 12 * n)
static const int configuration = BLOCK + UNROLL;
__global__ void saxpy(const float* x, float* y, int n) {}
)";

/// Code of several pages, the same each time it is compiled.
std::vector<std::byte> code_of(const std::string& configuration) {
  std::vector<std::byte> code;
  while (code.size() < 9000) {
    const std::string more = cache::content_hash(fmt::format("{} {}", configuration, code.size())).text;
    for (const char letter : more) code.push_back(static_cast<std::byte>(letter));
  }
  return code;
}

engine::Behaviour behaviour_of(const std::string& configuration) {
  engine::Behaviour behaviour;
  behaviour.cubin = code_of(configuration);
  behaviour.binary = cache::content_hash(behaviour.cubin).text;
  const std::string hash = cache::content_hash(configuration).text;
  behaviour.time_ns = 1e5 + 1e3 * static_cast<double>(hash[0]) + static_cast<double>(hash[1]);
  if (hash[2] == '0') behaviour.compile = Outcome::compile_error;
  if (hash[2] == '1') {
    behaviour.run = Outcome::illegal_access;
    behaviour.confirmed = true;
  }
  return behaviour;
}

void tune(cache::Store& store, cache::BinaryStore* binaries, int n, bool reuse = true) {
  const Task task(parse_descriptions(kKernel, "saxpy.cu").front(), {{"n", n}}, known_device("H200"), {});
  engine::FakeCompileLane compile(behaviour_of);
  engine::FakeDeviceLane device(known_device("H200"), behaviour_of);
  engine::Observer observer;
  const std::atomic<bool> stop = false;
  const engine::SessionOptions options{.strategy = "exhaustive", .reuse = reuse};
  engine::run_session(task, options, {compile, device, store, binaries, observer, stop});
}

/// Two problems, one of them again, and what a user does between.
void session(const fs::path& folder) {
  const fs::path home = folder / "new" / "share" / "tuner";
  MarkingStore store(home / "decisions.db");
  const auto binaries = cache::BinaryStore::open({.path = home / "binaries.db"});
  tune(store, binaries.get(), 1000);
  tune(store, binaries.get(), 2000);
  store.forget({.problem = "n=2000"});
  tune(store, binaries.get(), 1000, false);
}

void open_anew(const fs::path& folder) {
  MarkingStore store(folder / "decisions.db");
}

void open_binaries(const fs::path& folder) {
  cache::BinaryStore::open({.path = folder / "binaries.db"});
  mark("opened");
}

void export_all(const fs::path& folder) {
  cache::export_decisions({
      .from = folder / "decisions.db",
      .to = folder / "exported.db",
      .overwrite = true,
      .binaries = cache::ExportRequest::Binaries{folder / "binaries.db", folder / "code.db"},
  });
  mark("exported");
}

void import_all(const fs::path& folder) {
  cache::import_decisions(folder / "decisions.db", folder / "other.db");
  mark("imported");
}

void set_aside(const fs::path& folder) {
  cache::set_aside_damaged(folder / "decisions.db");
  mark("set aside");
  MarkingStore store(folder / "decisions.db");
  cache::Trial trial;
  trial.key = {"saxpy", "saxpy:0", "n=1000", "a device", "cold"};
  store.record_trials({&trial, 1});
}

const std::map<std::string, void (*)(const fs::path&)> kScenarios{
    {"session", session},   {"open", open_anew},    {"open-binaries", open_binaries},
    {"export", export_all}, {"import", import_all}, {"set-aside", set_aside},
};

}  // namespace
}  // namespace tuner::power

int main(int argc, char** argv) {
  try {
    if (argc != 3) return 2;
    tuner::power::kScenarios.at(argv[1])(argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
