// What this GPU can do at most: bytes copied on it, read and written counted, and fused multiply-adds in float and
// double.
//
//   bench_kernel_peaks OUT      writes OUT/peaks.json and prints it
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bench/kernels/records.hpp"
#include "bench/kernels/stage.hpp"
#include "bench/program.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace {

using namespace tuner;

/// Chains of multiply-adds that depend on nothing else; their number and the threads decide whether the pipes are full.
constexpr const char* kMultiplyAdds = R"(
extern "C" __global__ void multiply_adds(TYPE* results, TYPE a, TYPE b, int steps) {
  TYPE x[CHAINS];
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) x[i] = static_cast<TYPE>(threadIdx.x + i);
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int repeat = 0; repeat < 16; ++repeat) {
#pragma unroll
      for (int i = 0; i < CHAINS; ++i) x[i] = x[i] * a + b;
    }
  }
  TYPE sum = 0;
#pragma unroll
  for (int i = 0; i < CHAINS; ++i) sum += x[i];
  if (sum == static_cast<TYPE>(-1)) results[0] = sum;
}
)";

constexpr int kSamples = 15;

template <typename Queue>
double fastest_ns(bench::ColdTimer& timer, Queue queue) {
  double best = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double ns = timer.sample(queue);
    if (best == 0 || ns < best) best = ns;
  }
  return best;
}

/// The median: what a copy takes is what a kernel has to match, not what it takes once.
double copy_rate(const DeviceInfo& device, engine::WorkStream& stream, bench::ColdTimer& timer) {
  constexpr std::size_t kCaches = 16;
  const std::size_t bytes = std::max<std::size_t>(std::size_t{1} << 30, kCaches * device.l2_bytes);
  const engine::DeviceMemory from = engine::allocate(bytes), to = engine::allocate(bytes);
  stream.set_bytes(from.get(), 1, bytes);
  stream.set_bytes(to.get(), 2, bytes);
  std::vector<double> samples;
  for (int i = 0; i < kSamples + 2; ++i) {
    const double ns = timer.sample([&] { stream.copy(to.get(), from.get(), bytes); });
    if (i >= 2) samples.push_back(ns);
  }
  return 2 * static_cast<double>(bytes) / (engine::median(samples) / 1e9);
}

template <typename Type>
double multiply_add_rate(const DeviceInfo& device, engine::WorkStream& stream, bench::ColdTimer& timer,
                         const engine::NvrtcCompiler& compiler, const char* type, int steps) {
  const engine::DeviceMemory results = engine::allocate(64);
  double best = 0;
  for (const int chains : {4, 8}) {
    engine::CompileRequest request;
    request.source = fmt::format("#define TYPE {}\n#define CHAINS {}\n{}", type, chains, kMultiplyAdds);
    request.file_name = "multiply_adds.cu";
    request.name_expression = "multiply_adds";
    request.architecture = device.architecture();
    const engine::CompileReply reply = compiler.compile(request);
    if (reply.outcome != Outcome::ok) throw Error(Errc::internal, reply.message);
    const engine::Module module = engine::load_module(reply.cubin.bytes);
    CUfunction function = nullptr;
    engine::check(engine::driver().module_function(&function, module.get(), reply.cubin.kernel.c_str()),
                  "cuModuleGetFunction");
    for (const unsigned threads : {256U, 512U, 1024U}) {
      const unsigned blocks = 4 * static_cast<unsigned>(device.sm_count * device.max_threads_per_sm) / threads;
      CUdeviceptr address = results.get();
      Type a = static_cast<Type>(0.999), b = static_cast<Type>(0.001);
      void* arguments[] = {&address, &a, &b, &steps};
      const double ns = fastest_ns(timer, [&] {
        engine::check(
            engine::driver().launch(function, blocks, 1, 1, threads, 1, 1, 0, stream.get(), arguments, nullptr),
            "cuLaunchKernel");
      });
      best = std::max(best, 2.0 * 16 * steps * chains * threads * blocks / (ns / 1e9));
    }
  }
  return best;
}

void run(const std::filesystem::path& out) {
  const DeviceInfo device = bench::use_first_gpu();
  engine::WorkStream stream;
  bench::ColdTimer timer(device, stream);
  const engine::NvrtcCompiler compiler({});
  nlohmann::json peaks{{"device", device.name}, {"l2_bytes", device.l2_bytes}};
  peaks["copy_bytes_per_second"] = copy_rate(device, stream, timer);
  peaks["fma_float_flops_per_second"] = multiply_add_rate<float>(device, stream, timer, compiler, "float", 256);
  peaks["fma_double_flops_per_second"] = multiply_add_rate<double>(device, stream, timer, compiler, "double", 64);
  bench::write_record(out / "peaks.json", peaks);
  fmt::print("{}: copy {}, FMA {} in float and {} in double\n", device.name,
             rate_text(peaks["copy_bytes_per_second"], "B/s"), rate_text(peaks["fma_float_flops_per_second"], "FLOP/s"),
             rate_text(peaks["fma_double_flops_per_second"], "FLOP/s"));
}

}  // namespace

int main(int argc, char** argv) {
  return tuner::bench::run_program("bench_kernel_peaks", [&] {
    if (argc != 2) throw std::runtime_error("usage: bench_kernel_peaks OUT");
    run(argv[1]);
  });
}
