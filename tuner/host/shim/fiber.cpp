#include "tuner/host/shim/fiber.hpp"

#include <sys/mman.h>

#include <new>

#include "tuner/host/shim/memory.hpp"

#if !defined(__x86_64__)
#error "Kernels run on the CPU on x86-64 only: threads change stacks in its assembly."
#endif

// Saves the registers that a call must preserve on the current stack, stores the stack pointer and continues on another
// stack. (swapcontext would do, at the price of two system calls a switch.)
asm(R"(
.text
.type tuner_host_switch_stack, @function
tuner_host_switch_stack:
  endbr64
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size tuner_host_switch_stack, . - tuner_host_switch_stack
)");
extern "C" void tuner_host_switch_stack(void** save_to, void* continue_at);

namespace tuner::host {
namespace {

constexpr std::size_t kGuard = 4096;
// Memory at equal distances shares few lines of the processor's caches, and so would what threads have on top of their
// stacks: each begins deeper in its stack than the one before, by these bytes, until it is so many times.
constexpr std::size_t kStagger = 17 * 64;
constexpr std::size_t kStaggers = 64;
constexpr std::size_t kStack = 252 * 1024 + kStaggers * kStagger;
constexpr int kSavedRegisters = 6;

Fiber* running = nullptr;
void* scheduler_stack_pointer = nullptr;
const void* scheduler_stack = nullptr;  // as Address Sanitizer reports it
std::size_t scheduler_stack_size = 0;

}  // namespace

Fiber::Fiber() {
  void* memory =
      mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, kGuard, PROT_NONE);
  stack_ = static_cast<std::byte*>(memory) + kGuard;
  static std::size_t made = 0;
  top_ = stack_ + kStack - made++ % kStaggers * kStagger;
}

Fiber::~Fiber() {
  allow(stack_, kStack);  // another mapping may come to lie here
  munmap(stack_ - kGuard, kGuard + kStack);
}

void Fiber::start(void (*entry)(void*), void* argument) {
  // Frames of an abandoned run leave their red zones behind.
  if (!finished_) allow(stack_, kStack);
  entry_ = entry;
  argument_ = argument;
  fake_stack_ = nullptr;
  finished_ = false;
  // As if `run` had been called and had switched away: a return address for `run` that is never used, the address of
  // `run`, the saved registers. The stack pointer is then 8 below a multiple of 16, as at the start of any function.
  void** top = reinterpret_cast<void**>(top_);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&Fiber::run);
  for (int i = 0; i < kSavedRegisters; ++i) *--top = nullptr;
  stack_pointer_ = top;
}

void Fiber::resume() {
  running = this;
  void* fake_stack = nullptr;
  if (__sanitizer_start_switch_fiber) __sanitizer_start_switch_fiber(&fake_stack, stack_, kStack);
  tuner_host_switch_stack(&scheduler_stack_pointer, stack_pointer_);
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  running = nullptr;
}

void Fiber::suspend() {
  Fiber* self = running;
  if (__sanitizer_start_switch_fiber) {
    __sanitizer_start_switch_fiber(self->finished_ ? nullptr : &self->fake_stack_, scheduler_stack,
                                   scheduler_stack_size);
  }
  tuner_host_switch_stack(&self->stack_pointer_, scheduler_stack_pointer);
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(self->fake_stack_, &scheduler_stack, &scheduler_stack_size);
}

void Fiber::run() {
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_size);
  Fiber* self = running;
  self->entry_(self->argument_);
  self->finished_ = true;
  suspend();
}

}  // namespace tuner::host
