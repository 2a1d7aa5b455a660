#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/lanes/immediate_lane.hpp"

namespace tuner::engine {

/// What the fakes do with one configuration.
struct Behaviour {
  Outcome compile = Outcome::ok;
  Outcome run = Outcome::ok;
  double time_ns = 1000;
  std::string binary;  ///< its hash: configurations with the same share a binary; its own if empty
  std::vector<std::byte> cubin = std::vector<std::byte>(16);
  int registers = 32;
  int fails_from_block = -1;     ///< the block of the race from which on it faults; -1: never
  std::vector<int> faults = {};  ///< of its samples in races, counted from 0, those that fault; the device knows which
  Outcome fault = Outcome::illegal_access;
  int wrong_from = 0;            ///< the launch of a loaded module from which on its results are wrong; 0: none
  bool changes_globals = false;  ///< every launch does
  Outcome confirm = Outcome::ok;
  bool confirmed = false;   ///< a failure when run is confirmed in isolation
  bool misaligned = false;  ///< and comes from a buffer's alignment
  /// What becomes of it when it is confirmed with buffers of that length.
  std::function<Outcome(std::uint64_t length)> at_length = {};
};

using BehaviourOf = std::function<Behaviour(const std::string& configuration)>;

/// Compiles nothing, deterministically. Answers in reverse order of submission within a poll, as a pool well might.
class FakeCompileLane final : public ImmediateLane<CompileLane> {
 public:
  explicit FakeCompileLane(BehaviourOf behaviour, std::size_t room = 4)
      : ImmediateLane(room), behaviour_(std::move(behaviour)) {}

  void submit(TicketId ticket, CompileRequest request) override {
    submitted.push_back(request.configuration.empty() ? request.name_expression : request.configuration);
    const Behaviour behaviour = behaviour_(request.configuration);
    CompileReply reply;
    reply.outcome = behaviour.compile;
    reply.toolkit = "13.0.88";
    reply.milliseconds = milliseconds;
    if (behaviour.compile == Outcome::ok) {
      reply.cubin.bytes = behaviour.cubin;
      reply.cubin.kernel = request.front_end_only ? signature : "kernel";
      reply.facts.registers = behaviour.registers;
      reply.facts.binary_hash.text = behaviour.binary.empty() ? request.configuration : behaviour.binary;
    } else {
      reply.message = "the fake compiler refuses it";
    }
    answered_.insert(answered_.begin(), {ticket, std::move(reply)});
  }

  double milliseconds = 20;  ///< that each is said to take
  std::vector<std::string> submitted;
  std::string signature;  ///< what the front end says of every kernel

 private:
  BehaviourOf behaviour_;
};

/// A pool in front of another lane: of those that are being compiled one is done at each poll, and it is a matter of
/// `timing` which.
class UnorderedCompileLane final : public CompileLane {
 public:
  UnorderedCompileLane(CompileLane& lane, std::size_t room, std::uint64_t timing)
      : lane_(lane), room_(room), random_(timing) {}

  void submit(TicketId ticket, CompileRequest request) override {
    lane_.submit(ticket, std::move(request));
    for (Completion& one : lane_.poll()) waiting_.push_back(std::move(one));
  }
  std::vector<Completion> poll() override {
    std::vector<Completion> done;
    if (waiting_.empty()) return done;
    const auto one = waiting_.begin() + static_cast<std::ptrdiff_t>(random_() % waiting_.size());
    done.push_back(std::move(*one));
    waiting_.erase(one);
    return done;
  }
  void cancel(TicketId) override {}
  std::size_t room() const override { return room_ - std::min(room_, waiting_.size()); }
  std::vector<int> wait_fds() const override { return {}; }
  std::chrono::steady_clock::time_point next_deadline() const override {
    using Time = std::chrono::steady_clock::time_point;
    return waiting_.empty() ? Time::max() : Time::min();
  }

