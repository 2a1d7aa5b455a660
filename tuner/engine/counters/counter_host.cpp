#include "tuner/engine/counters/counter_host.hpp"

#include <cmath>
#include <utility>

namespace tuner::engine {

void CounterHost::Release::operator()(CUpti_Profiler_Host_Object* object) const noexcept {
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize);
  params.pHostObject = object;
  cupti().host_deinitialize(&params);
}

CounterHost::CounterHost(std::string chip, std::vector<std::uint8_t> availability, std::span<const std::string> names)
    : chip_(std::move(chip)), availability_(std::move(availability)), object_(open()) {
  choose(names);
  if (!plan_.counted.empty()) make_image();
}

CounterHost::Object CounterHost::open() const {
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip_.c_str();
  params.pCounterAvailabilityImage = availability_.empty() ? nullptr : availability_.data();
  check_cupti(cupti().host_initialize(&params), "cuptiProfilerHostInitialize for the chip " + chip_);
  return Object(params.pHostObject);
}

// What is added by calls of its own gets passes of its own, so all are added by one.
CUptiResult CounterHost::add(const Object& object, std::span<const std::string> names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics);
  params.pHostObject = object.get();
  params.ppMetricNames = pointers.data();
  params.numMetrics = pointers.size();
  return cupti().add_metrics(&params);
}

// A name that is refused leaves an object behind that refuses others too, so each is tried with an object of its own.
void CounterHost::choose(std::span<const std::string> names) {
  plan_.counted.assign(names.begin(), names.end());
  if (names.empty() || add(object_, names) == CUPTI_SUCCESS) return;
  plan_.counted.clear();
  for (const std::string& name : names) {
    const bool is_known = add(open(), {&name, 1}) == CUPTI_SUCCESS;
    (is_known ? plan_.counted : plan_.unknown).push_back(name);
  }
  object_ = open();
  if (!plan_.counted.empty()) check_cupti(add(object_, plan_.counted), "cuptiProfilerHostConfigAddMetrics");
}

void CounterHost::make_image() {
  auto size = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize);
  size.pHostObject = object_.get();
  check_cupti(cupti().config_image_size(&size), "cuptiProfilerHostGetConfigImageSize");
  plan_.image.resize(size.configImageSize);
  auto image = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage);
  image.pHostObject = object_.get();
  image.configImageSize = plan_.image.size();
  image.pConfigImage = plan_.image.data();
  check_cupti(cupti().config_image(&image), "cuptiProfilerHostGetConfigImage");
  auto passes = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses);
  passes.configImageSize = plan_.image.size();
  passes.pConfigImage = plan_.image.data();
  check_cupti(cupti().number_of_passes(&passes), "cuptiProfilerHostGetNumOfPasses");
  plan_.passes = static_cast<int>(passes.numOfPasses);
}

Counters CounterHost::values(std::span<const std::uint8_t> collected) const {
  std::vector<const char*> names;
  for (const std::string& name : plan_.counted) names.push_back(name.c_str());
  std::vector<double> values(names.size());
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues);
  params.pHostObject = object_.get();
  params.pCounterDataImage = collected.data();
  params.counterDataImageSize = collected.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  check_cupti(cupti().evaluate(&params), "cuptiProfilerHostEvaluateToGpuValues");
  Counters result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::isfinite(values[i])) result.emplace(plan_.counted[i], values[i]);
  }
  return result;
}

std::vector<std::string> known_chips() {
  auto params = TUNER_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips);
  check_cupti(cupti().supported_chips(&params), "cuptiProfilerHostGetSupportedChips");
  return {params.ppChipNames, params.ppChipNames + params.numChips};
}

CounterPlan plan_counters(const std::string& chip, std::span<const std::string> names) {
  return CounterHost(chip, {}, names).plan();
}

}  // namespace tuner::engine
