#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/engine/device/lane/lane.hpp"

namespace tuner::engine {

/// The problem that candidates of the fake driver work on: see fake_driver.cpp.
inline constexpr int kLength = 1000;

inline std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) bytes[i] = static_cast<std::byte>(text[i]);
  return bytes;
}

inline PrepareProblem problem(std::chrono::milliseconds launch_timeout = std::chrono::milliseconds(2000)) {
  PrepareProblem request;
  const auto buffer = [&](const char* name, Argument::Role role, ElementType type, std::uint64_t length) {
    BoundArgument argument;
    argument.name = name;
    argument.role = role;
    argument.type = type;
    argument.length = length;
    request.arguments.push_back(argument);
  };
  buffer("values", Argument::Role::in, ElementType::float64, kLength);
  buffer("doubled", Argument::Role::out, ElementType::float64, kLength);
  buffer("counts", Argument::Role::inout, ElementType::int32, kLength);
  request.arguments.back().generators = {{Generator::Kind::iota, {0, 1}}};
  buffer("room", Argument::Role::scratch, ElementType::float32, 0);
  buffer("n", Argument::Role::scalar, ElementType::int32, 0);
  request.arguments.back().value = search::Value(kLength);
  request.support_cubins = {bytes_of("support")};
  request.seed = 1;
  request.launch_timeout = launch_timeout;
  return request;
}

inline Candidate candidate(const std::string& behaviour) {
  Candidate result;
  result.configuration = "BEHAVIOUR=" + behaviour.substr(0, behaviour.find(' '));
  result.cubin.bytes = bytes_of(behaviour);
  result.cubin.kernel = "kernel";
  result.parameters = {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {32, 4}};
  result.geometry.block = {256, 1, 1};
  result.scratch_lengths = {64};
  return result;
}

inline RunReference reference(const std::string& behaviour = "right time=200000") {
  return {candidate(behaviour), {}};
}
inline ScreenCandidate screen(const std::string& behaviour) {
  return {candidate(behaviour), {}, std::nullopt};
}

inline bool says(const DeviceReply& reply, std::string_view words) {
  return reply.message.find(words) != std::string::npos;
}

using TestLine = std::source_location;

/// Checks a reply's outcome, and that its message contains `words`. A failure names the line of the test.
void check_reply(const DeviceReply& reply, Outcome outcome, std::string_view words, const TestLine& asked);

/// A lane over the fake driver that answers one request at a time.
class TestLane {
 public:
  explicit TestLane(DeviceLaneOptions options = {}) : lane(std::move(options)) {}
  /// Prepares the problem.
  explicit TestLane(PrepareProblem request) { expect(std::move(request), Outcome::ok); }

  DeviceReply ask(DeviceRequest request) {
    const TicketId ticket = next_++;
    lane.submit(ticket, std::move(request));
    return wait_for(ticket);
  }
  DeviceReply expect(DeviceRequest request, Outcome outcome, std::string_view words = {},
                     const TestLine& asked = TestLine::current()) {
    DeviceReply reply = ask(std::move(request));
    check_reply(reply, outcome, words, asked);
    return reply;
  }
  DeviceReply wait_for(TicketId ticket);
  /// Drives the lane until it is so. Throws std::runtime_error after a minute.
  void wait_until(const std::function<bool()>& is_so);
  void prepare(std::chrono::milliseconds launch_timeout = std::chrono::milliseconds(2000));

  /// Submits while the worker is halted and then kills it, so that it has the request and has not answered.
  void submit_and_kill(TicketId ticket, DeviceRequest request);
  /// The first reply that is a failure, of at most eight.
  DeviceReply repeat_until_failure(const RunBlock& block);

  DeviceProcessLane lane;
  std::vector<TicketId> order;  ///< of answers

 private:
  TicketId next_ = 1000;
  std::vector<DeviceProcessLane::Completion> kept_;
};

/// Has a problem and a reference.
class PreparedLane : public TestLane {
 public:
  explicit PreparedLane(DeviceLaneOptions options = {},
                        std::chrono::milliseconds launch_timeout = std::chrono::milliseconds(2000))
      : TestLane(std::move(options)) {
    prepare(launch_timeout);
  }
};

}  // namespace tuner::engine
