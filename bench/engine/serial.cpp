// The same engine with one compile worker and nothing overlapped: one configuration is compiled, then run, then the
// next. What the engine's own arrangement is compared with.
//
//   bench_serial KERNEL_FILE PROBLEM WHERE...      prints the session's JSON report
#include <fmt/format.h>

#include <atomic>

#include "bench/engine/laboratory.hpp"
#include "bench/engine/tuner_program.hpp"
#include "bench/program.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/core/report/report.hpp"
#include "tuner/engine/session/session.hpp"

namespace {

using namespace tuner;

/// A lane that takes new work only while neither it nor its sibling has any.
template <typename Base, typename Request>
class OneAtATime : public Base {
 public:
  OneAtATime(Base& inner, int& under_way) : inner_(inner), under_way_(under_way) {}

  void submit(engine::TicketId ticket, Request request) override {
    ++under_way_;
    inner_.submit(ticket, std::move(request));
  }
  std::vector<typename Base::Completion> poll() override {
    auto answered = inner_.poll();
    under_way_ -= static_cast<int>(answered.size());
    return answered;
  }
  void cancel(engine::TicketId ticket) override { inner_.cancel(ticket); }
  std::size_t room() const override { return under_way_ == 0 ? 1 : 0; }
  std::vector<int> wait_fds() const override { return inner_.wait_fds(); }
  std::chrono::steady_clock::time_point next_deadline() const override { return inner_.next_deadline(); }

 protected:
  Base& inner_;
  int& under_way_;
};

using SerialCompiling = OneAtATime<engine::CompileLane, engine::CompileRequest>;

class SerialDevice final : public OneAtATime<engine::DeviceLane, engine::DeviceRequest> {
 public:
  using OneAtATime::OneAtATime;
  std::size_t room() const override { return inner_.room(); }
  const DeviceInfo& info() override { return inner_.info(); }
  std::vector<std::string> support_sources() const override { return inner_.support_sources(); }
};

void run(int argc, char** argv) {
  if (argc < 3) throw std::runtime_error("usage: bench_serial KERNEL_FILE PROBLEM WHERE...");
  engine::CompilePool pool({.workers = 1});
  engine::DeviceProcessLane worker{engine::DeviceLaneOptions{}};
  int under_way = 0;
  SerialCompiling compile(pool, under_way);
  SerialDevice device(worker, under_way);
  const Task task = bench::make_task(argv[1], argv[2], {argv + 3, argv + argc}, device.info());
  const bench::ScratchFolder folder;
  const auto store = cache::SqliteStore::open({.path = folder.path() / "decisions.db"});
  engine::Observer observer;
  const std::atomic<bool> stop{false};
  const TuneReport report = engine::run_session(
      task, {}, {.compile = compile, .device = device, .store = *store, .observer = observer, .stop = stop});
  fmt::print("{}\n", to_json(report, true));
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_serial", [&] { run(argc, argv); });
}
