#include "tests/capture/adding.hpp"

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

#include "tests/capture/driver_calls.hpp"
#include "tests/runtime/cubin_builder.hpp"
#include "tuner/driver/driver.hpp"

namespace tuner::test {
namespace {

constexpr std::size_t kBytes = Adding::kCount * sizeof(int);

void demand(bool is_right) {
  if (is_right) return;
  std::fputs("a kernel computed something else\n", stderr);
  _exit(9);
}

CUdeviceptr allocate(Memory memory, std::size_t bytes) {
  CUdeviceptr address = 0;
  switch (memory) {
    case Memory::plain:
      cuda::check(cuda::driver().allocate(&address, bytes), "cuMemAlloc");
      break;
    case Memory::managed:
      cuda::check(driver_call<PFN_cuMemAllocManaged_v6000>("cuMemAllocManaged")(&address, bytes, CU_MEM_ATTACH_GLOBAL),
                  "cuMemAllocManaged");
      break;
    case Memory::pooled:
      cuda::check(cuda::driver().allocate_in_order(&address, bytes, nullptr), "cuMemAllocAsync");
      break;
  }
  return address;
}

void release(Memory memory, CUdeviceptr address) {
  if (memory == Memory::pooled)
    cuda::driver().free_in_order(address, nullptr);
  else
    cuda::driver().free(address);
}

void copy_to_device(CUdeviceptr to, const std::vector<int>& from) {
  cuda::check(driver_call<PFN_cuMemcpyHtoD_v3020>("cuMemcpyHtoD")(to, from.data(), from.size() * sizeof(int)),
              "cuMemcpyHtoD");
}

void add_in_threads() {
  const auto add = [] {
    use_context();
    demand(Adding().run());
  };
  std::thread other(add);
  add();
  other.join();
}

CUgraph captured_while(CUstream stream, const std::function<void()>& action) {
  CUgraph graph = nullptr;
  cuda::check(
      driver_call<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture")(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
      "cuStreamBeginCapture");
  action();
  cuda::check(driver_call<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream, &graph), "cuStreamEndCapture");
  return graph;
}

void destroy(CUgraph graph) {
  cuda::check(driver_call<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph), "cuGraphDestroy");
}

/// One thread captures, and would be disturbed by copies; the other launches.
void add_beside_capture() {
  Adding captured, adding;
  adding.fill(1);
  const CUstream stream = create_stream();
  const CUgraph graph = captured_while(stream, [&] {
    captured.launch(stream);
    std::thread([&] {
      use_context();
      adding.launch();
    }).join();
  });
  destroy(graph);
  demand(adding.is_right());
}

