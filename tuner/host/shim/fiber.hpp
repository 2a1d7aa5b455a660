#pragma once

#include <cstddef>

namespace tuner::host {

/// A function with a stack of its own that can stop in the middle and go on later: one CUDA thread. Fibers are resumed
/// from one place, the block's scheduler, and suspend back to it. Address Sanitizer is told about every switch. All of
/// this belongs to one operating-system thread.
class Fiber {
 public:
  Fiber();  ///< reserves the stack, with a guard page below it; throws std::bad_alloc
  ~Fiber();
  Fiber(const Fiber&) = delete;  // its address is known to the code that runs on its stack
  Fiber& operator=(const Fiber&) = delete;

  /// Makes the next resume() call `entry(argument)` on an empty stack. Whatever ran before is abandoned, not unwound.
  void start(void (*entry)(void*), void* argument);
  /// Runs until the fiber suspends or its entry returns. Not after finished().
  void resume();
  bool finished() const { return finished_; }

  /// Called on a fiber: goes back to where it was resumed.
  static void suspend();

 private:
  static void run();

  std::byte* stack_;
  std::byte* top_;  // where the first frame begins
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* stack_pointer_ = nullptr;
  void* fake_stack_ = nullptr;  // Address Sanitizer's, while suspended
  bool finished_ = true;
};

}  // namespace tuner::host
