// Modules and launches. An image that says "support" has the kernels of support.cu, run on the host. Any other text is
// a candidate called "kernel" that does what its first word says (fake_behaviour.cpp), in `time=` nanoseconds; it
// writes `room=` elements of its scratch, uses `registers=`, and each launch keeps the host for `wait=` real
// milliseconds.
#include <algorithm>
#include <sstream>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tuner/engine/device/support.hpp"

namespace fake {
namespace {

CUresult load_module(CUmodule* handle, const void* image, unsigned, CUjit_option*, void**) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  std::istringstream text(static_cast<const char*>(image));
  auto* loaded = new Module;
  text >> loaded->behaviour;
  loaded->support = loaded->behaviour == "support";
  for (std::string word; text >> word;) {
    if (word.rfind("time=", 0) == 0) loaded->time_ns = std::stoull(word.substr(5));
    if (word.rfind("room=", 0) == 0) loaded->room = std::stoi(word.substr(5));
    if (word.rfind("wait=", 0) == 0) loaded->wait_ms = std::stoi(word.substr(5));
    if (word.rfind("registers=", 0) == 0) loaded->registers = std::stoi(word.substr(10));
  }
  if (loaded->behaviour == "not_a_binary") {
    delete loaded;
    return CUDA_ERROR_INVALID_IMAGE;
  }
  *handle = reinterpret_cast<CUmodule>(loaded);
  return CUDA_SUCCESS;
}
CUresult unload_module(CUmodule handle) {
  wait_for_device();
  delete reinterpret_cast<Module*>(handle);
  return CUDA_SUCCESS;
}
CUresult module_function(CUfunction* function, CUmodule handle, const char* name) {
  auto* module = reinterpret_cast<Module*>(handle);
  if (!module->support && std::string(name) != "kernel") return CUDA_ERROR_NOT_FOUND;
  const auto [found, inserted] = module->functions.try_emplace(name, Function{module, name});
  *function = reinterpret_cast<CUfunction>(&found->second);
  return CUDA_SUCCESS;
}
CUresult function_attribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  *value = 0;
  if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = reinterpret_cast<Function*>(function)->module->registers;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = 1024;
  if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) *value = 16;
  return CUDA_SUCCESS;
}
CUresult set_function_attribute(CUfunction, CUfunction_attribute, int value) {
  return value > 232448 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult max_active_blocks(int* blocks, CUfunction, int threads, std::size_t) {
  *blocks = std::min(2048 / std::max(threads, 1), 32);
  return CUDA_SUCCESS;
}
CUresult launch(CUfunction handle, unsigned, unsigned, unsigned, unsigned x, unsigned y, unsigned z, unsigned, CUstream,
                void** arguments, void**) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  const auto* function = reinterpret_cast<Function*>(handle);
  if (function->module->support) {
    device.now_ns += 2000;
    return tuner::engine::run_support_kernel_on_host(function->name, arguments) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  }
  if (x * y * z > 1024) return CUDA_ERROR_INVALID_VALUE;
  device.now_ns += function->module->time_ns;
  return behave(*function->module, arguments);
}

}  // namespace

Functions module_functions() {
  return {
      {"cuModuleLoadDataEx", entry(load_module)},
      {"cuModuleUnload", entry(unload_module)},
      {"cuModuleGetFunction", entry(module_function)},
      {"cuFuncGetAttribute", entry(function_attribute)},
      {"cuFuncSetAttribute", entry(set_function_attribute)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", entry(max_active_blocks)},
      {"cuLaunchKernel", entry(launch)},
  };
}

}  // namespace fake
