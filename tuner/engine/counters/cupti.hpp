#pragma once

// A toolkit without CUPTI is enough to build: see counting_absent.cpp.
#if __has_include(<cupti_range_profiler.h>)

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace tuner::engine {

/// Every function of CUPTI that is called: member, exported name.
#define TUNER_CUPTI_FUNCTIONS(X)                                           \
  X(result_string, cuptiGetResultString)                                   \
  X(initialize, cuptiProfilerInitialize)                                   \
  X(device_supported, cuptiProfilerDeviceSupported)                        \
  X(chip_name, cuptiDeviceGetChipName)                                     \
  X(counter_availability, cuptiProfilerGetCounterAvailability)             \
  X(host_initialize, cuptiProfilerHostInitialize)                          \
  X(host_deinitialize, cuptiProfilerHostDeinitialize)                      \
  X(supported_chips, cuptiProfilerHostGetSupportedChips)                   \
  X(add_metrics, cuptiProfilerHostConfigAddMetrics)                        \
  X(config_image_size, cuptiProfilerHostGetConfigImageSize)                \
  X(config_image, cuptiProfilerHostGetConfigImage)                         \
  X(number_of_passes, cuptiProfilerHostGetNumOfPasses)                     \
  X(evaluate, cuptiProfilerHostEvaluateToGpuValues)                        \
  X(enable, cuptiRangeProfilerEnable)                                      \
  X(disable, cuptiRangeProfilerDisable)                                    \
  X(counter_data_size, cuptiRangeProfilerGetCounterDataSize)               \
  X(initialize_counter_data, cuptiRangeProfilerCounterDataImageInitialize) \
  X(set_config, cuptiRangeProfilerSetConfig)                               \
  X(start, cuptiRangeProfilerStart)                                        \
  X(stop, cuptiRangeProfilerStop)                                          \
  X(decode, cuptiRangeProfilerDecodeData)                                  \
  X(counter_data_info, cuptiRangeProfilerGetCounterDataInfo)

/// CUPTI's functions.
struct Cupti {
#define TUNER_CUPTI_MEMBER(member, name) decltype(&::name) member = nullptr;
  TUNER_CUPTI_FUNCTIONS(TUNER_CUPTI_MEMBER)
#undef TUNER_CUPTI_MEMBER
  std::filesystem::path file;
};

/// Opens CUPTI at the first call: $TUNER_CUPTI, the loader's path, or where toolkits have it. Throws CountingRefused;
/// tries again at the next call.
const Cupti& cupti();

/// "CUPTI_ERROR_INVALID_PARAMETER (1)".
std::string cupti_error_text(CUptiResult result);

/// Throws CountingRefused, naming the call and what may be done about it, unless the result is success.
void check_cupti(CUptiResult result, std::string_view call);

/// Parameters of a call, empty but for their size.
template <typename Params>
Params cupti_params(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}
/// Of the function whose parameters have this name: TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_Start).
#define TUNER_CUPTI_PARAMS(name) ::tuner::engine::cupti_params<name##_Params>(name##_Params_STRUCT_SIZE)

}  // namespace tuner::engine

#endif
