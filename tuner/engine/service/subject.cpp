#include "tuner/engine/service/subject.hpp"
#include "tuner/core/description/parse_descriptions.hpp"

#include <utility>

namespace tuner::engine {

Task task_of(const JobSubject& subject, const DeviceInfo& device, search::Listing listing) {
  KernelDescription description =
      choose_description(parse_descriptions(subject.text, subject.file), subject.file, subject.kernel);
  description.given_headers = subject.headers;
  return Task(std::move(description), subject.problem, device, {}, {}, listing);
}

}  // namespace tuner::engine
