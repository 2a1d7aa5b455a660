// Modules and launches. The support module (support.cu) is run on the host. A candidate's instructions are words: what
// it does (fake_behaviour.cpp), then settings: it takes `time=` nanoseconds, writes `room=` elements of its scratch,
// uses `registers=` and `shared=` bytes of shared memory by itself, allows blocks of `threads=`, and each launch keeps
// the host for `wait=` real milliseconds, and the device for `busy=`. One that skips its work does so from
// launch `from=` of the module on. `reads=0:8099` reads that byte of its first argument's buffer, which may be outside;
// `by=` is how much one that trembles is off. `aligned=16` is an illegal access for buffers elsewhere.
// `array=weights:64` declares an array of 64 bytes in constant memory, which a cubin has by itself.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"
#include "tuner/core/support/support.hpp"

namespace fake {
namespace {

void obey(Module& module) {
  std::istringstream text(module.image.instructions);
  text >> module.behaviour;
  for (std::string word; text >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (name == "time") module.time_ns = std::stoull(value);
    if (name == "from") module.from = std::stoi(value);
    if (name == "room") module.room = std::stoi(value);
    if (name == "wait") module.wait_ms = std::stoi(value);
    if (name == "busy") module.busy_ms = std::stoi(value);
    if (name == "threads") module.max_threads = std::stoi(value);
    if (name == "shared") module.static_shared = std::stoi(value);
    if (name == "registers") module.registers = std::stoi(value);
    if (name == "by") module.by = std::stod(value);
    if (name == "aligned") module.aligned = std::stoi(value);
    if (name == "reads") {
      const std::size_t colon = value.find(':');
      module.reads.emplace_back(std::stoi(value), std::stoll(value.substr(colon + 1)));
    }
    if (name == "array") {
      const std::size_t colon = value.find(':');
      module.arrays[value.substr(0, colon)].resize(std::stoul(value.substr(colon + 1)) / sizeof(double));
    }
  }
}

CUresult load_module(CUmodule* handle, const void* image, unsigned, CUjit_option*, void**) {
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
  if (device.dead != CUDA_SUCCESS) return device.dead;
  std::optional<Image> read = read_image(image);
  if (!read) return CUDA_ERROR_INVALID_IMAGE;
  if (const CUresult told_to_fail = load_error(read->instructions); told_to_fail != CUDA_SUCCESS) return told_to_fail;
  auto* loaded = new Module;
  loaded->context = current_context();
  loaded->image = std::move(*read);
  if (!loaded->image.support) {
    obey(*loaded);
    loaded->loaded_before = count_in_journal("load " + loaded->image.instructions);
    write_journal("load " + loaded->image.instructions);
  }
  loaded->records = loaded->behaviour == "records";
  count_loaded_module(loaded);
  *handle = reinterpret_cast<CUmodule>(loaded);
  return CUDA_SUCCESS;
}
void unload_module(CUmodule handle) {
  wait_for_device();
  count_unloaded_module(reinterpret_cast<Module*>(handle));
  delete reinterpret_cast<Module*>(handle);
}
CUresult module_function(CUfunction* function, CUmodule handle, const char* name) {
  auto* module = reinterpret_cast<Module*>(handle);
  if (!module->image.has_kernel(name)) return CUDA_ERROR_NOT_FOUND;
  const auto [found, inserted] = module->functions.try_emplace(name, Function{module, name, {}});
  if (inserted && module->records) {
    const auto bytes = std::as_bytes(std::span(module->image.symbols));
    if (const auto facts = tuner::facts_from_cubin(bytes, name)) found->second.parameters = facts->parameters;
  }
  if (inserted) found->second.max_threads = module->max_threads;
  *function = reinterpret_cast<CUfunction>(&found->second);
  return CUDA_SUCCESS;
}
CUresult module_global(CUdeviceptr* address, std::size_t* bytes, CUmodule handle, const char* name) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  auto* module = reinterpret_cast<Module*>(handle);
  if (!module->image.symbols.empty()) {
    const auto array = tuner::array_in_cubin(std::as_bytes(std::span(module->image.symbols)), name);
    if (!array || array->symbol != name) return CUDA_ERROR_NOT_FOUND;
    module->arrays[name].resize((array->bytes + sizeof(double) - 1) / sizeof(double));
    *bytes = array->bytes;
  } else {
    if (!module->arrays.contains(name)) return CUDA_ERROR_NOT_FOUND;
    *bytes = module->arrays[name].size() * sizeof(double);
  }
  *address = reinterpret_cast<CUdeviceptr>(module->arrays[name].data());
  return CUDA_SUCCESS;
}
void function_attribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  *value = 0;
  if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = reinterpret_cast<Function*>(function)->module->registers;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
    *value = reinterpret_cast<Function*>(function)->module->max_threads;
  if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
    *value = reinterpret_cast<Function*>(function)->module->static_shared;
  if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) *value = 16;
}
CUresult set_function_attribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (value + reinterpret_cast<Function*>(function)->module->static_shared > 232448) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    reinterpret_cast<Function*>(function)->max_dynamic_shared = value;
  return CUDA_SUCCESS;
}
CUresult load_function(CUfunction) {
  return capture_forbids();
}
void max_active_blocks(int* blocks, CUfunction, int threads, std::size_t) {
  *blocks = std::min(2048 / std::max(threads, 1), 32);
}
/// How long a launch takes on this GPU that takes so long on others.
std::uint64_t on_gpu(int gpu, std::uint64_t time_ns) {
  static int launches = 0;
  const auto is = [gpu](const char* name) { return number(name) == static_cast<std::uint64_t>(gpu); };
  if (is("slow_device")) time_ns += time_ns * number("slower").value_or(0) / 100;
  if (is("busy_device") && launches++ / 40 % 2 == 0) time_ns *= 2;
  return time_ns;
}
CUresult launch(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                unsigned z, unsigned shared_bytes, CUstream stream, void** arguments, void**) {
  if (const auto* function = reinterpret_cast<const Function*>(handle); function->module->records)
    return record_launch({function, {grid_x, grid_y, grid_z}, {x, y, z}, shared_bytes, stream, arguments});
  const std::lock_guard lock(one_call);
  if (device.dead != CUDA_SUCCESS) return device.dead;
  const auto* function = reinterpret_cast<Function*>(handle);
  function->module->timed = std::exchange(device.timing, false);
  if (function->module->image.support) {
    device.now_ns += 2000;
    return tuner::run_support_kernel_on_host(function->name, arguments) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  }
  if (function->name == "tuner_value_kernel") {  // what it makes is zero
    auto& misfits = function->module->arrays["tuner_value_misfits"];
    misfits.resize(1);
    const auto misfit = static_cast<int>(number("misfit").value_or(0));
    std::memcpy(misfits.data(), &misfit, sizeof misfit);
    return CUDA_SUCCESS;
  }
  if (x * y * z > 1024) return CUDA_ERROR_INVALID_VALUE;
  if (x * y * z > static_cast<unsigned>(function->max_threads)) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  write_journal("launch " + function->module->image.instructions);
  const int gpu = visible_gpus()[static_cast<std::size_t>(function->module->context->device)];
  if (lost(gpu)) return device.dead = CUDA_ERROR_LAUNCH_FAILED;
  const std::uint64_t time_ns = on_gpu(gpu, with_noise(function->module->time_ns));
  device.now_ns += time_ns;
  if (const auto real = number("real")) std::this_thread::sleep_for(std::chrono::nanoseconds(*real * time_ns));
  return behave_behind_fences(*function->module, arguments);
}

}  // namespace

Functions module_functions() {
  return {
      {"cuModuleLoadDataEx", entry<load_module>()},
      {"cuModuleUnload", entry<unload_module>()},
      {"cuModuleGetFunction", entry<module_function>()},
      {"cuModuleGetGlobal", entry<module_global>()},
      {"cuFuncGetAttribute", entry<function_attribute>()},
      {"cuFuncLoad", entry<load_function>()},
      {"cuFuncSetAttribute", entry<set_function_attribute>()},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", entry<max_active_blocks>()},
      {"cuLaunchKernel", unlocked_entry<launch>()},
  };
}

}  // namespace fake
