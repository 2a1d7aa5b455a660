#include "tests/engine/device/worker/worker_support.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>

#include "tuner/process/worker_program.hpp"

namespace tuner::engine {

TestWorker::TestWorker(std::vector<std::string> environment)
    : worker_(SpawnOptions{
          .program = find_worker_program(), .arguments = {"device"}, .environment = std::move(environment)}) {}

Message TestWorker::next() {
  auto message = worker_.channel().receive_until(std::chrono::steady_clock::now() + std::chrono::minutes(5));
  if (!message) throw std::runtime_error("the worker did not answer: " + worker_.stderr_tail());
  return std::move(*message);
}

WorkerReply TestWorker::ask(const DeviceRequest& request) {
  worker_.channel().send(encode_request(request));
  while (true) {
    const Message message = next();
    if (message.type == kReply) return decode_reply(message);
    if (message.type == kErrorMessage) throw error_from(message);
  }
}

DeviceReply TestWorker::prepare(const PrepareProblem& request) {
  const DeviceReply prepared = ask(request).reply;
  INFO(prepared.message);
  REQUIRE(prepared.outcome == Outcome::ok);
  const DeviceReply baseline = ask(reference()).reply;
  INFO(baseline.message);
  REQUIRE(baseline.outcome == Outcome::ok);
  return prepared;
}

}  // namespace tuner::engine
