// Libraries, from which the runtime takes its kernels: a CUkernel belongs to no context, and its module is loaded where
// it is first launched or asked for. As drivers do, the calls that launch take it for a CUfunction, and no other does.
#include <span>

#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {
namespace {

struct Library;
struct Kernel {
  Library* library = nullptr;
  std::string name;
};
struct Library {
  Image image;
  std::map<Context*, Module*> modules;
  std::map<std::string, Kernel> kernels;
};
// Never destroyed, and nothing of it: what a program leaves behind when it ends is the driver's to keep.
std::vector<Library*>& libraries = *new std::vector<Library*>;

// Handles of kernels are odd, as no address of a function is.
CUkernel handle(Kernel* kernel) {
  return reinterpret_cast<CUkernel>(reinterpret_cast<std::uintptr_t>(kernel) | 1);
}
template <typename Handle>
Kernel* kernel_of(Handle given) {
  const auto number = reinterpret_cast<std::uintptr_t>(given);
  return (number & 1) != 0 ? reinterpret_cast<Kernel*>(number - 1) : nullptr;
}

CUresult find_loaded(const Kernel& kernel, Function** function) {
  Module* announced = nullptr;
  CUresult result = CUDA_SUCCESS;
  {
    const std::lock_guard lock(one_call);
    if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
    Module*& module = kernel.library->modules[current_context()];
    if (module == nullptr) {
      if (const CUresult failed = load_image(kernel.library->image, &module); failed != CUDA_SUCCESS) return failed;
      announced = module;
    }
    result = find_function(*module, kernel.name, function);
  }
  if (announced != nullptr) announce(*announced);
  return result;
}

CUresult load(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
              unsigned) {
  std::optional<Image> image = read_image(code);
  if (!image) return CUDA_ERROR_INVALID_IMAGE;
  libraries.push_back(new Library{std::move(*image), {}, {}});
  *library = reinterpret_cast<CUlibrary>(libraries.back());
  return CUDA_SUCCESS;
}
CUresult kernel(CUkernel* kernel, CUlibrary from, const char* name) {
  auto* const library = reinterpret_cast<Library*>(from);
  if (!library->image.has_kernel(name)) return CUDA_ERROR_NOT_FOUND;
  *kernel = handle(&library->kernels.try_emplace(name, Kernel{library, name}).first->second);
  return CUDA_SUCCESS;
}
CUresult function(CUfunction* function, CUkernel given) {
  const Kernel* const kernel = kernel_of(given);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  return find_loaded(*kernel, reinterpret_cast<Function**>(function));
}
CUresult parameter(CUkernel given, std::size_t index, std::size_t* offset, std::size_t* size) {
  const Kernel* const kernel = kernel_of(given);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  const auto bytes = std::as_bytes(std::span(kernel->library->image.symbols));
  const auto facts = tuner::facts_from_cubin(bytes, kernel->name);
  if (!facts || index >= facts->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = facts->parameters[index].offset;
  if (size != nullptr) *size = facts->parameters[index].size;
  return CUDA_SUCCESS;
}

}  // namespace

Function* function_of(CUfunction handle) {
  return kernel_of(handle) ? nullptr : reinterpret_cast<Function*>(handle);
}
CUresult launched_function(CUfunction handle, Function** function) {
  if (const Kernel* const kernel = kernel_of(handle)) return find_loaded(*kernel, function);
  *function = reinterpret_cast<Function*>(handle);
  return CUDA_SUCCESS;
}
const char* name_of_kernel(CUfunction handle) {
  if (const Kernel* const kernel = kernel_of(handle)) return kernel->name.c_str();
  const Function* const function = function_of(handle);
  return (function->module->called.empty() ? function->name : function->module->called).c_str();
}

Functions library_functions() {
  return {
      {"cuLibraryLoadData", entry<load>()},
      {"cuLibraryGetKernel", entry<kernel>()},
      {"cuKernelGetFunction", unlocked_entry<function>()},
      {"cuKernelGetParamInfo", entry<parameter>()},
  };
}

}  // namespace fake
