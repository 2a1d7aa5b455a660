#include "tuner/engine/counters/cupti.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <system_error>

#include "tuner/core/base/cupti_files.hpp"
#include "tuner/engine/counters/counter_plan.hpp"

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

template <typename Function>
void find_in_cupti(void* library, const fs::path& file, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function != nullptr) return;
  throw CountingRefused(fmt::format(
      "Hardware counters need CUPTI of CUDA 12.6.2 or newer, and {} has no function {}; install a newer CUDA "
      "toolkit, or set TUNER_CUPTI to the path of its libcupti.so.",
      file.string(), name));
}

Cupti load_cupti() {
  std::string looked, reason;
  for (const fs::path& file : cupti_files()) {
    // Never closed: it lives as long as the driver, in which it registers itself.
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::error_code error;
      if (const char* text = dlerror(); text != nullptr && file.has_parent_path() && fs::exists(file, error))
        reason = fmt::format(" The last one found could not be loaded: {}.", text);
      looked += (looked.empty() ? "" : ", ") + file.string();
      continue;
    }
    Cupti functions;
    functions.file = file;
#define TUNER_CUPTI_FIND(member, name) find_in_cupti(library, file, functions.member, #name);
    TUNER_CUPTI_FUNCTIONS(TUNER_CUPTI_FIND)
#undef TUNER_CUPTI_FIND
    return functions;
  }
  throw CountingRefused(
      fmt::format("Hardware counters need CUPTI, a library of the CUDA toolkit, which was not found (looked for {}).{} "
                  "Install the toolkit's CUPTI, or set TUNER_CUPTI to the path of libcupti.so.",
                  looked, reason));
}

/// What an administrator can do about it; empty if nobody knows.
std::string_view cupti_remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "the driver lets administrators only read hardware counters (ERR_NVGPUCTRPERM): an administrator allows "
             "them to everybody with the module option NVreg_RestrictProfilingToAdminUsers=0 of nvidia, or to this "
             "process with CAP_SYS_ADMIN (in a container, --cap-add=SYS_ADMIN)";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler holds the GPU's counters: end it (ncu, nsys, a debugger), or have an administrator "
             "pause monitoring with `dcgmi profile --pause`";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "a part of a GPU has no counters of its own: an administrator would have to switch MIG off";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "confidential computing forbids it: an administrator would have to switch that off";
    case CUPTI_ERROR_NOT_INITIALIZED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
      return "CUPTI does not fit the driver: set TUNER_CUPTI to the libcupti.so of a toolkit no newer than the driver";
    default:
      return {};
  }
}

}  // namespace

const Cupti& cupti() {
  static std::mutex mutex;
  static std::optional<Cupti> functions;
  const std::lock_guard lock(mutex);
  if (!functions) functions = load_cupti();
  return *functions;
}

std::string cupti_error_text(CUptiResult result) {
  const char* name = nullptr;
  if (cupti().result_string(result, &name) != CUPTI_SUCCESS || !name) name = "CUPTI error";
  return fmt::format("{} ({})", name, static_cast<int>(result));
}

void check_cupti(CUptiResult result, std::string_view call) {
  if (result == CUPTI_SUCCESS) return;
  const std::string_view remedy = cupti_remedy(result);
  throw CountingRefused(fmt::format("Hardware counters cannot be read, because {} of {} returned {}{}{}.", call,
                                    cupti().file.string(), cupti_error_text(result), remedy.empty() ? "" : "; ",
                                    remedy));
}

}  // namespace tuner::engine
