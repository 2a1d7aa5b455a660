// What the fake CUPTI tells a subscriber of calls of the fake driver, as the real one does.
#include <cupti.h>  // brings generated_cuda_meta.h, which must not be read twice

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "tests/capture/adding.hpp"
#include "tests/capture/driver_calls.hpp"
#include "tuner/driver/driver.hpp"

using namespace tuner;
using namespace tuner::test;
using namespace std::chrono_literals;

namespace {

template <typename Function>
Function cupti_call(const char* name) {
  void* const library = dlopen(std::getenv("TUNER_CUPTI"), RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}
#define CUPTI(name) cupti_call<decltype(&::name)>(#name)

/// One callback: what of it is still there afterwards.
struct Told {
  CUpti_CallbackDomain domain{};
  CUpti_CallbackId id = 0;
  std::string name, kernel;
  bool ended = false;
  std::string parameters;
  CUresult result = CUDA_SUCCESS;
  CUcontext context = nullptr;
  std::uint64_t word = 0;
  std::string image;
};

std::size_t size_of_parameters(CUpti_CallbackId id) {
  switch (id) {
#define SIZE_OF(name)                  \
  case CUPTI_DRIVER_TRACE_CBID_##name: \
    return sizeof(name##_params)
    SIZE_OF(cuLaunchKernel);
    SIZE_OF(cuLaunchKernel_ptsz);
    SIZE_OF(cuLaunchKernelEx);
    SIZE_OF(cuLaunchCooperativeKernel);
    SIZE_OF(cuMemAlloc_v2);
    SIZE_OF(cuMemFreeAsync);
    SIZE_OF(cuMemcpyDtoDAsync_v2);
    SIZE_OF(cuMemsetD8Async);
    SIZE_OF(cuStreamBeginCapture_v2);
    SIZE_OF(cuStreamEndCapture);
#undef SIZE_OF
    default:
      return 0;
  }
}

template <typename Parameters>
Parameters parameters_of(const Told& told) {
  Parameters parameters;
  REQUIRE(told.parameters.size() == sizeof parameters);
  std::memcpy(&parameters, told.parameters.data(), sizeof parameters);
  return parameters;
}

class Subscriber {
 public:
  explicit Subscriber(std::vector<CUpti_CallbackId> calls, bool modules = false) {
    use_context();
    REQUIRE(CUPTI(cuptiSubscribe)(&handle_, called, this) == CUPTI_SUCCESS);
    for (const CUpti_CallbackId call : calls)
      REQUIRE(CUPTI(cuptiEnableCallback)(1, handle_, CUPTI_CB_DOMAIN_DRIVER_API, call) == CUPTI_SUCCESS);
    if (modules) REQUIRE(CUPTI(cuptiEnableDomain)(1, handle_, CUPTI_CB_DOMAIN_RESOURCE) == CUPTI_SUCCESS);
  }
  ~Subscriber() { CUPTI(cuptiUnsubscribe)(handle_); }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  /// "cuMemAlloc_v2", and "end of cuMemAlloc_v2".
  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const Told& each : told) words.push_back((each.ended ? "end of " : "") + each.name);
    return words;
  }

  std::vector<Told> told;
  std::function<void(const CUpti_CallbackData&)> at_call;

 private:
  static void called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    static_cast<Subscriber*>(self)->keep(domain, id, data);
  }
  void keep(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    Told& one = told.emplace_back();
    one.domain = domain;
    one.id = id;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
      const auto& module = *static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor);
      one.name = "module";
      one.context = resource.context;
      one.image.assign(module.pCubin, module.cubinSize);
      return;
    }
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    const char* name = nullptr;
    REQUIRE(CUPTI(cuptiGetCallbackName)(domain, id, &name) == CUPTI_SUCCESS);
    REQUIRE(std::string_view(name) == call.functionName);
    one.name = name;
    one.kernel = call.symbolName != nullptr ? call.symbolName : "";
    one.ended = call.callbackSite == CUPTI_API_EXIT;
    one.parameters.assign(static_cast<const char*>(call.functionParams), size_of_parameters(id));
    if (one.ended) one.result = *static_cast<const CUresult*>(call.functionReturnValue);
    one.context = call.context;
    one.word = *call.correlationData;
    if (!one.ended) *call.correlationData = told.size();
    if (at_call) at_call(call);
  }

  CUpti_SubscriberHandle handle_ = nullptr;
};

