#pragma once

#include "tuner/process/channel.hpp"

namespace tuner::engine {

/// The device worker: says what the first visible GPU is, then answers requests in order until the channel closes.
/// Returns the process's exit status. Where the context has died, or a kernel does not end, it answers and then kills
/// this process: nothing in it can be relied on, and an orderly end would wait for the kernel.
int run_device_worker(Channel channel);

}  // namespace tuner::engine
