#pragma once

#include <filesystem>

#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/tune/tune_request.hpp"

namespace tuner::cli {

/// Whether a capture is to be tuned, and no kernel file.
bool is_capture(const Arguments& arguments);

/// Makes the kernel file of a capture's folder what is tuned, compiled as the program's build does. The file lies in
/// the folder; the user may change it, so one that is there stays. Throws Error with a sentence.
void take_capture(const Arguments& arguments, TuneRequest& request);

}  // namespace tuner::cli
