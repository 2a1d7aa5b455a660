#include "tests/runtime/gpu.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace tuner::test {
namespace {

void* library() {
  static void* const opened = [] {
    void* handle = dlopen(std::getenv("TUNER_DRIVER"), RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw std::runtime_error(dlerror());
    return handle;
  }();
  return opened;
}

void require(CUresult result, const char* call) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(std::string(call) + " returned " + std::to_string(result));
}

}  // namespace

fake::Inspector& inspector() {
  static const auto find = reinterpret_cast<fake::Inspector* (*)()>(dlsym(library(), "fake_driver_inspector"));
  return *find();
}

void* find_driver_function(const char* name) {
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library(), "cuGetProcAddress_v2"));
  void* function = nullptr;
  require(find(name, &function, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr), name);
  return function;
}

OwnContext::OwnContext(int device) {
  require(driver_function<PFN_cuCtxCreate_v3020>("cuCtxCreate")(&context_, 0, device), "cuCtxCreate");
}
OwnContext::~OwnContext() {
  driver_function<PFN_cuCtxDestroy_v4000>("cuCtxDestroy")(context_);
}

CUcontext current_context() {
  CUcontext context = nullptr;
  require(driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent")(&context), "cuCtxGetCurrent");
  return context;
}
void make_current(CUcontext context) {
  require(driver_function<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
}

OwnStream::OwnStream(unsigned flags) {
  require(driver_function<PFN_cuStreamCreate_v2000>("cuStreamCreate")(&stream_, flags), "cuStreamCreate");
}
OwnStream::~OwnStream() {
  for (const CUgraph graph : graphs_) driver_function<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph);
  driver_function<PFN_cuStreamDestroy_v4000>("cuStreamDestroy")(stream_);
}
void OwnStream::begin_capture(CUstreamCaptureMode mode) {
  require(driver_function<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture")(stream_, mode),
          "cuStreamBeginCapture");
}
CUgraph OwnStream::end_capture() {
  CUgraph graph = nullptr;
  driver_function<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream_, &graph);
  if (graph) graphs_.push_back(graph);
  return graph;
}

}  // namespace tuner::test
