// Modules and launches. The support module (support.cu) is run on the host. A candidate's instructions are words: what
// it does (fake_behaviour.cpp), then settings: it takes `time=` nanoseconds, writes `room=` elements of its scratch,
// uses `registers=` and `shared=` bytes of shared memory by itself, allows blocks of `threads=`, and each launch keeps
// the host for `wait=` real milliseconds, and the device for `busy=`. One that skips its work does so from
// launch `from=` of the module on. `reads=0:8099` reads that byte of its first argument's buffer, which may be outside;
// `by=` is how much one that trembles is off. `aligned=16` is an illegal access for buffers elsewhere.
// `array=weights:64` declares an array of 64 bytes in constant memory, which a cubin has by itself. A module that
// records is a program's: `called=` is the mangled name of a text's kernel, `does=` what it does (fake_work.cpp).
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
    if (name == "does") module.work = value;
    if (name == "called") module.called = value;
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
  Module* loaded = nullptr;
  {
    const std::lock_guard lock(one_call);
    if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
    if (device.dead != CUDA_SUCCESS) return device.dead;
    std::optional<Image> read = read_image(image);
    if (!read) return CUDA_ERROR_INVALID_IMAGE;
    if (const CUresult failed = load_image(std::move(*read), &loaded); failed != CUDA_SUCCESS) return failed;
  }
  *handle = reinterpret_cast<CUmodule>(loaded);
  announce(*loaded);
  return CUDA_SUCCESS;
}
void unload_module(CUmodule handle) {
  wait_for_device();
  count_unloaded_module(reinterpret_cast<Module*>(handle));
  delete reinterpret_cast<Module*>(handle);
}
CUresult module_function(CUfunction* function, CUmodule handle, const char* name) {
  Function* found = nullptr;
  const CUresult result = find_function(*reinterpret_cast<Module*>(handle), name, &found);
  if (result == CUDA_SUCCESS) *function = reinterpret_cast<CUfunction>(found);
  return result;
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
CUresult function_attribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  const Function* const function = function_of(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  *value = 0;
  if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = function->module->registers;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = function->module->max_threads;
  if (attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) *value = function->module->static_shared;
  if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) *value = 16;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) *value = function->max_dynamic_shared;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) *value = function->carveout;
  return CUDA_SUCCESS;
}
CUresult set_function_attribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  Function* const function = function_of(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if (value + function->module->static_shared > 232448) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) function->max_dynamic_shared = value;
  if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) function->carveout = value;
  return CUDA_SUCCESS;
}
CUresult parameter(CUfunction handle, std::size_t index, std::size_t* offset, std::size_t* size) {
  const Function* const function = function_of(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= function->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = function->parameters[index].offset;
  if (size != nullptr) *size = function->parameters[index].size;
  return CUDA_SUCCESS;
}
CUresult function_module(CUmodule* module, CUfunction handle) {
  const Function* const function = function_of(handle);
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  *module = reinterpret_cast<CUmodule>(function->module);
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
/// Where each parameter lies in the one buffer that `extra` may hand over in place of them.
CUresult unpack(const Function& function, void** extra, std::vector<void*>& arguments) {
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<char*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<std::size_t*>(extra[1]);
  }
  for (const tuner::KernelParameter& each : function.parameters) {
    if (buffer == nullptr || each.offset + each.size > bytes) return CUDA_ERROR_INVALID_VALUE;
    arguments.push_back(buffer + each.offset);
  }
  return CUDA_SUCCESS;
}
CUresult launch(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                unsigned z, unsigned shared_bytes, CUstream stream, void** arguments, void** extra) {
  Function* function = nullptr;
  if (const CUresult failed = launched_function(handle, &function); failed != CUDA_SUCCESS) return failed;
  if (function->module->records) {
    std::vector<void*> unpacked;
    if (arguments == nullptr && extra != nullptr) {
      if (const CUresult failed = unpack(*function, extra, unpacked); failed != CUDA_SUCCESS) return failed;
      arguments = unpacked.data();
    }
    return record_launch({function, {grid_x, grid_y, grid_z}, {x, y, z}, shared_bytes, stream, arguments});
  }
  const std::lock_guard lock(one_call);
  if (device.dead != CUDA_SUCCESS) return device.dead;
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
  return behind_fences([&] { return behave(*function->module, arguments); });
}
CUresult launch_per_thread(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x,
                           unsigned y, unsigned z, unsigned shared_bytes, CUstream stream, void** arguments,
                           void** extra) {
  return launch(function, grid_x, grid_y, grid_z, x, y, z, shared_bytes, stream ? stream : CU_STREAM_PER_THREAD,
                arguments, extra);
}
CUresult launch_with(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  return launch(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX, config->blockDimY,
                config->blockDimZ, config->sharedMemBytes, config->hStream, arguments, extra);
}
CUresult launch_together(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                         unsigned z, unsigned shared_bytes, CUstream stream, void** arguments) {
  return launch(function, grid_x, grid_y, grid_z, x, y, z, shared_bytes, stream, arguments, nullptr);
}

}  // namespace

