#include "tuner/cli/fleet/queue_option.hpp"

#include <cstdlib>
#include <string>

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

fleet::Address queue_address(const Arguments& arguments) {
  if (const auto given = arguments.value("queue")) return fleet::Address(*given);
  const char* const variable = std::getenv("TUNER_QUEUE");
  if (variable != nullptr && *variable != '\0') return fleet::Address(variable);
  throw Error(Errc::bad_usage,
              "Which queue? Give --queue postgresql://HOST/DATABASE, or set TUNER_QUEUE (docs/fleet.md).");
}

}  // namespace tuner::cli