 private:
  CompileLane& lane_;
  const std::size_t room_;
  std::mt19937_64 random_;
  std::vector<Completion> waiting_;
};

/// Runs nothing, deterministically: every configuration takes its time plus a drift that all share, as on a real GPU.
class FakeDeviceLane final : public ImmediateLane<DeviceLane> {
 public:
  FakeDeviceLane(DeviceInfo device, BehaviourOf behaviour)
      : ImmediateLane(2), device_(std::move(device)), behaviour_(std::move(behaviour)) {}

  const DeviceInfo& info() override { return device_; }
  std::vector<std::string> support_sources() const override {
    return needs_support ? std::vector<std::string>{"support", "more of it"} : std::vector<std::string>{};
  }

  void submit(TicketId ticket, DeviceRequest request) override {
    const bool answers = answers_prepare || !std::holds_alternative<PrepareProblem>(request);
    DeviceReply reply = std::visit([this](const auto& known) { return answer(known); }, request);
    if (answers) answered_.push_back({ticket, std::move(reply)});
    if (on_submit) on_submit();
  }

  bool needs_support = false;
  std::string failure = "the fake device says so";
  bool is_exact = false;  ///< every sample takes what is described
  Outcome prepare = Outcome::ok;
  bool answers_prepare = true;               ///< off: a problem that takes forever to set up
  std::vector<std::string> other_processes;  ///< on the GPU
  std::string unfenced;
  std::uint64_t reference_fails_at =
      0;                               ///< the length of the first buffer at which confirming finds the reference wrong
  std::vector<std::uint64_t> lengths;  ///< of the first buffer of each problem that was prepared
  std::vector<std::string> screened;   ///< in order, the reference included
  std::vector<NotCompared> not_compared;               ///< what the reference leaves unwritten
  std::vector<Unproven> unproven, unproven_on_others;  ///< what a kernel passes that computes nothing
  Candidate reference;                                 ///< that was run last
  std::vector<bool> has_expected;  ///< of each problem that was prepared: whether a file says what is right
  std::vector<std::string> finalists;
  std::map<std::string, int> raced;                    ///< samples asked for in races, of each
  int reloads_after = -1;                              ///< blocks after which all modules are loaded anew, once
  std::map<std::string, int> rechecked;                ///< how often each was checked again
  std::vector<std::string> used_long;                  ///< which had the launches of a winner that changes its globals
  std::function<void()> on_submit;                     ///< called after every request
  std::function<double(double time_ns)> interruption;  ///< how much longer a sample takes because of another program

 private:
  DeviceReply fail(Outcome outcome, DeviceResult result = {}) const {
    return {.outcome = outcome, .message = failure, .result = std::move(result)};
  }

  double sample(double time_ns) {
    ++samples_;
    const double undisturbed = is_exact ? time_ns : time_ns * (1 + 0.002 * static_cast<double>(samples_ % 7) / 7);
    return undisturbed + (interruption ? interruption(time_ns) : 0);
  }

  DeviceReply screen(const Candidate& candidate, const ScreenPolicy& policy, std::optional<double> best_ns) {
    screened.push_back(candidate.configuration.empty() ? "reference" : candidate.configuration);
    const Behaviour behaviour = behaviour_(candidate.configuration);
    if (behaviour.run != Outcome::ok) {
      DeviceReply failed = fail(behaviour.run);
      failed.confirmed = behaviour.confirmed;
      failed.misaligned = behaviour.misaligned;
      return failed;
    }
    DeviceReply reply;
    Screen timing(policy, best_ns);
    while (timing.add(sample(behaviour.time_ns)) == Screen::SampleVerdict::more) {
    }
    reply.launches = 2 + static_cast<int>(timing.samples_ns().size());
    reply.result = ScreenResult{{.samples_ns = timing.samples_ns(),
                                 .censored = timing.censored(),
                                 .occupancy = 0.5,
                                 .occupancy_limiter = "registers"}};
    return reply;
  }