void add_in_graph() {
  Adding adding;
  adding.fill(1);
  const CUstream stream = create_stream();
  const CUgraph graph = captured_while(stream, [&] { adding.launch(stream); });
  CUgraphExec instance = nullptr;
  cuda::check(driver_call<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiate")(&instance, graph, 0),
              "cuGraphInstantiate");
  cuda::check(driver_call<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")(instance, stream), "cuGraphLaunch");
  cuda::check(driver_call<PFN_cuGraphExecDestroy_v10000>("cuGraphExecDestroy")(instance), "cuGraphExecDestroy");
  destroy(graph);
  demand(adding.is_right());
}

/// Beside memory that no kernel can reach.
void add_beside_others() {
  const CUdeviceptr others = allocate(Memory::plain, 1 << 20);
  demand(Adding().run());
  cuda::check(cuda::driver().free(others), "cuMemFree");
}

/// Two modules have a kernel of this name, and only the second a variable. `in_turn`: each is loaded when its kernel is
/// launched.
void add_with_twin(bool in_turn) {
  Adding first({.from_library = in_turn}), second({.has_variable = true, .from_library = in_turn});
  for (int round = 1; round <= 3; ++round) {
    for (Adding* const adding : {&first, &second}) {
      adding->fill(round);
      adding->launch();
    }
  }
  demand(first.is_right() && second.is_right());
}

CUdeviceptr variable_of(const Adding& adding, const char* name) {
  CUmodule module = nullptr;
  CUdeviceptr address = 0;
  std::size_t size = 0;
  cuda::check(driver_call<PFN_cuFuncGetModule_v11000>("cuFuncGetModule")(&module, adding.function()),
              "cuFuncGetModule");
  cuda::check(cuda::driver().module_global(&address, &size, module, name), "cuModuleGetGlobal");
  return address;
}

void add_with_pointer_to(Memory memory, bool in_variable) {
  constexpr unsigned kFree = 512;
  const CUdeviceptr other = allocate(memory, 1 << 16);
  Adding adding({.offset = kFree, .has_pointer = in_variable});
  const CUdeviceptr middle = other + (1 << 15);
  std::vector<int> pointer(sizeof middle / sizeof(int));
  std::memcpy(pointer.data(), &middle, sizeof middle);
  copy_to_device(in_variable ? variable_of(adding, "pointer") : adding.more() - kFree, pointer);
  // Beside memory that no kernel can reach.
  const CUdeviceptr others = allocate(Memory::plain, 1 << 20);
  demand(adding.run());
  cuda::check(cuda::driver().free(others), "cuMemFree");
  release(memory, other);
}

/// The first kernel ends once the second has run, which is launched after it.
void wait_for_later_launch() {
  CUdeviceptr word = allocate(Memory::plain, sizeof(int));
  copy_to_device(word, {0});
  const auto launch = [&](CUfunction function) {
    void* arguments[] = {&word};
    cuda::check(cuda::driver().launch(function, 1, 1, 1, 1, 1, 1, 0, create_stream(), arguments, nullptr),
                "cuLaunchKernel");
  };
  const CUfunction waits = load_kernel("_Z5waitsPi", "waits", {8}), sets = load_kernel("_Z4setsPi", "sets", {8});
  launch(waits);
  launch(sets);
  cuda::check(cuda::driver().wait_for_context(), "cuCtxSynchronize");
  cuda::check(cuda::driver().free(word), "cuMemFree");
}

}  // namespace

CUcontext use_context() {
  static CUcontext made = [] {
    CUcontext context = nullptr;
    cuda::check(cuda::driver().retain_context(&context, 0), "cuDevicePrimaryCtxRetain");
    return context;
  }();
  cuda::check(cuda::driver().set_context(made), "cuCtxSetCurrent");
  return made;
}

