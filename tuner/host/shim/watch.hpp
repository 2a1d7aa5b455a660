#pragma once

#include <cstddef>

#include "tuner/host/shim/launch.hpp"

namespace tuner::host {

/// What a block reports of its threads' accesses to memory. The program that looks for races links races.cpp, which
/// watches them; without it nothing happens here (no_races.cpp), and Address Sanitizer watches.
namespace watch {

void begin_launch(const Launch& launch, void* dynamic_shared);
void begin_block(unsigned number);
/// All threads met.
void barrier();
/// The lanes (bits) of that warp met.
void warp_met(unsigned warp, unsigned lanes);
void resume(unsigned thread);
void suspend();
void end_launch();
/// The current thread's copy from `from` was started; its destination is nobody's until it arrives.
void copy_started(void* to, const void* from, std::size_t size);
void copy_arrived(void* to, std::size_t size);
/// The copy is abandoned: its thread has finished.
void copy_dropped(void* to, std::size_t size);
void atomic(void* address, std::size_t size);
void fence();

}  // namespace watch
}  // namespace tuner::host
