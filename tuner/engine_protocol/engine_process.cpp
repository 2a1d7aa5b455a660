#include "tuner/engine_protocol/engine_process.hpp"

#include "tuner/error.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::service {
namespace {

SpawnOptions program(const char* role) {
  return {.program = find_program(kEngineProgram), .arguments = {role}, .patience = std::chrono::milliseconds(1000)};
}

}  // namespace

EngineProcess::EngineProcess(const char* role) : process_(program(role)) {}

std::optional<Message> EngineProcess::receive() {
  try {
    return process_.channel().receive();
  } catch (const Error& error) {  // of another build, or the program has no descriptors left
    complaint_ = error.what();
    process_.channel().close();
    return std::nullopt;
  }
}

std::string EngineProcess::exit_description() {
  if (!complaint_.empty()) return "was terminated. " + complaint_;
  // Its connection closes a moment before it has ended.
  const auto now = std::chrono::steady_clock::now();
  if (!process_.wait_until(now + std::chrono::milliseconds(100))) process_.kill();
  const auto status = process_.wait_until(now + std::chrono::seconds(1));
  std::string text = status ? status->text() : "closed its connection";
  if (const std::string words = process_.stderr_tail(500); !words.empty()) text += ": " + words;
  return text.ends_with('.') ? text : text + ".";
}

}  // namespace tuner::service