CUstream create_stream() {
  CUstream stream = nullptr;
  cuda::check(cuda::driver().create_stream(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

std::vector<std::byte> binary_of_kernel(const std::string& name, const std::string& does,
                                        std::vector<unsigned> parameter_sizes, const Ways& ways) {
  CubinText text{.kernel = name,
                 .parameter_sizes = std::move(parameter_sizes),
                 .instructions = "records does=" + does + " time=4000",
                 .arrays = {}};
  if (ways.has_variable) text.globals.emplace_back("step", sizeof(int));
  if (ways.has_pointer) text.globals.emplace_back("pointer", sizeof(CUdeviceptr));
  return make_cubin(text);
}

CUfunction load_kernel(const std::string& name, const std::string& does, std::vector<unsigned> parameter_sizes,
                       const Ways& ways) {
  const std::vector<std::byte> binary = binary_of_kernel(name, does, std::move(parameter_sizes), ways);
  if (ways.from_library) {
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    cuda::check(driver_call<PFN_cuLibraryLoadData_v12000>("cuLibraryLoadData")(&library, binary.data(), nullptr,
                                                                               nullptr, 0, nullptr, nullptr, 0),
                "cuLibraryLoadData");
    cuda::check(driver_call<PFN_cuLibraryGetKernel_v12000>("cuLibraryGetKernel")(&kernel, library, name.c_str()),
                "cuLibraryGetKernel");
    return reinterpret_cast<CUfunction>(kernel);
  }
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  cuda::check(cuda::driver().load_module(&module, binary.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
  cuda::check(cuda::driver().module_function(&function, module, name.c_str()), "cuModuleGetFunction");
  return function;
}

Adding::Adding(const Ways& ways) : ways_(ways), function_(load_kernel(kKernel, "adds", {8, 8, 4}, ways)) {
  arguments_.sums = allocate(ways.memory, kBytes + ways.offset) + ways.offset;
  arguments_.more = allocate(ways.memory, kBytes + ways.offset) + ways.offset;
  copy_to_device(arguments_.sums, expected_);
  fill(0);
}

Adding::~Adding() {
  for (const CUdeviceptr address : {arguments_.sums, arguments_.more}) release(ways_.memory, address - ways_.offset);
}

void Adding::fill(int round) {
  more_.clear();
  for (int i = 0; i < kCount; ++i) more_.push_back(i + 1000 * round);
  copy_to_device(arguments_.more, more_);
}

void Adding::launch(CUstream stream) {
  const cuda::Driver& driver = cuda::driver();
  void* pointers[] = {&arguments_.sums, &arguments_.more, &arguments_.count};
  std::size_t size = sizeof arguments_;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments_, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CUlaunchConfig config{};
  config.gridDimX = 4, config.gridDimY = 2, config.gridDimZ = 1;
  config.blockDimX = 64, config.blockDimY = 2, config.blockDimZ = 1;
  config.sharedMemBytes = 256;
  config.hStream = stream;
  switch (ways_.launching) {
    case Launching::plain:
      cuda::check(driver.launch(function_, 4, 2, 1, 64, 2, 1, 256, stream, pointers, nullptr), "cuLaunchKernel");
      break;
    case Launching::per_thread:
      cuda::check(
          driver_call<PFN_cuLaunchKernel_v7000_ptsz>("cuLaunchKernel", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)(
              function_, 4, 2, 1, 64, 2, 1, 256, stream, pointers, nullptr),
          "cuLaunchKernel");
      break;
    case Launching::extra:
      cuda::check(driver.launch(function_, 4, 2, 1, 64, 2, 1, 256, stream, nullptr, extra), "cuLaunchKernel");
      break;
    case Launching::extended:
      cuda::check(driver_call<PFN_cuLaunchKernelEx_v11060>("cuLaunchKernelEx")(&config, function_, pointers, nullptr),
                  "cuLaunchKernelEx");
      break;
    case Launching::cooperative:
      cuda::check(driver_call<PFN_cuLaunchCooperativeKernel_v9000>("cuLaunchCooperativeKernel")(
                      function_, 4, 2, 1, 64, 2, 1, 256, stream, pointers),
                  "cuLaunchCooperativeKernel");
      break;
  }
  for (std::size_t i = 0; i < expected_.size(); ++i) expected_[i] += more_[i] + step_;
  if (ways_.has_variable) ++step_;
}

bool Adding::is_right() {
  return read(arguments_.sums) == expected_;
}

bool Adding::run() {
  for (int round = 1; round <= 3; ++round) {
    fill(round);
    launch();
  }
  return is_right();
}

std::vector<int> Adding::read(CUdeviceptr numbers) {
  std::vector<int> all(kCount);
  cuda::check(driver_call<PFN_cuMemcpyDtoH_v3020>("cuMemcpyDtoH")(all.data(), numbers, kBytes), "cuMemcpyDtoH");
  return all;
}

bool run_adding(const std::string& word) {
  static const std::map<std::string, Ways> ways = {{"adds", {}},
                                                   {"extra", {.launching = Launching::extra}},
                                                   {"extended", {.launching = Launching::extended}},
                                                   {"cooperative", {.launching = Launching::cooperative}},
                                                   {"per_thread", {.launching = Launching::per_thread}},
                                                   {"managed", {.memory = Memory::managed}},
                                                   {"pooled", {.memory = Memory::pooled}},
                                                   {"middle", {.offset = 512}},
                                                   {"variable", {.has_variable = true}},
                                                   {"lazily", {.has_variable = true, .from_library = true}}};
  static const std::map<std::string, void (*)()> others = {
      {"adds_in_threads", add_in_threads},
      {"adds_beside_capture", add_beside_capture},
      {"adds_in_graph", add_in_graph},
      {"adds_beside_others", add_beside_others},
      {"twins", [] { add_with_twin(true); }},
      {"twins_together", [] { add_with_twin(false); }},
      {"pointer_to_managed", [] { add_with_pointer_to(Memory::managed, false); }},
      {"pointer_to_pooled", [] { add_with_pointer_to(Memory::pooled, false); }},
      {"variable_to_managed", [] { add_with_pointer_to(Memory::managed, true); }},
      {"waits", wait_for_later_launch}};
  const auto way = ways.find(word);
  const auto other = others.find(word);
  if (way == ways.end() && other == others.end()) return false;
  use_context();
  if (way != ways.end())
    demand(Adding(way->second).run());
  else
    other->second();
  return true;
}

}  // namespace tuner::test
