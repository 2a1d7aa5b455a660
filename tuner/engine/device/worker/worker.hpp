#pragma once

#include <cstdint>

#include "tuner/process/channel.hpp"

namespace tuner::engine {

/// The device worker: says what the first visible GPU is, then answers requests in order until the channel closes.
/// It leaves `address_padding` bytes of its addresses alone before its context is made.
/// Returns the process's exit status. Where the context has died, or a kernel does not end, it answers and then kills
/// this process: nothing in it can be relied on, and an orderly end would wait for the kernel.
int run_device_worker(Channel channel, std::uint64_t address_padding);

}  // namespace tuner::engine
