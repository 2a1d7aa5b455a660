#pragma once

#include <stdexcept>
#include <string>

#include "bench/runtime/bare_driver.hpp"

namespace tuner::test {

/// A driver function that the bare driver's table lacks.
template <class Function>
Function find(const char* name, int version) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  bench::require(bench::bare_driver().find(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status), name);
  if (found == nullptr) throw std::runtime_error(std::string("the driver has no function ") + name);
  return reinterpret_cast<Function>(found);
}

/// What `queue` puts on the stream, as a graph. Throws if the capture was spoilt.
template <class Queue>
CUgraph capture(CUstream stream, Queue queue) {
  static const auto begin = find<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture", 10010);
  static const auto end = find<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture", 10000);
  bench::require(begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
  queue();
  CUgraph graph = nullptr;
  bench::require(end(stream, &graph), "cuStreamEndCapture");
  return graph;
}

/// The same, ready to be launched.
template <class Queue>
CUgraphExec capture_executable(CUstream stream, Queue queue) {
  static const auto instantiate = find<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiateWithFlags", 11040);
  CUgraphExec executable = nullptr;
  bench::require(instantiate(&executable, capture(stream, queue), 0), "cuGraphInstantiateWithFlags");
  return executable;
}

inline void replay(CUgraphExec graph, CUstream stream) {
  static const auto launch = find<PFN_cuGraphLaunch_v10000>("cuGraphLaunch", 10000);
  bench::require(launch(graph, stream), "cuGraphLaunch");
}

}  // namespace tuner::test
