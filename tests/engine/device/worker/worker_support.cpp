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

DeviceReply TestWorker::ask(const DeviceRequest& request) {
  worker_.channel().send(encode_request(request));
  while (true) {
    const Message message = next();
    if (message.type == kErrorMessage) throw error_from(message);
    if (message.type != kReply) continue;
    WorkerReply answer = decode_reply(message);
    ends_ = answer.ends;
    return std::move(answer.reply);
  }
}

DeviceReply TestWorker::expect(const DeviceRequest& request, Outcome outcome, std::string_view words,
                               const TestLine& asked) {
  DeviceReply reply = ask(request);
  check_reply(reply, outcome, words, asked);
  return reply;
}

DeviceReply TestWorker::prepare(const PrepareProblem& request) {
  DeviceReply prepared = expect(request, Outcome::ok);
  expect(reference(), Outcome::ok);
  return prepared;
}

}  // namespace tuner::engine
