// A CUPTI without a GPU. What the fake driver launched is what it tells of: how long a kernel took, its name and what
// it needs are words of its module, "called=_Z5scalePf time=5000 registers=40 shared=1024". TUNER_FAKE_CUPTI=slow makes
// a flush take longer than a program can wait. Callbacks are for calls of the driver that are in the list below, and
// for modules that are loaded.
#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/engine/device/fake_driver/inspector.hpp"

#define FAKE_CUPTI extern "C" __attribute__((visibility("default"))) CUptiResult

namespace {

using Record = CUpti_ActivityKernel9;

std::mutex one_flush;
std::atomic<int> flushes = 0;
bool subscribed = false, enabled = false;
CUpti_CallbackFunc callback = nullptr;
void* data_of_callback = nullptr;
CUpti_BuffersCallbackRequestFunc request_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc complete_buffer = nullptr;

fake::Inspector* inspector() {
  const char* const file = std::getenv("TUNER_DRIVER");
  void* const driver = file != nullptr ? dlopen(file, RTLD_NOW | RTLD_NOLOAD) : nullptr;
  void* const function = driver != nullptr ? dlsym(driver, "fake_driver_inspector") : nullptr;
  return function != nullptr ? reinterpret_cast<fake::Inspector* (*)()>(function)() : nullptr;
}

std::string word(const std::string& instructions, std::string_view name, const std::string& otherwise) {
  std::istringstream words(instructions);
  for (std::string each; words >> each;) {
    if (each.starts_with(std::string(name) + "=")) return each.substr(name.size() + 1);
  }
  return otherwise;
}

/// Names live as long as the process, as CUPTI's do.
const char* kept(const std::string& name) {
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
}

std::uint64_t now() {
  timespec clock{};
  clock_gettime(CLOCK_REALTIME, &clock);
  return static_cast<std::uint64_t>(clock.tv_sec) * 1000000000 + static_cast<std::uint64_t>(clock.tv_nsec);
}

Record record_of(const fake::Launch& launch) {
  Record record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = kept(word(launch.instructions, "called", launch.kernel));
  record.start = now();
  record.end = record.start + std::stoull(word(launch.instructions, "time", "1000"));
  record.registersPerThread = static_cast<std::uint16_t>(std::stoi(word(launch.instructions, "registers", "16")));
  record.staticSharedMemory = std::stoi(word(launch.instructions, "shared", "0"));
  record.dynamicSharedMemory = static_cast<std::int32_t>(launch.shared_bytes);
  // Member by member: the record is packed, so none of them can be bound to a reference.
  const auto number = [](unsigned value) { return static_cast<std::int32_t>(value); };
  record.gridX = number(launch.grid[0]);
  record.gridY = number(launch.grid[1]);
  record.gridZ = number(launch.grid[2]);
  record.blockX = number(launch.block[0]);
  record.blockY = number(launch.block[1]);
  record.blockZ = number(launch.block[2]);
  record.graphId = launch.captured ? 7 : 0;
  return record;
}

void deliver(const std::vector<Record>& records) {
  for (std::size_t next = 0; next < records.size();) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    request_buffer(&buffer, &size, &most);
    const std::size_t count = std::min(size / sizeof(Record), records.size() - next);
    if (count == 0) return;
    std::memcpy(buffer, &records[next], count * sizeof(Record));
    complete_buffer(nullptr, 0, buffer, size, count * sizeof(Record));
    next += count;
  }
}

#define OBSERVED_CALLS(X)      \
  X(cuLaunchKernel)            \
  X(cuLaunchKernel_ptsz)       \
  X(cuLaunchKernelEx)          \
  X(cuLaunchCooperativeKernel) \
  X(cuGraphLaunch)             \
  X(cuMemAlloc_v2)             \
  X(cuMemAllocManaged)         \
  X(cuMemAllocAsync)           \
  X(cuMemFree_v2)              \
  X(cuMemFreeAsync)            \
  X(cuMemcpyDtoH_v2)           \
  X(cuMemcpyHtoD_v2)           \
  X(cuMemcpyDtoHAsync_v2)      \
  X(cuMemcpyHtoDAsync_v2)      \
  X(cuMemcpyDtoDAsync_v2)      \
  X(cuMemsetD8Async)           \
  X(cuStreamBeginCapture_v2)   \
  X(cuStreamEndCapture)

struct NamedCall {
  std::string_view name;
  CUpti_CallbackId id;
};
constexpr NamedCall kCalls[] = {
#define NAMED_CALL(name) {#name, CUPTI_DRIVER_TRACE_CBID_##name},
    OBSERVED_CALLS(NAMED_CALL)
#undef NAMED_CALL
};

/// By domain and callback.
std::atomic<bool> wanted[CUPTI_CB_DOMAIN_SIZE][CUPTI_DRIVER_TRACE_CBID_SIZE];

