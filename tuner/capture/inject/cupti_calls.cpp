#include "tuner/capture/inject/cupti_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "tuner/capture/message.hpp"

namespace tuner::capture {
namespace {

std::optional<CuptiCalls> calls_of(void* library) {
  CuptiCalls calls;
#define TUNER_CAPTURE_FIND(member, name)                                     \
  calls.member = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  if (calls.member == nullptr) return std::nullopt;
  TUNER_CAPTURE_CUPTI(TUNER_CAPTURE_FIND)
#undef TUNER_CAPTURE_FIND
  return calls;
}

}  // namespace

std::optional<CuptiCalls> open_cupti(std::string& why) {
  const char* const list = std::getenv(kCuptiVariable);
  const std::string files = list != nullptr ? list : "";
  for (std::size_t begin = 0; begin < files.size();) {
    const std::size_t end = std::min(files.find(':', begin), files.size());
    // Never closed: it lives as long as the driver, in which it registers itself.
    void* const library = dlopen(files.substr(begin, end - begin).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      if (std::optional<CuptiCalls> calls = calls_of(library)) return calls;
    }
    begin = end + 1;
  }
  why = "Kernels cannot be seen without CUPTI, a library of the CUDA toolkit, which was not found (looked for " +
        files + "); install the toolkit's CUPTI, or set TUNER_CUPTI to the path of libcupti.so.";
  return std::nullopt;
}

std::string refusal_of(const CuptiCalls& cupti, CUptiResult result) {
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return "Kernels cannot be seen, because the program, or a tool that watches it, uses CUPTI itself.";
  const char* name = nullptr;
  if (cupti.result_string(result, &name) != CUPTI_SUCCESS || name == nullptr) name = "an unknown error";
  return std::string("Kernels cannot be seen, because CUPTI says ") + name +
         "; set TUNER_CUPTI to the libcupti.so of a CUDA toolkit no newer than the driver.";
}

}  // namespace tuner::capture