  DeviceReply answer(const PrepareProblem& request) {
    lengths.push_back(request.arguments.empty() ? 0 : request.arguments.front().length);
    has_expected.push_back(std::any_of(request.arguments.begin(), request.arguments.end(),
                                       [](const BoundArgument& argument) { return argument.expected.has_value(); }));
    if (prepare != Outcome::ok) return fail(prepare);
    return {.result = PrepareResult{unfenced, other_processes}};
  }
  DeviceReply answer(const RunReference& request) {
    reference = request.candidate;
    DeviceReply reply = screen(request.candidate, request.policy, {});
    reply.result = ReferenceResult{reply.timed_run(), not_compared, unproven};
    return reply;
  }
  DeviceReply answer(const ScreenCandidate& request) {
    return screen(request.candidate, request.policy, request.best_ns);
  }
  DeviceReply answer(const LoadFinalists& request) {
    finalists.clear();
    launched_.clear();
    blocks_ = 0;
    for (const Candidate& candidate : request.candidates) finalists.push_back(candidate.configuration);
    return {};
  }
  DeviceReply answer(const RunBlock& request) {
    if (reloads_after-- == 0) launched_.clear();
    DeviceReply reply;
    BlockResult& block = reply.result.emplace<BlockResult>();
    for (const std::size_t i : request.order) {
      const Behaviour behaviour = behaviour_(finalists.at(i));
      if (behaviour.fails_from_block >= 0 && blocks_ >= behaviour.fails_from_block) {
        return fail(Outcome::illegal_access, block);
      }
      const int turn = raced[finalists.at(i)]++;
      if (std::find(behaviour.faults.begin(), behaviour.faults.end(), turn) != behaviour.faults.end()) {
        return fail(behaviour.fault, BlockResult{.culprit = i});
      }
      launched_[i] += request.launches;
      block.samples_ns.push_back(sample(behaviour.time_ns));
    }
    ++blocks_;
    block.launches_per_sample = request.launches;
    return reply;
  }
  DeviceReply answer(const RecheckFinalist& request) {
    const std::string& finalist = finalists.at(request.finalist);
    const Behaviour behaviour = behaviour_(finalist);
    ++rechecked[finalist];
    int& launched = launched_[request.finalist];
    launched = std::max(launched, request.launches);
    if (request.wins && behaviour.changes_globals) {
      launched += kLongUseLaunches;
      used_long.push_back(finalist);
    }
    return behaviour.wrong_from > 0 && launched >= behaviour.wrong_from ? fail(Outcome::wrong_result) : DeviceReply{};
  }
  DeviceReply answer(const ConfirmCandidate& request) {
    const Behaviour behaviour = behaviour_(request.candidate.configuration);
    if (lengths.back() == reference_fails_at) {
      return fail(Outcome::illegal_access, ConfirmResult{.reference_failed = true});
    }
    if (behaviour.at_length && behaviour.at_length(lengths.back()) != Outcome::ok) {
      return fail(behaviour.at_length(lengths.back()));
    }
    if (behaviour.confirm != Outcome::ok) return fail(behaviour.confirm);
    return {.result = ConfirmResult{.unproven = unproven_on_others}};
  }

  DeviceReply answer(const ProbeFences&) { return {}; }
  DeviceReply answer(const CountCandidate&) { return {}; }
  DeviceReply answer(const ReplayLaunch&) { return {}; }

  DeviceInfo device_;
  BehaviourOf behaviour_;
  int blocks_ = 0;
  std::map<std::size_t, int> launched_;  ///< of each finalist, since it was loaded
  std::uint64_t samples_ = 0;
};

/// Answers every request by a function.
class AnsweringDeviceLane final : public ImmediateLane<DeviceLane> {
 public:
  explicit AnsweringDeviceLane(std::function<DeviceReply(const DeviceRequest&)> answer)
      : ImmediateLane(1), answer_(std::move(answer)) {}

  const DeviceInfo& info() override { return device_; }
  void submit(TicketId ticket, DeviceRequest request) override { answered_.push_back({ticket, answer_(request)}); }

 private:
  std::function<DeviceReply(const DeviceRequest&)> answer_;
  DeviceInfo device_;
};

}  // namespace tuner::engine
