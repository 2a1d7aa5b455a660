#include "tuner/engine/counters/range_counter.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tuner/driver/driver.hpp"
#include "tuner/engine/counters/counter_host.hpp"

namespace tuner::engine {
namespace {

/// CUPTI talks to libcuda.so.1 by itself. If that is not the driver that is in use here, its contexts mean nothing
/// there.
void require_real_driver() {
  Dl_info used{}, known{};
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const void* const init = library ? dlsym(library, "cuInit") : nullptr;
  const bool same = init && dladdr(init, &known) != 0 &&
                    dladdr(reinterpret_cast<const void*>(cuda::driver().init), &used) != 0 &&
                    known.dli_fbase == used.dli_fbase;
  if (library) dlclose(library);
  if (same) return;
  throw CountingRefused(
      "Hardware counters can be read only with the driver that is installed as libcuda.so.1, and another is in use; "
      "unset TUNER_DRIVER.");
}

CUcontext context_in_use() {
  CUcontext context = nullptr;
  if (cuda::driver().current_context) cuda::driver().current_context(&context);
  if (!context) throw CountingRefused("Hardware counters cannot be read, because no CUDA context is in use here.");
  return context;
}

/// That it cannot work says CUPTI only where it is asked; later calls would fail with less telling codes.
void require_supported_device() {
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported);
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  check_cupti(cupti().device_supported(&params), "cuptiProfilerDeviceSupported");
  if (params.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED) return;
  const std::pair<CUpti_Profiler_Support_Level, const char*> reasons[] = {
      {params.architecture, "its architecture"},    {params.sli, "SLI"},
      {params.vGpu, "the virtual GPU's settings"},  {params.confidentialCompute, "confidential computing"},
      {params.cmp, "its being a mining processor"}, {params.wsl, "Windows Subsystem for Linux"}};
  std::string named;
  for (const auto& [level, name] : reasons) {
    if (level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) named += (named.empty() ? "" : ", ") + std::string(name);
  }
  throw CountingRefused(fmt::format("Hardware counters cannot be read on this GPU: according to CUPTI, {} forbids it.",
                                    named.empty() ? "its configuration" : named));
}

std::string chip_in_use() {
  auto params = TUNER_CUPTI_PARAMS(CUpti_Device_GetChipName);
  params.deviceIndex = 0;  // a worker sees one
  check_cupti(cupti().chip_name(&params), "cuptiDeviceGetChipName");
  return params.pChipName;
}

std::vector<std::uint8_t> counters_available(CUcontext context) {
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability);
  params.ctx = context;
  check_cupti(cupti().counter_availability(&params), "cuptiProfilerGetCounterAvailability");
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  check_cupti(cupti().counter_availability(&params), "cuptiProfilerGetCounterAvailability");
  return image;
}

/// A pass has one range. But what CUPTI does before a pass displaces some of L2, and how much depends on how many
/// ranges there may be: with two it is, for `prefetch` on an H200, what ncu displaces before all launches but its first
/// (docs/results/insight.md).
constexpr std::uint32_t kRangesProvided = 2;

/// Where CUPTI may be asked at all, and has been told to begin.
CUcontext profiled_context() {
  cupti();
  require_real_driver();
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_Initialize);
  check_cupti(cupti().initialize(&params), "cuptiProfilerInitialize");
  require_supported_device();
  return context_in_use();
}

}  // namespace

