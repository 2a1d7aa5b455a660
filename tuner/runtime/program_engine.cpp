#include "tuner/runtime/program_engine.hpp"

#include <utility>

#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/runtime/time_limits.hpp"

namespace tuner::detail {

EngineClient& ProgramEngine::client() {
  std::call_once(started_, [this] { client_ = std::make_unique<EngineClient>(); });
  return *client_;
}

CompileAnswer ProgramEngine::compile(const Task& task, const std::string& configuration, const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = compiled_.find(key); known != compiled_.end()) return known->second;
  }
  CompileAnswer answer = client().compile({subject(task), configuration}, after(settings_.options.compile_limit));
  if (answer.outcome == Outcome::ok || answer.outcome == Outcome::compile_error) {
    const std::lock_guard lock(mutex_);
    compiled_.emplace(key, answer);
  }
  return answer;
}

void ProgramEngine::tune(TuneJob job, std::function<void(const TuneAnswer&)> done) {
  client().tune(std::move(job), std::move(done));
}

JobSubject ProgramEngine::subject(const Task& task) const {
  const KernelDescription& description = task.description();
  return {description.source, description.file, full_name(description),    description.given_headers,
          task.problem(),     task.device(),    settings_.options.database};
}

}  // namespace tuner::detail
