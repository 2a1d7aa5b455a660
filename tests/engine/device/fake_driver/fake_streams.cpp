// Streams and events. Everything is done in order at once, so an event is the time at which it was recorded.
#include "tests/engine/device/fake_driver/fake_driver.hpp"

namespace fake {
namespace {

struct EventRecord {
  std::uint64_t time_ns = 0;
  bool after_hang = false;
};

CUresult create_stream(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(&device);
  return device.dead;
}
CUresult destroy_stream(CUstream) {
  wait_for_device();
  return CUDA_SUCCESS;
}
CUresult create_event(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new EventRecord);
  return device.dead;
}
CUresult destroy_event(CUevent event) {
  delete reinterpret_cast<EventRecord*>(event);
  return CUDA_SUCCESS;
}
CUresult record_event(CUevent event, CUstream) {
  *reinterpret_cast<EventRecord*>(event) = {device.now_ns, device.hung};
  return device.dead;
}
CUresult query_event(CUevent event) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  return reinterpret_cast<EventRecord*>(event)->after_hang ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
CUresult elapsed_time(float* milliseconds, CUevent start, CUevent stop) {
  const auto time = [](CUevent event) { return reinterpret_cast<EventRecord*>(event)->time_ns; };
  *milliseconds = static_cast<float>(time(stop) - time(start)) * 1e-6f;
  return device.dead;
}

}  // namespace

Functions stream_functions() {
  return {
      {"cuStreamCreate", entry(create_stream)},    {"cuStreamDestroy", entry(destroy_stream)},
      {"cuEventCreate", entry(create_event)},      {"cuEventDestroy", entry(destroy_event)},
      {"cuEventRecord", entry(record_event)},      {"cuEventQuery", entry(query_event)},
      {"cuEventElapsedTime", entry(elapsed_time)},
  };
}

}  // namespace fake
