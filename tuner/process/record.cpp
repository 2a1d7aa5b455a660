#include "tuner/process/record.hpp"

namespace tuner {
namespace {

struct Failure {
  int code = 0;
  std::string sentence;
};

void describe(auto& fields, Failure& failure) {
  auto& [code, sentence] = failure;
  fields("code", code)("sentence", sentence);
}

}  // namespace

void refuse(const Message& message) {
  throw Error(Errc::internal,
              "A '" + message.type + "' message between the tuner's processes cannot be read; report this.");
}

Message to_message(const Error& error) {
  return to_message(kErrorMessage, Failure{static_cast<int>(error.code()), error.what()});
}

Error error_from(const Message& message) {
  const auto failure = from_message<Failure>(message);
  return {static_cast<Errc>(failure.code), failure.sentence};
}

}  // namespace tuner