template <typename Function, typename... Arguments>
CUresult call(const char* name, Arguments... arguments) {
  return driver_call<Function>(name)(arguments...);
}

}  // namespace

TEST_CASE("a subscriber is told of a launch before and after it, with what was launched") {
  use_context();
  Adding adding;
  Subscriber subscriber({CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel});
  std::vector<std::vector<int>> sums;
  std::vector<std::vector<int>> more;
  subscriber.at_call = [&](const CUpti_CallbackData& call) {
    const auto& launch = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
    CHECK(*static_cast<CUdeviceptr*>(launch.kernelParams[0]) == adding.sums());
    sums.push_back(Adding::read(adding.sums()));
    more.push_back(Adding::read(adding.more()));
  };
  CHECK(adding.run());
  REQUIRE(subscriber.told.size() == 6);
  REQUIRE(sums.size() == 6);
  CHECK(sums[0][5] == 0);
  CHECK(sums[1][5] == 1005);
  CHECK(sums[2] == sums[1]);
  CHECK(sums[3][5] == 1005 + 2005);
  CHECK(more[4] == more[5]);
  const Told &before = subscriber.told[0], &after = subscriber.told[1];
  CHECK(before.kernel == Adding::kKernel);
  CHECK(before.context == use_context());
  CHECK(!before.ended);
  CHECK(after.ended);
  CHECK(after.result == CUDA_SUCCESS);
  CHECK(after.word == 1);
  CHECK(subscriber.told[3].word == 3);
  for (const Told* const each : {&before, &after}) {
    const auto launch = parameters_of<cuLaunchKernel_params>(*each);
    CHECK(launch.f == adding.function());
    CHECK(launch.gridDimX == 4);
    CHECK(launch.gridDimY == 2);
    CHECK(launch.blockDimX == 64);
    CHECK(launch.blockDimZ == 1);
    CHECK(launch.sharedMemBytes == 256);
    CHECK(launch.hStream == nullptr);
    CHECK(launch.kernelParams != nullptr);
    CHECK(launch.extra == nullptr);
  }
}

TEST_CASE("every way to launch is told of, and gives the same sums") {
  Subscriber subscriber({CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                         CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                         CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch});
  for (const char* const word : {"extra", "extended", "cooperative", "per_thread", "adds_in_graph"})
    CHECK(run_adding(word));
  CHECK(subscriber.told.size() == 4 * 6 + 4);  // the graph's own launch was told of where it was captured
  CHECK(parameters_of<cuLaunchKernel_params>(subscriber.told[0]).extra != nullptr);
  const Told& extended = subscriber.told[6];
  CHECK(extended.name == "cuLaunchKernelEx");
  CHECK(extended.kernel == Adding::kKernel);
  CHECK(parameters_of<cuLaunchKernelEx_params>(extended).extra == nullptr);
  CHECK(subscriber.told[12].name == "cuLaunchCooperativeKernel");
  CHECK(parameters_of<cuLaunchCooperativeKernel_params>(subscriber.told[12]).gridDimY == 2);
  CHECK(subscriber.told[18].name == "cuLaunchKernel_ptsz");
  CHECK(subscriber.told.back().name == "cuGraphLaunch");
  CHECK(subscriber.told.back().kernel.empty());
}