CUresult load_image(Image image, Module** result) {
  static unsigned next_id = 1;
  if (const CUresult told_to_fail = load_error(image.instructions); told_to_fail != CUDA_SUCCESS) return told_to_fail;
  auto* loaded = new Module;
  loaded->id = next_id++;
  loaded->context = current_context();
  loaded->image = std::move(image);
  if (!loaded->image.support) {
    obey(*loaded);
    loaded->loaded_before = count_in_journal("load " + loaded->image.instructions);
    write_journal("load " + loaded->image.instructions);
  }
  loaded->records = loaded->behaviour == "records";
  // It is there whether or not somebody asks for its address.
  const auto bytes = std::as_bytes(std::span(loaded->image.symbols));
  if (!loaded->work.empty() && tuner::array_in_cubin(bytes, "step")) loaded->arrays["step"].resize(1);
  count_loaded_module(loaded);
  *result = loaded;
  return CUDA_SUCCESS;
}

void announce(const Module& loaded) {
  CallObserver* const told = observer.load(std::memory_order_acquire);
  if (told == nullptr) return;
  const std::string& bytes = loaded.image.symbols.empty() ? loaded.image.instructions : loaded.image.symbols;
  told->module_loaded({reinterpret_cast<CUcontext>(loaded.context), loaded.id, bytes.data(), bytes.size()});
}

CUresult find_function(Module& module, const std::string& name, Function** function) {
  if (!module.image.has_kernel(name)) return CUDA_ERROR_NOT_FOUND;
  const auto [found, inserted] = module.functions.try_emplace(name, Function{&module, name, {}});
  if (inserted && module.records) {
    const auto bytes = std::as_bytes(std::span(module.image.symbols));
    if (const auto facts = tuner::facts_from_cubin(bytes, name)) found->second.parameters = facts->parameters;
  }
  if (inserted) found->second.max_threads = module.max_threads;
  *function = &found->second;
  return CUDA_SUCCESS;
}

Functions module_functions() {
  return {
      {"cuModuleLoadDataEx", unlocked_entry<load_module>()},
      {"cuModuleUnload", entry<unload_module>()},
      {"cuModuleGetFunction", entry<module_function>()},
      {"cuModuleGetGlobal", entry<module_global>()},
      {"cuFuncGetAttribute", entry<function_attribute>()},
      {"cuFuncLoad", entry<load_function>()},
      {"cuFuncSetAttribute", entry<set_function_attribute>()},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", entry<max_active_blocks>()},
      {"cuFuncGetParamInfo", entry<parameter>()},
      {"cuFuncGetModule", entry<function_module>()},
      {"cuLaunchKernel", unlocked_entry<launch>("cuLaunchKernel")},
      {"cuLaunchKernel_ptsz", unlocked_entry<launch_per_thread>("cuLaunchKernel_ptsz")},
      {"cuLaunchKernelEx", unlocked_entry<launch_with>("cuLaunchKernelEx")},
      {"cuLaunchCooperativeKernel", unlocked_entry<launch_together>("cuLaunchCooperativeKernel")},
  };
}

}  // namespace fake
