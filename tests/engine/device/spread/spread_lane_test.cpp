#include "tuner/engine/device/spread/spread_lane.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <numeric>

#include "tests/engine/session/laboratory.hpp"

namespace tuner::engine {
namespace {

/// A GPU that answers one request at a poll. Each configuration takes the time that its name says, in microseconds.
class SlowGpu final : public DeviceLane {
 public:
  explicit SlowGpu(int ordinal) : info_(known_device("H200")) {
    info_.ordinal = ordinal;
    info_.uuid = "GPU-" + std::to_string(ordinal);
  }

  double slowness = 1;
  bool is_lost = false;
  std::string fails_in_blocks;   ///< a configuration
  int slower_from = -1;          ///< the request from which on all takes twice as long
  std::vector<std::string> did;  ///< a word for each request that was answered

  const DeviceInfo& info() override { return info_; }
  void submit(TicketId ticket, DeviceRequest request) override { waiting_.push_back({ticket, std::move(request)}); }
  std::vector<Completion> poll() override {
    if (is_lost) throw Error(Errc::device_lost, "GPU " + std::to_string(info_.ordinal) + " was abandoned.");
    if (waiting_.empty()) return {};
    auto [ticket, request] = std::move(waiting_.front());
    waiting_.pop_front();
    return {{ticket, std::visit([this](const auto& known) { return answer(known); }, request)}};
  }
  void cancel(TicketId) override {}
  std::size_t room() const override { return 4 - std::min<std::size_t>(4, waiting_.size()); }
  std::vector<int> wait_fds() const override { return {}; }
  std::chrono::steady_clock::time_point next_deadline() const override { return {}; }

 private:
  TimedRun run(const Candidate& candidate) const {
    const double longer = slower_from >= 0 && static_cast<int>(did.size()) >= slower_from ? 2 : 1;
    return {.samples_ns = {1e3 * slowness * longer * std::stod(candidate.configuration)}};
  }
  DeviceReply answer(const PrepareProblem&) { return done("prepare", PrepareResult{}); }
  DeviceReply answer(const RunReference& request) { return done("reference", ReferenceResult{run(request.candidate)}); }
  DeviceReply answer(const ScreenCandidate& request) {
    return done(request.candidate.configuration, ScreenResult{run(request.candidate)});
  }
  DeviceReply answer(const LoadFinalists& request) {
    resident_ = request.candidates.front();
    return done(request.beside_screening ? "common" : "load", LoadResult{});
  }
  DeviceReply answer(const RunBlock&) {
    if (resident_.configuration == fails_in_blocks) return {.outcome = Outcome::illegal_access};
    return done("block", BlockResult{.samples_ns = run(resident_).samples_ns});
  }
  DeviceReply answer(const ConfirmCandidate&) { return done("confirm", ConfirmResult{}); }
  DeviceReply answer(const auto&) { return done("other", {}); }
  DeviceReply done(const std::string& word, DeviceResult result) {
    did.push_back(word);
    return {.result = std::move(result)};
  }

  DeviceInfo info_;
  std::deque<std::pair<TicketId, DeviceRequest>> waiting_;
  Candidate resident_;
};

struct Spread {
  explicit Spread(std::size_t count) {
    std::vector<SpreadLane::Gpu> all;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      SlowGpu& gpu = *gpus.emplace_back(std::make_unique<SlowGpu>(i));
      all.push_back({&gpu, i, gpu.info().uuid});
    }
    lane.emplace(all, [this](const std::string& sentence) { said.push_back(sentence); });
  }

  void prepare() {
    call(PrepareProblem{});
    call(RunReference{.candidate = {.configuration = "1000"}});
  }
  /// The answer to one request.
  DeviceReply call(DeviceRequest request) {
    const TicketId ticket = ++last;
    lane->submit(ticket, std::move(request));
    return wait_for(ticket);
  }
  DeviceReply wait_for(TicketId ticket) {
    for (int polls = 0; polls < 1000; ++polls) {
      const auto found = answers.find(ticket);
      if (found != answers.end()) return found->second;
      poll();
    }
    FAIL("ticket ", ticket, " is not answered");
    return {};
  }
  void poll() {
    for (auto& [ticket, reply] : lane->poll()) {
      CHECK(answers.emplace(ticket, reply).second);  // once
      if (on_answer) on_answer();
    }
  }
  /// Screens configurations that take so long, as a session does; the time of each is what was answered.
  std::map<int, double> screen(const std::vector<int>& times_us) {
    std::map<TicketId, int> tickets;
    for (const int time_us : times_us) {
      while (lane->room() == 0) poll();
      lane->submit(++last, ScreenCandidate{.candidate = {.configuration = std::to_string(time_us)}});
      tickets[last] = time_us;
    }
    std::map<int, double> answered;
    for (const auto& [ticket, time_us] : tickets) {
      const DeviceReply reply = wait_for(ticket);
      answered[time_us] = reply.ok() ? reply.timed_run().samples_ns.front() / 1e3 : 0;
      screened_on[time_us] = reply.gpu;
    }
    return answered;
  }
  void check_screened(int first, int last_one) {
    std::vector<int> times_us;
    for (int time_us = first; time_us <= last_one; ++time_us) times_us.push_back(time_us);
    for (const auto& [time_us, answered] : screen(times_us)) {
      CAPTURE(time_us);
      CHECK(answered == doctest::Approx(time_us).epsilon(0.001));
    }
  }
  std::size_t did(std::size_t gpu, const std::string& word) const { return count(gpus[gpu]->did, word); }
  bool was_said(const std::string& words) const {
    return std::ranges::any_of(said, [&](const std::string& one) { return one.find(words) != std::string::npos; });
  }

