#include "tuner/cli/fleet/fleet_actions.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

[[noreturn]] void refuse_without_libpq() {
  throw Error(
      Errc::bad_usage,
      "This program was built without libpq, so it knows no queue: install libpq-dev, and configure and build it "
      "again.");
}

}  // namespace

ExitCode fleet_submit(const Arguments&) {
  refuse_without_libpq();
}
ExitCode fleet_work(const Arguments&) {
  refuse_without_libpq();
}
ExitCode fleet_status(const Arguments&) {
  refuse_without_libpq();
}
ExitCode fleet_cancel(const Arguments&) {
  refuse_without_libpq();
}
ExitCode pull(const Arguments&) {
  refuse_without_libpq();
}

}  // namespace tuner::cli