struct RangeCounter::Session {
  explicit Session(std::span<const std::string> names)
      : context(profiled_context()), host(chip_in_use(), counters_available(context), names) {
    if (host.plan().counted.empty())
      throw CountingRefused("Hardware counters cannot be read: this GPU has none of those that are asked for.");
  }
  // A context that is dead, or waits for a kernel that does not end, is left alone.
  ~Session() {
    if (!profiler || cuda::device_abandoned()) return;
    auto params = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_Disable);
    params.pRangeProfilerObject = profiler;
    cupti().disable(&params);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void enable() {
    auto params = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_Enable);
    params.ctx = context;
    check_cupti(cupti().enable(&params), "cuptiRangeProfilerEnable");
    profiler = params.pRangeProfilerObject;
  }

  void make_room() {
    std::vector<const char*> names;
    for (const std::string& name : host.plan().counted) names.push_back(name.c_str());
    auto size = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize);
    size.pRangeProfilerObject = profiler;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = kRangesProvided;
    size.maxNumRangeTreeNodes = kRangesProvided;
    check_cupti(cupti().counter_data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    collected.resize(size.counterDataSize);
    auto image = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize);
    image.pRangeProfilerObject = profiler;
    image.counterDataSize = collected.size();
    image.pCounterData = collected.data();
    check_cupti(cupti().initialize_counter_data(&image), "cuptiRangeProfilerCounterDataImageInitialize");
  }

  // Each launch is a range of its own, from its first cycle to its last; ranges of one's own making would contain the
  // time that the host takes. CUPTI keeps the number of the pass itself.
  void configure() {
    auto params = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig);
    params.pRangeProfilerObject = profiler;
    params.configSize = host.plan().image.size();
    params.pConfig = host.plan().image.data();
    params.counterDataImageSize = collected.size();
    params.pCounterDataImage = collected.data();
    params.range = CUPTI_AutoRange;
    params.replayMode = CUPTI_UserReplay;
    params.maxRangesPerPass = kRangesProvided;
    params.numNestingLevels = 1;
    params.minNestingLevel = 1;
    params.passIndex = 0;
    params.targetNestingLevel = 1;
    check_cupti(cupti().set_config(&params), "cuptiRangeProfilerSetConfig");
  }

  CUcontext context;
  CounterHost host;
  CUpti_RangeProfiler_Object* profiler = nullptr;
  std::vector<std::uint8_t> collected;
  int passes = 0;
};

RangeCounter::RangeCounter(std::span<const std::string> names) : session_(std::make_unique<Session>(names)) {
  session_->enable();
  session_->make_room();
  session_->configure();
}

RangeCounter::~RangeCounter() = default;

const CounterPlan& RangeCounter::plan() const {
  return session_->host.plan();
}

int RangeCounter::passes() const {
  return session_->passes;
}

void RangeCounter::begin_pass() {
  auto params = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_Start);
  params.pRangeProfilerObject = session_->profiler;
  check_cupti(cupti().start(&params), fmt::format("cuptiRangeProfilerStart before pass {}", session_->passes + 1));
}

bool RangeCounter::end_pass() {
  auto params = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_Stop);
  params.pRangeProfilerObject = session_->profiler;
  const int pass = ++session_->passes;
  check_cupti(cupti().stop(&params), fmt::format("cuptiRangeProfilerStop after pass {}", pass));
  if (params.isAllPassSubmitted != 0) return true;
  const int expected = session_->host.plan().passes;
  if (pass < 2 * expected + 2) return false;
  throw CountingRefused(
      fmt::format("Hardware counters cannot be read: after {} launches instead of {} CUPTI still asks "
                  "for more (pass index {}, nesting level {}).",
                  pass, expected, params.passIndex, params.targetNestingLevel));
}

Counters RangeCounter::values() {
  auto decode = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = session_->profiler;
  check_cupti(cupti().decode(&decode), "cuptiRangeProfilerDecodeData");
  const std::vector<std::uint8_t>& collected = session_->collected;
  auto info = TUNER_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo);
  info.pCounterDataImage = collected.data();
  info.counterDataImageSize = collected.size();
  check_cupti(cupti().counter_data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
  if (info.numTotalRanges != 1 || decode.numOfRangeDropped != 0) {
    throw CountingRefused(
        fmt::format("Hardware counters cannot be read: CUPTI has {} ranges, and dropped {}, where one "
                    "launch was counted in {} passes.",
                    info.numTotalRanges, decode.numOfRangeDropped, session_->passes));
  }
  return session_->host.values(collected);
}

}  // namespace tuner::engine
