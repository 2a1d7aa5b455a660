#include "tuner/capture/inject/driver_calls.hpp"

#include <dlfcn.h>

namespace tuner::capture {

std::optional<DriverCalls> find_driver_calls() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return std::nullopt;
  const auto get =
      reinterpret_cast<CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*)>(
          dlsym(driver, "cuGetProcAddress_v2"));
  if (get == nullptr) return std::nullopt;
  DriverCalls calls;
  const auto find = [&](auto& member, const char* name, int version) {
    void* function = nullptr;
    const CUresult result = get(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    member = reinterpret_cast<std::decay_t<decltype(member)>>(function);
    return result == CUDA_SUCCESS && function != nullptr;
  };
#define TUNER_CAPTURE_FIND(member, name, version) \
  if (!find(calls.member, #name, version)) return std::nullopt;
  TUNER_CAPTURE_DRIVER(TUNER_CAPTURE_FIND)
#undef TUNER_CAPTURE_FIND
  return calls;
}

}  // namespace tuner::capture
