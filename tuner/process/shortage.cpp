#include "tuner/process/shortage.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

namespace tuner {

std::string_view way_out_of_shortage(int reason) {
  switch (reason) {
    case EMFILE:
    case ENFILE:
    case ETOOMANYREFS:
      return "raise the limit of open files (`ulimit -n`), or run fewer programs at once";
    case EAGAIN:
      return "raise the limit of processes (`ulimit -u`), or run fewer programs at once";
    case ENOMEM:
    case ENOSPC:
    case ENOBUFS:
      return "free memory, raise its limit (`ulimit -v`), or run fewer programs at once";
    default:
      return "";
  }
}

Error refusal_of_system(std::string_view what, int reason) {
  const std::string_view way_out = way_out_of_shortage(reason);
  const std::string sentence = std::string(what) + ": " + std::strerror(reason);
  if (way_out.empty()) return {Errc::internal, sentence + "."};
  return {Errc::shortage, sentence + "; " + std::string(way_out) + "."};
}

void refused_by_system(std::string_view what, int reason) {
  throw refusal_of_system(what, reason);
}

std::optional<Error> as_shortage(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return refusal_of_system("There is too little memory", ENOMEM);
  const auto* const refusal = dynamic_cast<const std::system_error*>(&error);
  if (refusal == nullptr || refusal->code() == std::errc::no_space_on_device) return std::nullopt;  // a disk's
  const int reason = refusal->code().value();
  if (way_out_of_shortage(reason).empty()) return std::nullopt;
  return refusal_of_system("The system refuses what this needs", reason);
}

}  // namespace tuner
