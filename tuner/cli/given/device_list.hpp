#pragma once

#include <string>
#include <vector>

namespace tuner::cli {

/// The GPUs of --devices, "all", "0,2" or "0-3": their numbers, ascending, each once. For "all" the driver is asked:
/// throws Error{no_driver} where it shows none. Throws Error{bad_usage} for what is no such list.
std::vector<int> read_device_list(const std::string& text);

}  // namespace tuner::cli
