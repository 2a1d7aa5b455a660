#include "tuner/engine/session/awkward_sizes.hpp"

#include <doctest/doctest.h>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

/// The kernel of the laboratory with a declared domain.
Task task_with_domain(const std::string& further = {}) {
  std::string text = kKernel;
  text.replace(text.find("#pragma tuner grid"), 0, "#pragma tuner problem_constraint(n >= 1)\n" + further);
  return make_task({}, text);
}

TEST_CASE("a winner is verified at awkward sizes before it is published, and the decision says at how many") {
  Laboratory laboratory(task_with_domain(), ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == "BLOCK=256,UNROLL=2");
  CHECK(report.awkward_problems == std::vector<std::string>{"n=999", "n=1001", "n=255", "n=997", "n=7", "n=1"});
  CHECK(report.awkward_note.empty());
  CHECK(laboratory.store.find_decision(laboratory.task.key("cold"))->awkward_sizes == 6);
  CHECK(laboratory.device.lengths == std::vector<std::uint64_t>{1000, 999, 1001, 255, 997, 7, 1});
  CHECK(laboratory.compile.submitted.size() == 11);  // the programs do not depend on the size
}

TEST_CASE("without a declared domain the step is skipped, and the report says so") {
  Laboratory laboratory;
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.verified);
  CHECK(report.decision.awkward_sizes == 0);
  CHECK(report.awkward_problems.empty());
  CHECK(report.awkward_note.find("problem_constraint") != std::string::npos);
  CHECK(laboratory.device.lengths == std::vector<std::uint64_t>{1000});
}

TEST_CASE("a winner that fails at an awkward size is withdrawn with the size, and the next best is verified") {
  Laboratory laboratory(task_with_domain(), except("BLOCK=256,UNROLL=2", [](Behaviour& behaviour) {
                          behaviour.at_length = [](std::uint64_t length) {
                            return length % 2 == 0 ? Outcome::ok : Outcome::guard_violation;
                          };
                        }));
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == "BLOCK=256,UNROLL=1");
  CHECK(report.decision.verified);
  CHECK(report.decision.awkward_sizes == 6);
  // It failed at 999; then the problem was prepared again for the next one.
  CHECK(laboratory.device.lengths == std::vector<std::uint64_t>{1000, 999, 1000, 999, 1001, 255, 997, 7, 1});
  const cache::Trial late = laboratory.rows().back();
  CHECK(late.configuration == "BLOCK=256,UNROLL=2");
  CHECK(late.outcome == Outcome::guard_violation);
  CHECK(late.message.find("At the size n=999") != std::string::npos);

  // And it stays withdrawn.
  const TuneReport again = laboratory.tune();
  CHECK(again.decision.configuration == "BLOCK=256,UNROLL=1");
  CHECK(again.decision.counters.at("reused") == 11);
}

TEST_CASE("programs that have the size as a constant are compiled for each size") {
  Laboratory laboratory(task_with_domain("#pragma tuner define(N = UNROLL == 2 ? n : 0)\n"), ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(report.decision.configuration == "BLOCK=256,UNROLL=2");
  CHECK(report.decision.awkward_sizes == 6);
  CHECK(laboratory.compile.submitted.size() == 11 + 6);
}

TEST_CASE("a size at which the baseline fails says nothing about the winner") {
  class BrokenReference final : public DeviceLane {
   public:
    explicit BrokenReference(FakeDeviceLane& lane) : lane_(lane) {}
    const DeviceInfo& info() override { return lane_.info(); }
    void submit(TicketId ticket, DeviceRequest request) override {
      if (std::holds_alternative<ConfirmCandidate>(request) && lane_.lengths.back() == 255) broken_ = ticket;
      lane_.submit(ticket, std::move(request));
    }
    std::vector<Completion> poll() override {
      auto completions = lane_.poll();
      for (auto& [ticket, reply] : completions) {
        if (ticket != broken_) continue;
        reply.outcome = Outcome::illegal_access;
        reply.result = ConfirmResult{.reference_failed = true};
      }
      return completions;
    }
    void cancel(TicketId ticket) override { lane_.cancel(ticket); }
    std::size_t room() const override { return lane_.room(); }
    std::vector<int> wait_fds() const override { return lane_.wait_fds(); }
    std::chrono::steady_clock::time_point next_deadline() const override { return lane_.next_deadline(); }

   private:
    FakeDeviceLane& lane_;
    TicketId broken_ = 0;
  };
  Laboratory laboratory(task_with_domain(), ordinary);
  BrokenReference device(laboratory.device);
  const TuneReport report =
      run_session(laboratory.task, {},
                  {laboratory.compile, device, laboratory.store, nullptr, laboratory.observer, laboratory.stop});
  CHECK(report.decision.configuration == "BLOCK=256,UNROLL=2");
  CHECK(report.decision.awkward_sizes == 5);
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings.front().find("n=255") != std::string::npos);
}

}  // namespace
}  // namespace tuner::engine
