#pragma once

#include <string>
#include <vector>

namespace tuner::engine {

/// Environment ("NAME=value") under which a worker sees exactly one GPU: the one with this UUID, or, if that is empty,
/// the `ordinal`-th of those that this process may see. The user's CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER keep
/// their meaning; where neither is set GPUs are counted as nvidia-smi does. `visible` and `order` are the values of the
/// two variables, null where not set. Throws Error{bad_usage} if the ordinal is past the end of the user's list.
std::vector<std::string> visible_device(int ordinal, const std::string& uuid, const char* visible, const char* order);

}  // namespace tuner::engine
