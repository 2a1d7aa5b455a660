#include "tuner/engine_protocol/job_answers.hpp"

#include <fmt/format.h>

#include "tuner/core/task/problem.hpp"

namespace tuner::service {

std::string title(const JobSubject& subject) {
  return fmt::format("`{}` for {}", subject.kernel, problem_text(subject.problem));
}

}  // namespace tuner::service
