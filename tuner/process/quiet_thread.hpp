#pragma once

#include <functional>
#include <thread>

namespace tuner {

/// A thread to which no signal is delivered: these are for the threads of the program, which wait for them. Throws
/// Error{shortage} where there can be no other thread.
std::thread quiet_thread(std::function<void()> work);

}  // namespace tuner