TEST_CASE("what changes memory is told of as CUPTI lays it out, and only where that was wanted") {
  const cuda::Driver& driver = cuda::driver();
  CUdeviceptr address = 0;
  const auto use_memory = [&] {
    driver.allocate(&address, 64);
    driver.set_bytes(address, 7, 63, nullptr);
    driver.copy_on_device(address + 32, address, 16, nullptr);
    driver.free(address);
    driver.free_in_order(1, nullptr);
  };
  {
    Subscriber subscriber({CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
                           CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync});
    use_memory();
    CHECK(subscriber.words() == std::vector<std::string>{"cuMemAlloc_v2", "end of cuMemAlloc_v2", "cuMemsetD8Async",
                                                         "end of cuMemsetD8Async", "cuMemcpyDtoDAsync_v2",
                                                         "end of cuMemcpyDtoDAsync_v2", "cuMemFreeAsync",
                                                         "end of cuMemFreeAsync"});
    REQUIRE(subscriber.told.size() == 8);
    const auto allocation = parameters_of<cuMemAlloc_v2_params>(subscriber.told[1]);
    CHECK(*allocation.dptr == address);
    CHECK(allocation.bytesize == 64);
    const auto set = parameters_of<cuMemsetD8Async_params>(subscriber.told[2]);
    CHECK(set.dstDevice == address);
    CHECK(set.uc == 7);
    CHECK(set.N == 63);
    const auto copy = parameters_of<cuMemcpyDtoDAsync_v2_params>(subscriber.told[4]);
    CHECK(copy.dstDevice == address + 32);
    CHECK(copy.ByteCount == 16);
    CHECK(parameters_of<cuMemFreeAsync_params>(subscriber.told[6]).dptr == 1);
    CHECK(subscriber.told[7].result == CUDA_ERROR_INVALID_VALUE);
  }
  Subscriber nobody({});
  use_memory();
  CHECK(nobody.told.empty());
}

