// Capturing a stream into a graph: what is launched on it is kept and not run, and what could disturb the capture is
// forbidden to those threads for which it is with the real driver.
#include <algorithm>
#include <thread>

#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {

struct StreamRecord {
  std::atomic<unsigned long long> id = 0;  ///< never used twice, though the address may be
  Context* context = nullptr;
  bool blocking = false;  ///< waits for the legacy stream, and it for this one
  std::atomic<bool> capturing = false;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread{};
  bool spoilt = false;
  std::vector<KeptLaunch> captured{};
};

namespace {

// Never destroyed: what a program leaves behind when it ends is the driver's to keep.
std::vector<StreamRecord*>& streams = *new std::vector<StreamRecord*>;
std::vector<StreamRecord*>& free_again = *new std::vector<StreamRecord*>;
unsigned long long next_id = 16;  // behind those of default streams
thread_local CUstreamCaptureMode mode_of_thread = CU_STREAM_CAPTURE_MODE_GLOBAL;

StreamRecord& record(CUstream stream) {
  return *reinterpret_cast<StreamRecord*>(stream);
}

bool captures(const StreamRecord* each) {
  return each->capturing && each->context == current_context();
}
bool captures_blocking(const StreamRecord* each) {
  return captures(each) && each->blocking;
}

CUresult create_stream(CUstream* stream, unsigned flags) {
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  // A new stream likes to be where an old one was, as with the real driver.
  if (free_again.empty()) free_again.push_back(new StreamRecord);
  StreamRecord* const created = free_again.back();
  free_again.pop_back();
  created->id = next_id++;
  created->context = current_context();
  created->blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
  created->capturing = false;
  streams.push_back(created);
  *stream = reinterpret_cast<CUstream>(streams.back());
  return device.dead;
}
void destroy_stream(CUstream stream) {
  wait_for_device();
  std::erase(streams, &record(stream));
  free_again.push_back(&record(stream));
}

// The default streams of all contexts have the same numbers, but for those of threads.
CUresult get_id(CUstream stream, unsigned long long* id) {
  static std::atomic<unsigned long long> next_thread = 1ull << 32;
  thread_local const unsigned long long of_thread = next_thread++;
  if (!is_default_stream(stream)) {
    *id = record(stream).id;
    return CUDA_SUCCESS;
  }
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *id = stream == CU_STREAM_PER_THREAD ? of_thread : 7;
  return CUDA_SUCCESS;
}
CUresult synchronize(CUstream stream) {
  wait_for_kernels_on(stream);
  const std::lock_guard lock(one_call);
  wait_for_device();
  return is_captured(stream) ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : device.dead;
}

CUresult begin(CUstream stream, CUstreamCaptureMode mode) {
  if (is_default_stream(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  StreamRecord& begun = record(stream);
  if (begun.capturing) return CUDA_ERROR_ILLEGAL_STATE;
  begun.mode = mode;
  begun.thread = std::this_thread::get_id();
  begun.spoilt = false;
  begun.captured.clear();
  begun.capturing = true;
  return CUDA_SUCCESS;
}
CUresult end(CUstream stream, CUgraph* graph) {
  StreamRecord& ended = record(stream);
  if (!ended.capturing) return CUDA_ERROR_ILLEGAL_STATE;
  ended.capturing = false;
  *graph = nullptr;
  if (ended.spoilt) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = reinterpret_cast<CUgraph>(new Graph{std::move(ended.captured)});
  return CUDA_SUCCESS;
}
CUresult is_capturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!is_default_stream(stream)) {
    const StreamRecord& asked = record(stream);
    if (asked.capturing)
      *status = asked.spoilt ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
  }
  if (!current_context()) return CUDA_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(one_call);
  return std::any_of(streams.begin(), streams.end(), captures_blocking) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                                                        : CUDA_SUCCESS;
}
void exchange_mode(CUstreamCaptureMode* mode) {
  std::swap(*mode, mode_of_thread);
}
void destroy_graph(CUgraph graph) {
  delete reinterpret_cast<Graph*>(graph);
}
void instantiate(CUgraphExec* instance, CUgraph graph, unsigned long long) {
  *instance = reinterpret_cast<CUgraphExec>(new Graph(*reinterpret_cast<Graph*>(graph)));
}
CUresult launch_graph(CUgraphExec instance, CUstream) {
  return run_graph(*reinterpret_cast<Graph*>(instance));
}
void destroy_instance(CUgraphExec instance) {
  delete reinterpret_cast<Graph*>(instance);
}

}  // namespace

bool is_default_stream(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD;
}
Context* context_of(CUstream stream) {
  return is_default_stream(stream) ? current_context() : record(stream).context;
}
bool is_captured(CUstream stream) {
  return !is_default_stream(stream) && record(stream).capturing.load(std::memory_order_relaxed);
}

void capture(CUstream stream, KeptLaunch launch) {
  const std::lock_guard lock(one_call);
  record(stream).captured.push_back(std::move(launch));
}

CUresult capture_forbids() {
  if (mode_of_thread == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  CUresult result = CUDA_SUCCESS;
  for (StreamRecord* each : streams) {
    if (!each->capturing) continue;
    const bool own = each->thread == std::this_thread::get_id();
    const bool disturbs =
        own ? each->mode != CU_STREAM_CAPTURE_MODE_RELAXED
            : each->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && mode_of_thread == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!disturbs) continue;
    each->spoilt = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

CUresult capture_forbids_draining() {
  CUresult result = CUDA_SUCCESS;
  for (StreamRecord* each : streams) {
    if (!captures(each)) continue;
    each->spoilt = true;
    result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return result;
}

CUresult capture_forbids_legacy_stream() {
  CUresult result = capture_forbids();
  for (StreamRecord* each : streams) {
    if (!captures_blocking(each)) continue;
    each->spoilt = true;
    result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return result;
}

Functions capture_functions() {
  return {
      {"cuStreamCreate", entry<create_stream>()},
      {"cuStreamDestroy", entry<destroy_stream>()},
      {"cuStreamBeginCapture", entry<begin>("cuStreamBeginCapture_v2")},
      {"cuStreamEndCapture", entry<end>("cuStreamEndCapture")},
      {"cuStreamIsCapturing", unlocked_entry<is_capturing>()},
      {"cuStreamGetId", unlocked_entry<get_id>()},
      {"cuStreamSynchronize", unlocked_entry<synchronize>()},
      {"cuThreadExchangeStreamCaptureMode", unlocked_entry<exchange_mode>()},
      {"cuGraphDestroy", entry<destroy_graph>()},
      {"cuGraphInstantiate", entry<instantiate>()},
      {"cuGraphLaunch", entry<launch_graph>("cuGraphLaunch")},
      {"cuGraphExecDestroy", entry<destroy_instance>()},
  };
}

}  // namespace fake
