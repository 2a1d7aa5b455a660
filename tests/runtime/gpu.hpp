#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <string>
#include <vector>

#include "tests/engine/device/fake_driver/inspector.hpp"

namespace tuner::test {

/// The fake driver of this process, as a test looks at it.
fake::Inspector& inspector();

/// A driver function by its exported name, as a program asks for it:
/// driver_function<PFN_cuCtxCreate_v3020>("cuCtxCreate").
void* find_driver_function(const char* name);
template <class Function>
Function driver_function(const char* name) {
  return reinterpret_cast<Function>(find_driver_function(name));
}

/// A context that a program makes, current from now on until it is destroyed.
class OwnContext {
 public:
  explicit OwnContext(int device = 0);
  ~OwnContext();
  OwnContext(const OwnContext&) = delete;
  OwnContext& operator=(const OwnContext&) = delete;
  CUcontext get() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

CUcontext current_context();
void make_current(CUcontext context);

inline constexpr CUstreamCaptureMode kCaptureModes[] = {
    CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED};

/// A stream in the current context.
class OwnStream {
 public:
  explicit OwnStream(unsigned flags = CU_STREAM_NON_BLOCKING);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  CUstream get() const { return stream_; }
  void begin_capture(CUstreamCaptureMode mode);
  /// Null if the capture was spoilt. Lives as long as this stream.
  CUgraph end_capture();

 private:
  CUstream stream_ = nullptr;
  std::vector<CUgraph> graphs_;
};

/// An argument of a recorded launch.
template <class T>
T argument(const fake::Launch& launch, std::size_t position) {
  T value{};
  const std::string& bytes = launch.arguments.at(position);
  if (bytes.size() == sizeof value) bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

}  // namespace tuner::test
