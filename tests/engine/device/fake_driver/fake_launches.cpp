// Launches of a program's own kernels, and what a test sees of them.
#include <algorithm>
#include <utility>

#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {
namespace {

std::atomic<bool> keeping = true;
std::vector<Launch> kept;
std::atomic<std::size_t> launched = 0, loaded = 0, unloaded = 0;
// Never destroyed: what a program leaves behind when it ends is the driver's to keep.
std::vector<Module*>& living = *new std::vector<Module*>;
std::map<std::string, CUresult> load_errors;

KeptLaunch describe(const LaunchCall& call, Context* context) {
  Module* const module = call.function->module;
  KeptLaunch described{module, {}};
  described.launch = {.instructions = module->image.instructions,
                      .kernel = call.function->name,
                      .context = reinterpret_cast<CUcontext>(context),
                      .stream = call.stream,
                      .grid = call.grid,
                      .block = call.block,
                      .shared_bytes = call.shared_bytes};
  for (std::size_t i = 0; i < call.function->parameters.size(); ++i) {
    described.launch.arguments.emplace_back(static_cast<const char*>(call.arguments[i]),
                                            call.function->parameters[i].size);
  }
  return described;
}

class Inspection final : public Inspector {
 public:
  void keep_launches(bool keep) override { keeping = keep; }
  std::vector<Launch> take_launches() override {
    const std::lock_guard lock(one_call);
    return std::exchange(kept, {});
  }
  std::size_t count_launches() const override { return launched; }
  std::size_t modules_loaded() const override { return loaded; }
  std::size_t modules_unloaded() const override { return unloaded; }
  std::size_t primary_holds() const override {
    const std::lock_guard lock(one_call);
    return count_primary_holds();
  }
  CUresult replay(CUgraph graph) override {
    const std::lock_guard lock(one_call);
    return run_graph(*reinterpret_cast<const Graph*>(graph));
  }
  void fail_to_load(const std::string& word, CUresult error) override {
    const std::lock_guard lock(one_call);
    load_errors[word] = error;
  }
  void fail_to_allocate(CUresult error) override { wishes.allocation_error = error; }
  std::size_t allocated_bytes() const override {
    const std::lock_guard lock(one_call);
    return count_allocated_bytes();
  }
  void have_pools(bool have) override { wishes.pools = have; }
  void keep_busy(bool keep) override { wishes.busy = keep; }
  void before_next_launch(std::function<void()> action) override { wishes.before_launch.want(std::move(action)); }
  void before_next_allocation(std::function<void()> action) override {
    wishes.before_allocation.want(std::move(action));
  }
  void observe_calls(CallObserver* wanted) override { observer.store(wanted, std::memory_order_release); }
};

}  // namespace

Wishes wishes;

std::atomic<CallObserver*> observer = nullptr;

ObservedCall begin_observed(const char* name) {
  static std::atomic<std::uint64_t> next = 1;
  ObservedCall call{.name = name, .number = next++};
  if (Context* const context = current_context()) {
    call.context = reinterpret_cast<CUcontext>(context);
    call.context_id = context->id;
  }
  return call;
}

CUresult record_launch(const LaunchCall& call) {
  wishes.before_launch.happen();
  Context* context = current_context();
  const Function& function = *call.function;
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != function.module->context || context != context_of(call.stream)) return CUDA_ERROR_INVALID_HANDLE;
  const auto product = [](const std::array<unsigned, 3>& extents) {
    return std::uint64_t{extents[0]} * extents[1] * extents[2];
  };
  if (product(call.grid) == 0 || product(call.block) == 0 || product(call.block) > 1024)
    return CUDA_ERROR_INVALID_VALUE;
  if (product(call.block) > static_cast<std::uint64_t>(function.max_threads)) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (call.shared_bytes > static_cast<unsigned>(function.max_dynamic_shared)) return CUDA_ERROR_INVALID_VALUE;

  if (is_captured(call.stream)) {
    KeptLaunch captured = describe(call, context);
    captured.launch.captured = true;
    capture(call.stream, std::move(captured));
    return CUDA_SUCCESS;
  }
  launched.fetch_add(1, std::memory_order_relaxed);
  // The driver reads the arguments before it returns, whoever looks at them.
  KeptLaunch described = describe(call, context);
  const CUresult result = behind_fences([&] {
    work(described);
    return CUDA_SUCCESS;
  });
  if (result != CUDA_SUCCESS) return result;
  if (keeping.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(one_call);
    kept.push_back(std::move(described.launch));
  }
  return CUDA_SUCCESS;
}

Module* recording_module_of(CUdeviceptr array) {
  for (Module* module : living) {
    if (!module->records || !module->work.empty()) continue;
    for (const auto& [symbol, elements] : module->arrays) {
      if (reinterpret_cast<CUdeviceptr>(elements.data()) == array) return module;
    }
  }
  return nullptr;
}

void record_copy(Module* module, CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  std::unique_lock lock(one_call);
  KeptLaunch copy{module,
                  {.instructions = module->image.instructions,
                   .context = reinterpret_cast<CUcontext>(module->context),
                   .stream = stream}};
  for (const auto& [symbol, elements] : module->arrays) {
    if (reinterpret_cast<CUdeviceptr>(elements.data()) == to) copy.launch.kernel = "copy to " + symbol;
  }
  copy.launch.arguments = {std::string(reinterpret_cast<const char*>(&from), sizeof from),
                           std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes)};
  if (is_captured(stream)) {
    copy.launch.captured = true;
    lock.unlock();
    return capture(stream, std::move(copy));
  }
  if (keeping.load(std::memory_order_relaxed)) kept.push_back(std::move(copy.launch));
}

void record_memory_call(const char* call, CUdeviceptr address, std::size_t bytes, CUstream stream) {
  if (!keeping.load(std::memory_order_relaxed)) return;
  Launch kept_call{.kernel = call, .context = reinterpret_cast<CUcontext>(context_of(stream)), .stream = stream};
  kept_call.arguments = {std::string(reinterpret_cast<const char*>(&address), sizeof address),
                         std::string(reinterpret_cast<const char*>(&bytes), sizeof bytes)};
  kept.push_back(std::move(kept_call));
}

CUresult run_graph(const Graph& graph) {
  for (const KeptLaunch& each : graph.launches) {
    if (std::find(living.begin(), living.end(), each.module) == living.end()) return CUDA_ERROR_INVALID_HANDLE;
  }
  for (const KeptLaunch& each : graph.launches) {
    work(each);
    kept.push_back(each.launch);
  }
  launched += graph.launches.size();
  return CUDA_SUCCESS;
}

CUresult load_error(const std::string& instructions) {
  for (const auto& [word, error] : load_errors) {
    if (instructions.find(word) != std::string::npos) return error;
  }
  return CUDA_SUCCESS;
}
void count_loaded_module(Module* module) {
  ++loaded;
  living.push_back(module);
}
void count_unloaded_module(const Module* module) {
  ++unloaded;
  std::erase(living, module);
}

}  // namespace fake

extern "C" __attribute__((visibility("default"))) fake::Inspector* fake_driver_inspector() {
  static fake::Inspection inspection;
  return &inspection;
}
