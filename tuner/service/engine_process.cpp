#include "tuner/service/engine_process.hpp"

#include "tuner/error.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::service {
namespace {

SpawnOptions program(const char* role) {
  SpawnOptions options;
  options.program = find_program(kEngineProgram);
  options.arguments = {role};
  options.patience = std::chrono::milliseconds(1000);
  return options;
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

std::string EngineProcess::obituary() {
  if (!complaint_.empty()) return complaint_;
  process_.kill();
  const auto status = process_.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(1));
  std::string text = status ? status->text() : "closed its connection";
  if (const std::string words = process_.stderr_tail(500); !words.empty()) text += ": " + words;
  return text;
}

}  // namespace tuner::service