/// What the driver does, as CUPTI's structures, to whoever has subscribed.
class Forwarder final : public fake::CallObserver {
 public:
  void call(const fake::ObservedCall& call) override {
    const auto* const known = std::find_if(std::begin(kCalls), std::end(kCalls),
                                           [&](const NamedCall& each) { return each.name == call.name; });
    if (known == std::end(kCalls)) std::abort();
    CUpti_CallbackData told{};
    told.callbackSite = call.ended ? CUPTI_API_EXIT : CUPTI_API_ENTER;
    told.functionName = call.name;
    told.functionParams = call.parameters;
    told.functionReturnValue = const_cast<CUresult*>(call.result);
    told.symbolName = call.kernel;
    told.context = call.context;
    told.contextUid = static_cast<std::uint32_t>(call.context_id);
    told.correlationData = call.word;
    told.correlationId = static_cast<std::uint32_t>(call.number);
    tell(CUPTI_CB_DOMAIN_DRIVER_API, known->id, &told);
  }
  void module_loaded(const fake::LoadedImage& image) override {
    CUpti_ModuleResourceData module{};
    module.moduleId = image.module_id;
    module.cubinSize = image.size;
    module.pCubin = image.bytes;
    CUpti_ResourceData told{};
    told.context = image.context;
    told.resourceDescriptor = &module;
    tell(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &told);
  }

 private:
  static void tell(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* told) {
    if (wanted[domain][id] && callback != nullptr) callback(data_of_callback, domain, id, told);
  }
};

CUptiResult want(bool enable, CUpti_CallbackDomain domain, CUpti_CallbackId first, CUpti_CallbackId end) {
  static Forwarder forwarder;
  if (!subscribed || domain >= CUPTI_CB_DOMAIN_SIZE || end > CUPTI_DRIVER_TRACE_CBID_SIZE)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (inspector() == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  for (CUpti_CallbackId id = first; id < end; ++id) wanted[domain][id] = enable;
  inspector()->observe_calls(&forwarder);
  return CUPTI_SUCCESS;
}

}  // namespace

FAKE_CUPTI cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void* data) {
  if (std::exchange(subscribed, true)) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  callback = function;
  data_of_callback = data;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&subscribed);
  return CUPTI_SUCCESS;
}
/// As with the real one, no callback comes any more, and somebody else can subscribe.
FAKE_CUPTI cuptiUnsubscribe(CUpti_SubscriberHandle) {
  if (inspector() != nullptr) inspector()->observe_calls(nullptr);
  for (auto& domain : wanted) std::fill(std::begin(domain), std::end(domain), false);
  subscribed = false;
  return CUPTI_SUCCESS;
}
FAKE_CUPTI cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                               CUpti_CallbackId id) {
  return want(enable != 0, domain, id, id + 1);
}
FAKE_CUPTI cuptiEnableDomain(std::uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain) {
  return want(enable != 0, domain, 0, CUPTI_DRIVER_TRACE_CBID_SIZE);
}
FAKE_CUPTI cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  for (const NamedCall& each : kCalls) {
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || each.id != id) continue;
    *name = each.name.data();
    return CUPTI_SUCCESS;
  }
  return CUPTI_ERROR_INVALID_PARAMETER;
}
FAKE_CUPTI cuptiGetTimestamp(std::uint64_t* time) {
  *time = now();
  return CUPTI_SUCCESS;
}
FAKE_CUPTI cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_OF_FAKE";
  return CUPTI_SUCCESS;
}
FAKE_CUPTI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                          CUpti_BuffersCallbackCompleteFunc complete) {
  request_buffer = request;
  complete_buffer = complete;
  return CUPTI_SUCCESS;
}
FAKE_CUPTI cuptiActivityEnable(CUpti_ActivityKind) {
  enabled = true;
  return CUPTI_SUCCESS;
}
/// How many have begun: what was launched before the last but one has been sent.
extern "C" __attribute__((visibility("default"))) int fake_cupti_flushes() {
  return flushes;
}
FAKE_CUPTI cuptiActivityFlushAll(std::uint32_t) {
  ++flushes;
  if (const char* const told = std::getenv("TUNER_FAKE_CUPTI"); told != nullptr && std::string_view(told) == "slow")
    sleep(1000);
  const std::lock_guard lock(one_flush);
  std::vector<Record> records;
  if (enabled && inspector() != nullptr) {
    for (const fake::Launch& launch : inspector()->take_launches()) {
      const bool is_kernel = launch.grid[0] > 0;  // and neither a copy nor memory that was allocated
      if (is_kernel) records.push_back(record_of(launch));
    }
  }
  deliver(records);
  return CUPTI_SUCCESS;
}
FAKE_CUPTI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes, CUpti_Activity** record) {
  std::uint8_t* const next = *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + sizeof(Record);
  if (next + sizeof(Record) > buffer + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
FAKE_CUPTI cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  *dropped = 0;
  return CUPTI_SUCCESS;
}
