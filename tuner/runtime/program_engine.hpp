#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tuner/core/task/task.hpp"
#include "tuner/engine_protocol/engine_client.hpp"
#include "tuner/runtime/runtime_settings.hpp"

namespace tuner::detail {

/// The engine of a Runtime, which is started when it is first needed. Safe to use from several threads.
class ProgramEngine {
 public:
  /// The settings outlive the engine.
  explicit ProgramEngine(const RuntimeSettings& settings) : settings_(settings) {}

  /// Waits for the binary of one configuration, no longer than RuntimeOptions::compile_limit. `key`: its binary_key().
  /// What was compiled, or does not compile, is asked for once: where nothing can be stored, each new problem would
  /// compile the same again.
  CompileAnswer compile(const Task& task, const std::string& configuration, const std::string& key);

  /// See EngineClient::tune.
  void tune(TuneJob job, std::function<void(const TuneAnswer&)> done);

  /// The task, as jobs name it.
  JobSubject subject(const Task& task) const;

 private:
  EngineClient& client();

  const RuntimeSettings& settings_;
  std::mutex mutex_;
  std::map<std::string, CompileAnswer> compiled_;  ///< by binary_key
  std::once_flag started_;
  std::unique_ptr<EngineClient> client_;
};

}  // namespace tuner::detail
