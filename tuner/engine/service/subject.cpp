#include "tuner/engine/service/subject.hpp"

#include <utility>

#include "tuner/core/description/parse_descriptions.hpp"

namespace tuner::engine {

std::shared_ptr<const KernelDescription> description_of(const JobSubject& subject) {
  KernelDescription description =
      choose_description(parse_descriptions(subject.text, subject.file), subject.file, subject.kernel);
  description.given_headers = subject.headers;
  return std::make_shared<const KernelDescription>(std::move(description));
}

}  // namespace tuner::engine
