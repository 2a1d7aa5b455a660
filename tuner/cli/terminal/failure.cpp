#include "tuner/cli/terminal/failure.hpp"

#include <exception>
#include <string>

#include "tuner/cli/terminal/message.hpp"
#include "tuner/process/shortage.hpp"

namespace tuner::cli {
namespace {

ExitCode say_error(std::string_view subject, const Error& error) {
  say(std::string(subject) + error.what());
  return exit_code_for(error.code());
}

}  // namespace

ExitCode say_failure(std::string_view subject) {
  try {
    throw;
  } catch (const Error& error) {
    return say_error(subject, error);
  } catch (const std::exception& error) {
    if (const auto shortage = as_shortage(error)) return say_error(subject, *shortage);
    say(std::string(subject) + "This is a bug in tuner, please report it: " + error.what());
    return ExitCode::internal;
  }
}

}  // namespace tuner::cli