  std::vector<std::unique_ptr<SlowGpu>> gpus;
  std::vector<std::string> said;
  std::optional<SpreadLane> lane;
  TicketId last = 0;
  std::map<TicketId, DeviceReply> answers;
  std::map<int, std::string> screened_on;
  std::function<void()> on_answer;
};

TEST_CASE("what prepares goes to all GPUs, candidates to whichever is free, and finalists to the first alone") {
  Spread spread(3);
  spread.prepare();
  CHECK(spread.lane->room() == 6);
  spread.check_screened(101, 160);
  std::map<std::string, int> screened;
  for (const auto& [time_us, gpu] : spread.screened_on) ++screened[gpu];
  CHECK(screened.size() == 3);
  for (const auto& [gpu, number] : screened) CHECK(number >= 15);
  spread.call(LoadFinalists{.candidates = {{.configuration = "101"}}});
  spread.call(RunBlock{.order = {0}});
  spread.call(ConfirmCandidate{});
  spread.call(PrepareProblem{});  // as for a check at other sizes
  for (const std::size_t gpu : {0, 1, 2}) {
    CHECK(spread.did(gpu, "prepare") == (gpu == 0 ? 2 : 1));
    CHECK(spread.did(gpu, "reference") == 1);
    CHECK(spread.did(gpu, "load") == (gpu == 0 ? 1 : 0));
    CHECK(spread.did(gpu, "confirm") == (gpu == 0 ? 1 : 0));
  }
  CHECK(spread.said.empty());
  CHECK(spread.lane->disagreement() == doctest::Approx(0));
}

TEST_CASE("a GPU that is slower has its times scaled, is told of once, and widens the band") {
  Spread spread(3);
  spread.gpus[1]->slowness = 1.06;
  spread.prepare();
  spread.check_screened(101, 160);
  spread.check_screened(50, 100);
  CHECK(spread.lane->disagreement() == doctest::Approx(0.06));
  REQUIRE(spread.said.size() == 1);
  CHECK(spread.said[0] ==
        "GPU 1 takes 6 % longer for the same configuration than the fastest of the GPUs: its times are scaled.");
}

TEST_CASE("the common configuration follows the best, and reading it costs a launch for every six candidates or so") {
  Spread spread(2);
  spread.prepare();
  spread.check_screened(200, 299);
  const std::size_t blocks = spread.did(0, "block") + spread.did(1, "block");
  CHECK(blocks >= 12);
  CHECK(blocks <= 24);
  CHECK(spread.did(0, "common") + spread.did(1, "common") >= 2);
}

TEST_CASE("a GPU that has agreed with itself for long is asked less often") {
  Spread spread(2);
  spread.prepare();
  spread.check_screened(200, 299);
  const std::size_t before = spread.did(0, "block") + spread.did(1, "block");
  spread.check_screened(300, 419);
  const std::size_t blocks = spread.did(0, "block") + spread.did(1, "block") - before;
  CHECK(blocks >= 9);
  CHECK(blocks <= 13);
  // Not for ever less.
  const std::size_t further = spread.did(0, "block") + spread.did(1, "block");
  spread.check_screened(420, 1400);
  CHECK(spread.did(0, "block") + spread.did(1, "block") - further >= 980 / 24);
}

TEST_CASE("what begins while a new common configuration is compared with the old one is laid to no other GPU") {
  for (int begins = 1; begins < 40; ++begins) {
    CAPTURE(begins);
    Spread spread(3);
    spread.prepare();
    spread.gpus[0]->slower_from = static_cast<int>(spread.gpus[0]->did.size()) + begins;
    spread.check_screened(101, 200);
    for (const std::string& sentence : spread.said) CHECK(sentence.starts_with("GPU 0 "));
  }
}

TEST_CASE("a common configuration that fails gives way, and nothing is lost over it") {
  Spread spread(2);
  for (const auto& gpu : spread.gpus) gpu->fails_in_blocks = "150";
  spread.prepare();
  spread.check_screened(150, 250);
  spread.check_screened(251, 300);
  CHECK(spread.did(0, "block") + spread.did(1, "block") > 15);
  spread.check_screened(100, 140);
  CHECK(spread.said.empty());
}

TEST_CASE("what a GPU screened while something else ran there is screened again, and no time is a wrong one") {
  Spread spread(3);
  spread.prepare();
  int answers = 0;
  spread.on_answer = [&] { spread.gpus[2]->slowness = ++answers / 40 % 2 == 1 ? 1.7 : 1; };
  spread.check_screened(101, 400);
  CHECK(
      spread.was_said("GPU 2 does not take as long for a configuration as it did before: what it measured in between "
                      "is measured again, and it measures less. Something else may be running there."));
  CHECK(spread.said.size() == 1);
}

TEST_CASE("a GPU that is far behind gets no candidates until it has caught up") {
  Spread spread(3);
  spread.gpus[0]->slowness = 1.5;
  spread.prepare();
  CHECK(
      spread.was_said("GPU 0 takes 50 % longer for the same configuration than the fastest of the GPUs: it measures "
                      "nothing while that is so."));
  CHECK(spread.lane->room() == 4);
  // Times are the first GPU's.
  for (const auto& [time_us, answered] : spread.screen({101, 102, 103, 104, 105, 106, 107, 108})) {
    CHECK(answered == doctest::Approx(1.5 * time_us).epsilon(0.001));
    CHECK(spread.screened_on[time_us] != "GPU-0");
  }
  spread.gpus[0]->slowness = 1;
  std::vector<int> more(40);
  std::iota(more.begin(), more.end(), 111);
  spread.screen(more);
  CHECK(spread.lane->room() == 6);
}

TEST_CASE("finalists do not race on a GPU that is behind") {
  Spread spread(2);
  spread.gpus[0]->slowness = 1.5;
  spread.prepare();
  spread.call(LoadFinalists{.candidates = {{.configuration = "101"}}});
  CHECK(spread.did(0, "load") == 0);
  CHECK(spread.did(1, "load") == 1);
  CHECK(spread.was_said("inalists race on GPU 1."));
}

TEST_CASE("a GPU that is lost goes, its candidates are screened by others, and the user hears of it") {
  Spread spread(3);
  spread.prepare();
  int answers = 0;
  spread.on_answer = [&] { spread.gpus[1]->is_lost = ++answers > 10; };
  spread.check_screened(101, 160);
  CHECK(spread.said == std::vector<std::string>{"GPU 1 was abandoned. The session goes on without GPU 1."});
  CHECK(spread.lane->room() == 4);
}

TEST_CASE("a candidate that loses two GPUs is answered, and when the last goes the lane throws") {
  Spread spread(3);
  spread.prepare();
  const TicketId ticket = ++spread.last;
  spread.lane->submit(ticket, ScreenCandidate{.candidate = {.configuration = "101"}});
  for (int lost = 0; lost < 2; ++lost) {
    CHECK(!spread.answers.contains(ticket));
    for (const auto& gpu : spread.gpus) gpu->is_lost = gpu->is_lost || gpu->room() < 4;
    spread.poll();
  }
  CHECK(spread.wait_for(ticket).outcome == Outcome::worker_lost);
  CHECK(spread.said.size() == 2);
  for (const auto& gpu : spread.gpus) gpu->is_lost = true;
  CHECK_THROWS_AS(spread.poll(), Error);
  CHECK_THROWS_AS(spread.poll(), Error);
}

TEST_CASE("where the GPU of the race is lost another takes the race over") {
  Spread spread(2);
  spread.prepare();
  spread.screen({101, 102, 103});
  spread.call(LoadFinalists{.candidates = {{.configuration = "101"}}});
  spread.gpus[0]->is_lost = true;
  const DeviceReply block = spread.call(RunBlock{.order = {0}});
  CHECK(block.result_of<RunBlock>().samples_ns == std::vector{101e3});
  CHECK(block.gpu == "GPU-1");
  CHECK(spread.did(1, "load") == 1);
  CHECK(spread.was_said("inalists race on GPU 1."));
  spread.call(PrepareProblem{});
  spread.gpus[1]->is_lost = true;
  CHECK_THROWS_AS(spread.lane->poll(), Error);
}

TEST_CASE("a session over several GPUs finds the same winner as over one, and each trial says which GPU ran it") {
  Laboratory one;
  const TuneReport alone = one.tune();
  Laboratory several;
  std::vector<std::unique_ptr<FakeDeviceLane>> gpus;
  std::vector<SpreadLane::Gpu> all;
  for (int i = 0; i < 3; ++i) {
    gpus.push_back(std::make_unique<FakeDeviceLane>(known_device("H200"), ordinary));
    all.push_back({gpus.back().get(), i, "GPU-" + std::to_string(i)});
  }
  SpreadLane lane(all, [](const std::string&) {});
  const TuneReport spread =
      run_session(several.task, {}, {several.compile, lane, several.store, nullptr, several.observer, several.stop});
  CHECK(spread.decision.configuration == alone.decision.configuration);
  std::map<std::string, int> rows;
  for (const cache::Trial& trial : several.rows()) ++rows[trial.gpu];
  CHECK(rows.size() == 3);
  CHECK(several.rows().size() == one.rows().size());
}

}  // namespace
}  // namespace tuner::engine
