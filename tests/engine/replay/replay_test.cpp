// What is concluded from launches, with a lane that answers as a GPU would.
#include "tuner/engine/replay/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tuner/engine/replay/launch_facts.hpp"
#include "tuner/engine/replay/stored_replay.hpp"

namespace tuner::engine {
namespace {

using capture::StoredLaunch;
using capture::StoredMemory;

constexpr std::uint64_t kBase = 0x7f0000000000, kEach = 1 << 20;

/// Of a kernel with so many pointers, whose memory launches leave as it was.
capture::Capture capture_of(std::size_t allocations, const std::string& kernel = "k") {
  capture::Capture capture;
  StoredLaunch& launch = capture.launches.emplace_back();
  launch.kernel = kernel;
  for (std::size_t i = 0; i < allocations; ++i) {
    StoredMemory memory{.address = kBase + i * kEach};
    memory.before.size = memory.after.size = 64;
    memory.before.hash = memory.after.hash = std::string(32, 'a');
    launch.allocations.push_back(memory);
    capture::Parameter parameter{8 * i, std::vector<std::byte>(8)};
    std::memcpy(parameter.bytes.data(), &memory.address, 8);
    launch.parameters.push_back(parameter);
  }
  return capture;
}

/// Answers each request at once, or none.
class Answers final : public DeviceLane {
 public:
  explicit Answers(std::function<void(const ReplayLaunch&, DeviceReply&, ReplayResult&)> answer)
      : answer_(std::move(answer)) {}

  void submit(TicketId ticket, DeviceRequest request) override {
    const auto& replay = std::get<ReplayLaunch>(request);
    DeviceReply reply;
    ReplayResult result;
    answer_(replay, reply, result);
    reply.result = std::move(result);
    completions_.push_back({ticket, std::move(reply)});
    asked.push_back(replay);
  }
  std::vector<Completion> poll() override {
    return is_silent ? std::vector<Completion>() : std::exchange(completions_, {});
  }
  void cancel(TicketId) override {}
  std::size_t room() const override { return 1; }
  std::vector<int> wait_fds() const override { return {}; }
  std::chrono::steady_clock::time_point next_deadline() const override {
    return std::chrono::steady_clock::time_point::min();
  }
  const DeviceInfo& info() override { return info_; }

  std::vector<ReplayLaunch> asked;
  bool is_silent = false;

 private:
  std::function<void(const ReplayLaunch&, DeviceReply&, ReplayResult&)> answer_;
  std::vector<Completion> completions_;
  DeviceInfo info_;
};

/// What a replay owns in place of them.
class Borrowed final : public DeviceLane {
 public:
  explicit Borrowed(Answers& lane) : lane_(lane) {}
  void submit(TicketId ticket, DeviceRequest request) override { lane_.submit(ticket, std::move(request)); }
  std::vector<Completion> poll() override { return lane_.poll(); }
  void cancel(TicketId ticket) override { lane_.cancel(ticket); }
  std::size_t room() const override { return lane_.room(); }
  std::vector<int> wait_fds() const override { return lane_.wait_fds(); }
  std::chrono::steady_clock::time_point next_deadline() const override { return lane_.next_deadline(); }
  const DeviceInfo& info() override { return lane_.info(); }

