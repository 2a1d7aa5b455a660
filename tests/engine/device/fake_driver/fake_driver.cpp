// The function that is exported as by a driver: it hands out all others.
#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {
namespace {

const Functions& functions() {
  static const Functions table = [] {
    Functions all = device_functions();
    all.merge(context_functions());
    all.merge(capture_functions());
    all.merge(memory_functions());
    all.merge(fence_functions());
    all.merge(module_functions());
    all.merge(library_functions());
    all.merge(stream_functions());
    return all;
  }();
  return table;
}

}  // namespace
}  // namespace fake

extern "C" __attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(const char* name, void** function, int,
                                                                               cuuint64_t flags,
                                                                               CUdriverProcAddressQueryResult*) {
  auto found = fake::functions().find(name);
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) {
    const auto per_thread = fake::functions().find(std::string(name) + "_ptsz");
    if (per_thread != fake::functions().end()) found = per_thread;
  }
  *function = found == fake::functions().end() ? nullptr : found->second;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
