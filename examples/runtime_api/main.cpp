// A program written against the CUDA runtime: the tuner accepts its streams, events and graphs. A hundred steps of
// heat.cu become a graph, which is launched repeatedly. A tuned kernel is captured like any other; the request comes
// before the capture, because nothing is compiled during a capture.
#include <cmath>
#include <exception>
#include <numeric>
#include <tuner/tuner.hpp>

#include "common/gpu.hpp"

namespace {

constexpr int kWidth = 1920, kHeight = 1080, kStepsInGraph = 100;
constexpr float kRate = 0.2f;

void launch_step(const tuner::Instance& heat, cudaStream_t stream, const float* now, float* next) {
  const tuner::LaunchStatus status = heat.launch(stream, now, next, kWidth, kHeight, kRate);
  if (!status) throw std::runtime_error(std::string(status.message));
}

// An even number of steps ends where it began: in `first`.
cudaGraphExec_t capture_steps(const tuner::Instance& heat, cudaStream_t stream, float* first, float* second) {
  cudaGraph_t graph = nullptr;
  gpu::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int step = 0; step < kStepsInGraph; step += 2) {
    launch_step(heat, stream, first, second);
    launch_step(heat, stream, second, first);
  }
  gpu::check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  gpu::check(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  gpu::check(cudaGraphDestroy(graph));
  return executable;
}

}  // namespace

int main(int argc, char** argv) try {
  const int graphs = argc > 1 ? std::atoi(argv[1]) : 20;

  if (const cudaError_t code = cudaSetDevice(0); code != cudaSuccess) return gpu::skip(cudaGetErrorString(code));
  gpu::check(cudaFree(nullptr));  // creates the context, which is then the current one: that of every request below

  tuner::Runtime runtime;
  const tuner::Kernel kernel = runtime.kernel(tuner::Description::from_file(HEAT_CU));
  const gpu::Stream stream;
  const tuner::Instance& heat = kernel.request({kWidth, kHeight}, {.stream = stream});
  if (!heat.runnable()) return gpu::skip(heat.provenance().why);

  std::vector<float> start(std::size_t{kWidth} * kHeight, 1.0f);
  for (std::size_t i = 0; i < start.size(); i += 97) start[i] = 3.0f;

  // The same steps one by one, to compare with.
  const gpu::Array<float> first(start), second(start.size()), spare(start.size()), plain(start);
  for (int step = 0; step < graphs * kStepsInGraph; step += 2) {
    launch_step(heat, stream, plain.data(), spare.data());
    launch_step(heat, stream, spare.data(), plain.data());
  }

  cudaEvent_t begin = nullptr, end = nullptr;
  gpu::check(cudaEventCreate(&begin));
  gpu::check(cudaEventCreate(&end));
  const cudaGraphExec_t steps = capture_steps(heat, stream, first.data(), second.data());
  gpu::check(cudaEventRecord(begin, stream));
  for (int graph = 0; graph < graphs; ++graph) gpu::check(cudaGraphLaunch(steps, stream));
  gpu::check(cudaEventRecord(end, stream));
  const std::vector<float> result = first.read(stream);
  float milliseconds = 0;
  gpu::check(cudaEventElapsedTime(&milliseconds, begin, end));
  gpu::check(cudaGraphExecDestroy(steps));
  gpu::check(cudaEventDestroy(begin));
  gpu::check(cudaEventDestroy(end));

  const bool same = result == plain.read(stream);
  const double lost =
      std::accumulate(result.begin(), result.end(), 0.0) / std::accumulate(start.begin(), start.end(), 0.0) - 1;
  std::printf(
      "%d x %d: %.2f us a step in graphs, rung `%s`; %s the steps launched one by one, total heat changed by %.1e\n",
      kWidth, kHeight, 1000 * milliseconds / (graphs * kStepsInGraph), std::string(to_string(heat.rung())).c_str(),
      same ? "the same bits as" : "other bits than", lost);
  return same && std::abs(lost) < 1e-4 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "runtime_api: %s\n", error.what());
  return 1;
}
