#pragma once

#include <functional>
#include <thread>

namespace tuner::capture {

/// A thread that gets no signals: those are for threads that the program knows of. Throws std::system_error if there
/// can be no more threads.
std::thread quiet_thread(std::function<void()> work);

}  // namespace tuner::capture