TEST_CASE("captures of streams are told of") {
  Subscriber subscriber({CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture});
  CHECK(run_adding("adds_beside_capture"));
  REQUIRE(subscriber.told.size() == 4);
  CHECK(parameters_of<cuStreamBeginCapture_v2_params>(subscriber.told[0]).mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(parameters_of<cuStreamEndCapture_params>(subscriber.told[3]).hStream ==
        parameters_of<cuStreamBeginCapture_v2_params>(subscriber.told[0]).hStream);
}

TEST_CASE("the image of a module is handed over where it is loaded, which may be at its first launch") {
  for (const bool from_library : {false, true}) {
    const Ways ways{.has_variable = true, .from_library = from_library};
    const std::vector<std::byte> binary = binary_of_kernel(Adding::kKernel, "adds", {8, 8, 4}, ways);
    Subscriber subscriber({CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel}, true);
    Adding adding(ways);
    adding.launch();
    const std::vector<std::string> at_once{"module", "cuLaunchKernel", "end of cuLaunchKernel"};
    const std::vector<std::string> later{"cuLaunchKernel", "module", "end of cuLaunchKernel"};
    CHECK(subscriber.words() == (from_library ? later : at_once));
    const Told& module = subscriber.told.at(from_library ? 1 : 0);
    CHECK(module.context == use_context());
    CHECK(module.image == std::string(reinterpret_cast<const char*>(binary.data()), binary.size()));
  }
}

TEST_CASE("calls from inside a callback are told of as well") {
  Subscriber subscriber({CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2});
  Adding adding;
  bool within = false;
  subscriber.at_call = [&](const CUpti_CallbackData& call) {
    if (within || call.callbackSite == CUPTI_API_EXIT) return;
    within = true;
    Adding::read(adding.sums());
  };
  adding.launch();
  CHECK(subscriber.words() == std::vector<std::string>{"cuLaunchKernel", "cuMemcpyDtoH_v2", "end of cuMemcpyDtoH_v2",
                                                       "end of cuLaunchKernel"});
}

TEST_CASE("a kernel says of itself what its binary does, as a function and as a kernel of a library") {
  use_context();
  for (const bool from_library : {false, true}) {
    const CUfunction launched = Adding({.has_variable = true, .from_library = from_library}).function();
    CUfunction function = launched;
    std::size_t offset = 0, size = 0;
    if (from_library) {
      CHECK(call<PFN_cuFuncGetParamInfo_v12040>("cuFuncGetParamInfo", launched, 2, &offset, &size) ==
            CUDA_ERROR_INVALID_HANDLE);
      const auto kernel = reinterpret_cast<CUkernel>(launched);
      CHECK(call<PFN_cuKernelGetFunction_v12000>("cuKernelGetFunction", &function, kernel) == CUDA_SUCCESS);
      CHECK(call<PFN_cuKernelGetParamInfo_v12040>("cuKernelGetParamInfo", kernel, 2, &offset, &size) == CUDA_SUCCESS);
      CHECK(offset == 16);
    }
    CHECK(call<PFN_cuFuncGetParamInfo_v12040>("cuFuncGetParamInfo", function, 2, &offset, &size) == CUDA_SUCCESS);
    CHECK(offset == 16);
    CHECK(size == 4);
    CHECK(call<PFN_cuFuncGetParamInfo_v12040>("cuFuncGetParamInfo", function, 3, &offset, &size) ==
          CUDA_ERROR_INVALID_VALUE);
    CUmodule module = nullptr;
    CHECK(call<PFN_cuFuncGetModule_v11000>("cuFuncGetModule", &module, function) == CUDA_SUCCESS);
    CUdeviceptr variable = 0;
    CHECK(cuda::driver().module_global(&variable, &size, module, "step") == CUDA_SUCCESS);
    CHECK(size == 4);
  }
}

TEST_CASE("an address anywhere in an allocation leads to all of it, and to its kind") {
  use_context();
  for (const Memory memory : {Memory::plain, Memory::managed, Memory::pooled}) {
    const Adding adding({.memory = memory, .offset = 512});
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    CHECK(call<PFN_cuMemGetAddressRange_v3020>("cuMemGetAddressRange", &begin, &bytes, adding.sums() + 1) ==
          CUDA_SUCCESS);
    CHECK(begin == adding.sums() - 512);
    CHECK(bytes == 4512);
    unsigned managed = 7, kind = 7;
    void* pool = nullptr;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
    void* answers[] = {&managed, &kind, &pool};
    const auto ask = [&](CUdeviceptr address) {
      return call<PFN_cuPointerGetAttributes_v7000>("cuPointerGetAttributes", 3u, attributes, answers, address);
    };
    CHECK(ask(adding.sums()) == CUDA_SUCCESS);
    CHECK(managed == (memory == Memory::managed ? 1 : 0));
    CHECK(kind == CU_MEMORYTYPE_DEVICE);
    CHECK((pool != nullptr) == (memory == Memory::pooled));
    CHECK(ask(8) == CUDA_SUCCESS);
    CHECK(kind == 0);
    CHECK(call<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", &kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                CUdeviceptr{8}) == CUDA_ERROR_INVALID_VALUE);
  }
}

TEST_CASE("draining waits for a kernel that waits for another, and other threads launch meanwhile") {
  use_context();
  const Adding adding;
  CUdeviceptr word = adding.sums();
  void* arguments[] = {&word};
  const auto launch = [&](const char* does) {
    const CUfunction function = load_kernel(does, does, {8});
    cuda::check(cuda::driver().launch(function, 1, 1, 1, 1, 1, 1, 0, create_stream(), arguments, nullptr), "launch");
  };
  launch("waits");
  const auto drained = std::async(std::launch::async, [] {
    use_context();
    return cuda::driver().wait_for_context();
  });
  CHECK(drained.wait_for(20ms) == std::future_status::timeout);
  launch("sets");
  CHECK(drained.wait_for(60s) == std::future_status::ready);
}

TEST_CASE("a context in which a stream is captured must not be drained, and a relaxed thread copies") {
  use_context();
  const Adding adding;
  for (const bool drains : {true, false}) {
    const CUstream stream = create_stream();
    CUgraph graph = nullptr;
    CHECK(call<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture", stream, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
          CUDA_SUCCESS);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CHECK(cuda::driver().exchange_capture_mode(&mode) == CUDA_SUCCESS);
    if (drains)
      CHECK(cuda::driver().wait_for_context() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    else
      CHECK(Adding::read(adding.sums())[0] == 0);
    CHECK(cuda::driver().exchange_capture_mode(&mode) == CUDA_SUCCESS);
    CHECK(call<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture", stream, &graph) ==
          (drains ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS));
    CHECK((graph == nullptr) == drains);
    if (graph) CHECK(call<PFN_cuGraphDestroy_v10000>("cuGraphDestroy", graph) == CUDA_SUCCESS);
  }
}

TEST_CASE("the words of the program whose kernels change memory compute what they should") {
  for (const char* const word :
       {"adds", "extra", "extended", "cooperative", "per_thread", "managed", "pooled", "middle", "variable", "lazily",
        "adds_in_threads", "adds_beside_capture", "adds_in_graph", "waits"})
    CHECK(run_adding(word));
  CHECK(!run_adding("launch"));
}
