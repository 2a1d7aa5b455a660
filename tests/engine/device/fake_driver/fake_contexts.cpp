// Contexts: a primary one of each GPU, those that a program creates, and which one is current to a thread.
#include <memory>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {

std::mutex one_call;

namespace {

unsigned long long next_id = 1;
std::map<CUdevice, Context> primary_contexts;
std::vector<std::unique_ptr<Context>> created, free_again;

thread_local std::vector<Context*> current;

CUcontext handle(Context* context) {
  return reinterpret_cast<CUcontext>(context);
}
Context* context_of_handle(CUcontext context) {
  return reinterpret_cast<Context*>(context);
}
bool is_device(CUdevice which) {
  return which >= 0 && static_cast<std::size_t>(which) < visible_gpus().size();
}

void begin(Context& context, CUdevice which) {
  context.device = which;
  context.id = next_id++;
  context.alive = true;
}

CUresult retain(CUcontext* context, CUdevice which) {
  if (!is_device(which)) return CUDA_ERROR_INVALID_DEVICE;
  if (told("no_context")) return CUDA_ERROR_OUT_OF_MEMORY;
  write_journal("context");
  const int gpu = visible_gpus()[static_cast<std::size_t>(which)];
  if (told("numbered") && number("devices")) write_journal("on GPU " + std::to_string(gpu));
  if (lost(gpu)) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  Context& primary = primary_contexts[which];
  if (primary.holds++ == 0) begin(primary, which);
  *context = handle(&primary);
  return CUDA_SUCCESS;
}
void state(CUdevice which, unsigned* flags, int* active) {
  const auto found = primary_contexts.find(which);
  *flags = 0;
  *active = found != primary_contexts.end() && found->second.holds > 0;
}
CUresult release(CUdevice which) {
  const auto found = primary_contexts.find(which);
  if (found == primary_contexts.end() || found->second.holds == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--found->second.holds == 0) found->second.alive = false;
  return CUDA_SUCCESS;
}

// A new context likes to be where an old one was, as with the real driver: it is told apart by its number only.
CUresult create(CUcontext* context, unsigned, CUdevice which) {
  if (!is_device(which)) return CUDA_ERROR_INVALID_DEVICE;
  if (free_again.empty()) free_again.push_back(std::make_unique<Context>());
  created.push_back(std::move(free_again.back()));
  free_again.pop_back();
  begin(*created.back(), which);
  current.push_back(created.back().get());
  *context = handle(created.back().get());
  return CUDA_SUCCESS;
}
CUresult destroy(CUcontext context) {
  for (auto each = created.begin(); each != created.end(); ++each) {
    if (handle(each->get()) != context) continue;
    (*each)->alive = false;
    if (!current.empty() && current.back() == each->get()) current.pop_back();
    free_again.push_back(std::move(*each));
    created.erase(each);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_CONTEXT;
}

void get_current(CUcontext* context) {
  *context = handle(current_context());
}
void set_current(CUcontext context) {
  if (!current.empty()) current.pop_back();
  if (context) current.push_back(context_of_handle(context));
}
CUresult push(CUcontext context) {
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  current.push_back(context_of_handle(context));
  return CUDA_SUCCESS;
}
CUresult pop(CUcontext* context) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = handle(current.back());
  current.pop_back();
  return CUDA_SUCCESS;
}
CUresult get_device(CUdevice* which) {
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *which = current_context()->device;
  return CUDA_SUCCESS;
}
CUresult get_id(CUcontext context, unsigned long long* id) {
  const Context* asked = context ? context_of_handle(context) : current_context();
  if (!asked) return CUDA_ERROR_INVALID_CONTEXT;
  if (!asked->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *id = asked->id;
  return CUDA_SUCCESS;
}
CUresult synchronize() {
  if (const CUresult forbidden = capture_forbids_draining(); forbidden != CUDA_SUCCESS) return forbidden;
  wait_for_device();
  return current_context() ? device.dead : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult limit(std::size_t* value, CUlimit which) {
  static const std::map<CUlimit, std::size_t> limits = {
      {CU_LIMIT_STACK_SIZE, 1024}, {CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20}, {CU_LIMIT_MALLOC_HEAP_SIZE, 8 << 20}};
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  const auto found = limits.find(which);
  if (found == limits.end()) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  *value = found->second;
  return CUDA_SUCCESS;
}

}  // namespace

Context* current_context() {
  return current.empty() ? nullptr : current.back();
}

std::size_t count_primary_holds() {
  std::size_t holds = 0;
  for (const auto& [which, context] : primary_contexts) holds += static_cast<std::size_t>(context.holds);
  return holds;
}

Functions context_functions() {
  return {
      {"cuDevicePrimaryCtxRetain", entry<retain>()},
      {"cuDevicePrimaryCtxRelease", entry<release>()},
      {"cuDevicePrimaryCtxGetState", entry<state>()},
      {"cuCtxCreate", entry<create>()},
      {"cuCtxDestroy", entry<destroy>()},
      {"cuCtxGetCurrent", unlocked_entry<get_current>()},
      {"cuCtxSetCurrent", unlocked_entry<set_current>()},
      {"cuCtxPushCurrent", unlocked_entry<push>()},
      {"cuCtxPopCurrent", unlocked_entry<pop>()},
      {"cuCtxGetDevice", unlocked_entry<get_device>()},
      {"cuCtxGetId", unlocked_entry<get_id>()},
      {"cuCtxGetLimit", unlocked_entry<limit>()},
      {"cuCtxSynchronize", waiting_entry<synchronize>()},
  };
}

}  // namespace fake
