#pragma once

#include <functional>

namespace tuner::capture {

/// Runs `work` in a thread of its own that gets no signals: those are for threads that the program knows of. Throws
/// std::system_error if there can be no more threads.
void start_quiet_thread(std::function<void()> work);

}  // namespace tuner::capture