 private:
  Answers& lane_;
};

/// `paddings` becomes what the workers were started with.
std::optional<ReplayedLaunch> replay_launch(Answers& lane, const capture::Capture& capture,
                                            const std::atomic<bool>& stop, std::vector<std::uint64_t>& paddings) {
  const auto make_lane = [&](std::uint64_t padding) {
    paddings.push_back(padding);
    return std::make_unique<Borrowed>(lane);
  };
  return Replays(make_lane, "/nowhere", capture, {}, stop).run(0);
}

ReplayResult results(std::size_t count) {
  ReplayResult result;
  result.memories.assign(count, ReplayedMemory{.is_reached = true, .can_be_read_only = true});
  return result;
}

ReplayedLaunch replayed(Answers& lane, const capture::Capture& capture) {
  static const std::atomic<bool> not_stopped = false;
  std::vector<std::uint64_t> paddings;
  std::optional<ReplayedLaunch> launch = replay_launch(lane, capture, not_stopped, paddings);
  REQUIRE(launch);
  return std::move(*launch);
}

}  // namespace

TEST_CASE("a folder that changes between the command and its worker is no access outside of memory") {
  for (const std::size_t count : {0u, 1u, 3u}) {
    Answers lane([&](const ReplayLaunch&, DeviceReply&, ReplayResult& result) {
      result = results(count);
      for (ReplayedMemory& memory : result.memories) memory.is_missing = true;
    });
    const ReplayedLaunch launch = replayed(lane, capture_of(2));
    CHECK(launch.verdict == ReplayVerdict::not_run);
    CHECK(launch.reason == "The capture has changed meanwhile.");
    CHECK(launch.memories.size() == 2);
  }
}

TEST_CASE("of a folder that grows meanwhile no address is looked up that the command does not know") {
  Answers lane([&](const ReplayLaunch&, DeviceReply&, ReplayResult& result) {
    result = results(1000);
    result.memories.back().is_missing = true;
  });
  CHECK(replayed(lane, capture_of(2)).reason == "The capture has changed meanwhile.");
}

TEST_CASE("a stop ends a replay without a result") {
  Answers lane([](const ReplayLaunch&, DeviceReply&, ReplayResult&) {});
  lane.is_silent = true;
  const std::atomic<bool> stopped = true;
  std::vector<std::uint64_t> paddings;
  CHECK_FALSE(replay_launch(lane, capture_of(1), stopped, paddings));
}

TEST_CASE("memory that a launch faults over while it cannot be written is written, and no more workers are lost") {
  constexpr std::size_t kMany = 64;
  Answers lane([](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(kMany);
    if (request.patterned) result.pattern = PatternResult{.follows = 64};
    if (!request.read_only.empty()) reply.outcome = Outcome::illegal_access;  // it writes everywhere
  });
  const ReplayedLaunch launch = replayed(lane, capture_of(kMany));
  CHECK(launch.verdict == ReplayVerdict::exact);
  CHECK(launch.workers_lost <= 13);
  CHECK(launch.memories[0].use == MemoryUse::inout);
  CHECK(launch.memories[0].is_certain);
  // Of what nobody looked at any more, the patterns say that nothing is written there.
  CHECK(launch.memories.back().use == MemoryUse::in);
  for (const ReplayLaunch& request : lane.asked) CHECK((request.read_only.empty() || request.may_fault));
}

TEST_CASE("only a fault while memory is protected is a proof that it is written") {
  for (const Outcome outcome : {Outcome::run_timeout, Outcome::worker_lost, Outcome::out_of_memory}) {
    Answers lane([&](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
      result = results(1);
      if (!request.read_only.empty() || request.patterned) reply.outcome = outcome;
    });
    const ReplayedLaunch launch = replayed(lane, capture_of(1));
    CHECK(launch.memories[0].use == MemoryUse::in);
    CHECK_FALSE(launch.memories[0].is_certain);
  }
}

TEST_CASE("a worker that gets other addresses than the one before is no proof that nothing is written") {
  Answers lane([&](const ReplayLaunch& request, DeviceReply&, ReplayResult& result) {
    result = results(2);
    result.memories[1].is_missing = request.may_fault;
  });
  capture::Capture capture = capture_of(2);
  capture.launches[0].allocations[0].after.hash = std::string(32, 'b');
  const ReplayedLaunch launch = replayed(lane, capture);
  CHECK(launch.memories[0].use == MemoryUse::inout);
  CHECK_FALSE(launch.memories[1].is_certain);
}

TEST_CASE("of thousands of pieces that may be written some are looked at, and first what is known to be written") {
  constexpr std::size_t kMany = 2000;
  Answers lane([&](const ReplayLaunch& request, DeviceReply&, ReplayResult& result) {
    result = results(kMany);
    for (ReplayedMemory& memory : result.memories) memory.can_be_read_only = false;
    if (request.patterned) result.pattern = PatternResult{.output = 64};
  });
  capture::Capture capture = capture_of(kMany);
  capture.launches[0].allocations.back().after.hash = std::string(32, 'b');
  const ReplayedLaunch launch = replayed(lane, capture);
  CHECK(lane.asked.size() < 100);
  CHECK(launch.memories.back().use == MemoryUse::out);
  CHECK(launch.memories[0].use == MemoryUse::out);
  CHECK(launch.memories[kMany - 2].use == MemoryUse::in);
  CHECK_FALSE(launch.memories[kMany - 2].is_certain);
}

TEST_CASE("only what the kernel does not write is said to be another's") {
  capture::Capture capture = capture_of(2);
  for (StoredMemory& memory : capture.launches[0].allocations) memory.after.hash = std::string(32, 'b');
  Answers lane([&](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(2);
    for (ReplayedMemory& memory : result.memories) memory.different = 5, memory.is_within_tolerance = false;
    if (request.patterned) result.pattern = PatternResult{.depends = 64};
    if (request.read_only == std::vector<std::uint64_t>{0}) reply.outcome = Outcome::illegal_access;
  });
  const ReplayedLaunch launch = replayed(lane, capture);
  CHECK(launch.memories[1].use == MemoryUse::in);
  CHECK(launch.reason.ends_with("; the kernel writes nothing to allocation 2, so another stream may have."));
}

TEST_CASE("outputs show themselves over patterns after as many workers as may be lost over protected memory") {
  constexpr std::size_t kMany = 64;
  const auto is_output = [](std::uint64_t memory) { return memory % 8 == 3; };
  capture::Capture capture = capture_of(kMany);
  capture.launches[0].allocations[3].after.hash = std::string(32, 'b');
  Answers lane([&](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(kMany);
    if (std::ranges::any_of(request.read_only, is_output)) reply.outcome = Outcome::illegal_access;
    if (request.patterned && is_output(*request.patterned))
      result.pattern = PatternResult{.output = 64};
    else if (request.patterned)
      result.pattern = PatternResult{.follows = 64};
  });
  const ReplayedLaunch launch = replayed(lane, capture);
  CHECK(launch.workers_lost >= 12);
  for (std::size_t memory = 0; memory < kMany; ++memory)
    CHECK(launch.memories[memory].use == (is_output(memory) ? MemoryUse::out : MemoryUse::in));
}

TEST_CASE("where patterns end the launch over everything, few workers are lost") {
  constexpr std::size_t kMany = 64;
  std::string name = "_Z1kPf";
  for (std::size_t i = 1; i < kMany; ++i) name += "S_";
  Answers lane([](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(kMany);
    if (request.patterned || !request.read_only.empty()) reply.outcome = Outcome::illegal_access;
  });
  CHECK(replayed(lane, capture_of(kMany, name)).workers_lost <= 24);
}

TEST_CASE("memory that could not be protected, and that patterns end the launch over, is not certain") {
  Answers lane([](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(1);
    result.memories[0].can_be_read_only = false;
    if (request.patterned) reply.outcome = Outcome::run_timeout;
  });
  const ReplayedLaunch launch = replayed(lane, capture_of(1));
  CHECK(launch.memories[0].use == MemoryUse::in);
  CHECK_FALSE(launch.memories[0].is_certain);
}

TEST_CASE(
    "memory that could not be protected, and that keeps the patterns, may have been written with what was there") {
  Answers lane([](const ReplayLaunch& request, DeviceReply&, ReplayResult& result) {
    result = results(1);
    result.memories[0].can_be_read_only = false;
    if (request.patterned) result.pattern = PatternResult{.follows = 64};
  });
  const ReplayedLaunch launch = replayed(lane, capture_of(1));
  CHECK(launch.memories[0].use == MemoryUse::in);
  CHECK_FALSE(launch.memories[0].is_certain);
}

TEST_CASE("memory is inout if what it held changes what is written elsewhere, and not if that differs anyway") {
  for (const bool differs_anyway : {false, true}) {
    CAPTURE(differs_anyway);
    capture::Capture capture = capture_of(2);
    for (StoredMemory& memory : capture.launches[0].allocations) memory.after.hash = std::string(32, 'b');
    Answers lane([&](const ReplayLaunch& request, DeviceReply&, ReplayResult& result) {
      result = results(2);
      for (ReplayedMemory& memory : result.memories) memory.is_within_tolerance = false;
      if (differs_anyway || request.patterned == 0u) result.memories[1].different = 5;
      if (request.patterned) result.pattern = PatternResult{.output = 64};
    });
    const ReplayedLaunch launch = replayed(lane, capture);
    CHECK(launch.memories[0].use == (differs_anyway ? MemoryUse::out : MemoryUse::inout));
  }
}

TEST_CASE("where the driver gives other addresses, a worker is started that leaves as many alone as it is off") {
  constexpr std::uint64_t kOff = 160 << 20;
  const std::atomic<bool> not_stopped = false;
  std::vector<std::uint64_t> paddings;
  Answers lane([&](const ReplayLaunch&, DeviceReply&, ReplayResult& result) {
    result = results(1);
    result.first_address = kBase + kOff - paddings.back();
    result.memories[0].is_missing = paddings.back() != kOff;
  });
  const std::optional<ReplayedLaunch> launch = replay_launch(lane, capture_of(1), not_stopped, paddings);
  REQUIRE(launch);
  CHECK(launch->verdict == ReplayVerdict::exact);
  CHECK(paddings == std::vector<std::uint64_t>{0, kOff});
}

TEST_CASE("addresses that cannot be the first of a program's are no reason for another worker") {
  constexpr std::uint64_t kStep = 32 << 20, kFirst = 0x7ffdd7e00000;
  CHECK(possible_paddings(kFirst, {kFirst - 2 * kStep + 512, kFirst - kStep, kFirst - kStep + 4096}) ==
        std::vector<std::uint64_t>{kStep, 2 * kStep});
  CHECK(possible_paddings(kFirst, {kFirst, kFirst + kStep, kFirst - kStep / 2, 4096}).empty());
}

TEST_CASE("what the kernel's name calls mutable shows itself over patterns, and no worker is lost over it") {
  Answers lane([](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(2);
    if (request.patterned) result.pattern = PatternResult{.output = 64};
    for (const std::uint64_t memory : request.read_only)
      if (memory == 1) reply.outcome = Outcome::illegal_access;
  });
  const ReplayedLaunch launch = replayed(lane, capture_of(2, "_Z1kPKfPf"));
  CHECK(launch.workers_lost == 0);
  CHECK(launch.memories[0].use == MemoryUse::in);
  CHECK(launch.memories[1].use == MemoryUse::out);
}

TEST_CASE("what the first launch left alone is compared after four more, where it may be written") {
  Answers lane([](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
    result = results(2);
    if (request.patterned) result.pattern = PatternResult{.output = 64};
    if (request.written && request.times == 4) result.memories[1] = {.is_reached = true, .different = 3};
    if (!request.read_only.empty() && request.read_only.back() == 1) reply.outcome = Outcome::illegal_access;
  });
  const ReplayedLaunch launch = replayed(lane, capture_of(2));
  CHECK(launch.verdict == ReplayVerdict::not_repeatable);
  CHECK(launch.reason ==
        "Different: 3 of 64 bytes of allocation 2; launches differ among themselves, as where threads "
        "race.");
}

TEST_CASE(
    "everything lies where it lay, too, if that alone does what the program's launch did to memory out of reach") {
  for (const bool is_the_kernels : {false, true}) {
    capture::Capture capture = capture_of(2);
    capture.launches[0].allocations[1].after.hash = std::string(32, 'b');
    Answers lane([&](const ReplayLaunch& request, DeviceReply&, ReplayResult& result) {
      result = results(2);
      if (request.patterned) result.pattern = PatternResult{.output = 64};
      result.memories[1].is_reached = request.at_own_addresses;
      if (request.at_own_addresses && !is_the_kernels) result.memories[1].different = 5;
      result.memories[1].is_within_tolerance = false;
    });
    const ReplayedLaunch launch = replayed(lane, capture);
    CHECK(launch.verdict == ReplayVerdict::exact);
    CHECK(launch.at_own_addresses == is_the_kernels);
    CHECK(launch.memories[1].use == (is_the_kernels ? MemoryUse::out : MemoryUse::unreached));
  }
}

TEST_CASE("few workers are lost over a kernel of which everything differs") {
  constexpr std::size_t kMany = 64;
  for (const bool changed : {false, true}) {
    capture::Capture capture = capture_of(kMany);
    for (StoredMemory& memory : capture.launches[0].allocations)
      if (changed) memory.after.hash = std::string(32, 'b');
    Answers lane([](const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
      result = results(kMany);
      for (ReplayedMemory& memory : result.memories) memory.different = 5, memory.is_within_tolerance = false;
      if (request.patterned) result.pattern = PatternResult{.output = 64};
      if (!request.read_only.empty()) reply.outcome = Outcome::illegal_access;
    });
    const ReplayedLaunch launch = replayed(lane, capture);
    CHECK(launch.verdict == ReplayVerdict::not_repeatable);
    CHECK(launch.workers_lost <= (changed ? 12 : 0));
  }
}

TEST_CASE("a launch that writes nothing is not called exact without a word") {
  Answers lane([](const ReplayLaunch&, DeviceReply&, ReplayResult& result) { result = results(2); });
  const ReplayedLaunch launch = replayed(lane, capture_of(2));
  CHECK(launch.verdict == ReplayVerdict::exact);
  CHECK(launch.reason.starts_with("It writes nothing that was stored"));
}

TEST_CASE("everything lies where it lay if that makes it better, and only then") {
  for (const bool is_better : {false, true}) {
    Answers lane([&](const ReplayLaunch& request, DeviceReply&, ReplayResult& result) {
      result = results(1);
      if (request.patterned) result.pattern = PatternResult{.depends = 64};
      result.memories[0].different = is_better && request.at_own_addresses ? 0 : 5;
      result.memories[0].is_within_tolerance = false;
    });
    const ReplayedLaunch launch = replayed(lane, capture_of(1));
    CHECK(launch.at_own_addresses == is_better);
    CHECK(launch.verdict == (is_better ? ReplayVerdict::exact : ReplayVerdict::not_repeatable));
    CHECK(lane.asked.back().at_own_addresses == is_better);
  }
}

TEST_CASE("sizes of arrays are products of parameters, counted in what the kernel's name says") {
  capture::Capture capture = capture_of(1, "_Z1kP6float4ii");
  StoredLaunch& launch = capture.launches[0];
  const auto set = [&](std::uint64_t bytes, int first, int second) {
    launch.allocations[0].before.size = launch.allocations[0].after.size = bytes;
    launch.parameters.resize(1);
    for (const int value : {first, second}) {
      capture::Parameter parameter{8 + 4 * (launch.parameters.size() - 1), std::vector<std::byte>(4)};
      std::memcpy(parameter.bytes.data(), &value, 4);
      launch.parameters.push_back(parameter);
    }
    const auto arrays = arrays_of(launch, capture::MemoryMap(launch));
    REQUIRE(arrays.at(0).size() == 1);
    return arrays[0][0];
  };
  const ArrayFact vectors = set(16 * 30, 5, 6);
  CHECK(vectors.element == ElementType::float32);
  REQUIRE(vectors.sizes.size() == 1);
  CHECK(vectors.sizes[0].parameters == std::vector<std::size_t>{1, 2});
  CHECK(vectors.sizes[0].element_bytes == 16);
  CHECK(set(16 * 30, 30, -2).sizes.at(0).parameters == std::vector<std::size_t>{1});
  CHECK(set(16 * 30, 1, 0).sizes.empty());  // no numbers of anything
  CHECK(set(17, 17, 3).sizes.empty());
  launch.kernel = "of_c";
  CHECK_FALSE(set(16 * 30, 120, 9).element);
  CHECK(set(16 * 30, 120, 9).sizes.at(0).element_bytes == 4);
}

TEST_CASE("a launch whose parameters all say a size is done at once, and few of them are told") {
  capture::Capture capture = capture_of(1);
  StoredLaunch& launch = capture.launches[0];
  launch.allocations[0].before.size = 4;
  for (std::uint64_t at = 8; at + 8 <= 32768; at += 8) {
    const bool is_pointer = at % 16 == 0;
    capture::Parameter parameter{at, std::vector<std::byte>(8)};
    const std::uint64_t value = is_pointer ? kBase : 2;
    std::memcpy(parameter.bytes.data(), &value, 8);
    launch.parameters.push_back(parameter);
  }
  const std::vector<std::vector<ArrayFact>> arrays = arrays_of(launch, capture::MemoryMap(launch));
  for (const ArrayFact& array : arrays.at(0)) REQUIRE(array.sizes.size() <= 16);
}

TEST_CASE("an allocation holds as many arrays as pointers lead into it, each up to the next") {
  capture::Capture capture = capture_of(1);
  StoredLaunch& launch = capture.launches[0];
  capture::Parameter second{8, std::vector<std::byte>(24)};  // a structure, whose last word leads to the end
  const std::uint64_t words[] = {kBase + 16, 7, kBase + 64};
  std::memcpy(second.bytes.data(), words, sizeof words);
  launch.parameters.push_back(second);
  const auto arrays = arrays_of(launch, capture::MemoryMap(launch));
  REQUIRE(arrays.at(0).size() == 3);
  CHECK(arrays[0][0].bytes == 16);
  CHECK(arrays[0][1].bytes == 48);
  CHECK(arrays[0][1].from.parameter == 1);
  CHECK(arrays[0][2].from.inside == 16);
  CHECK(arrays[0][2].bytes == 0);
}

TEST_CASE("what a folder keeps of a replay was read as damaged where arrays had sizes") {
  const test::TemporaryFolder folder;
  const capture::Capture capture = capture_of(1);
  ReplayedLaunch launch{.verdict = ReplayVerdict::exact};
  MemoryFacts& facts = launch.memories.emplace_back();
  facts.use = MemoryUse::out;
  facts.pattern = PatternResult{.output = 64, .ranges = 1, .written = {{0, 64}}};
  facts.arrays = {
      {.bytes = 64, .element = ElementType::float32, .sizes = {{.parameters = {3, 4}, .element_bytes = 4}}}};
  store_replays(folder.path(), capture, {{0, launch}});
  const KnownReplays known = stored_replays(folder.path(), capture);
  REQUIRE(known.contains(0));
  CHECK(known.at(0).verdict == ReplayVerdict::exact);
  CHECK(known.at(0).memories.at(0).pattern->written.size() == 1);
}

}  // namespace tuner::engine
