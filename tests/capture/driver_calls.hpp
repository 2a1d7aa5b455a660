#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include "tuner/driver/driver.hpp"

namespace tuner::test {

/// A function of the driver by its base name, found as what is loaded into a program finds it.
template <typename Function>
Function driver_call(const char* name, cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  cuda::driver();
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  void* function = nullptr;
  cuda::check(find(name, &function, 13000, flags, nullptr), name);
  return reinterpret_cast<Function>(function);
}

/// The first GPU's primary context, current to this thread from now on.
CUcontext use_context();

}  // namespace tuner::test
