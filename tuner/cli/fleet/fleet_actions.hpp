#pragma once

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

class Arguments;

// What `tuner fleet WORD` and `tuner pull` do: one file each. Where this program was built without libpq, no_fleet.cpp
// takes the place of them all, and says so.

ExitCode fleet_submit(const Arguments& arguments);
ExitCode fleet_work(const Arguments& arguments);
ExitCode fleet_status(const Arguments& arguments);
ExitCode fleet_cancel(const Arguments& arguments);
ExitCode pull(const Arguments& arguments);

}  // namespace tuner::cli
