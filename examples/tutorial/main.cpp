// The program of docs/tutorial.md: gravity between n bodies, computed by the kernel that was tuned for that n.
//
//     tutorial [N] [KERNEL FILE]
#include <cmath>
#include <cstdlib>
#include <exception>
#include <random>
#include <tuner/tuner.hpp>

#include "common/gpu.hpp"

namespace {

std::vector<float4> random_bodies(int count) {
  std::vector<float4> bodies(count);
  std::minstd_rand random;
  std::uniform_real_distribution<float> uniform(0, 1);
  for (float4& body : bodies) body = {uniform(random), uniform(random), uniform(random), uniform(random)};
  return bodies;
}

/// The sum of all forces over the sum of their magnitudes, of x components: 0 except for rounding, because every force
/// has its opposite.
double imbalance(const std::vector<float4>& bodies, const std::vector<float4>& acceleration) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += double(bodies[i].w) * acceleration[i].x;
    size += std::abs(double(bodies[i].w) * acceleration[i].x);
  }
  return std::abs(sum) / size;
}

}  // namespace

int main(int argc, char** argv) try {
  const int n = argc > 1 ? std::atoi(argv[1]) : 65536;
  const char* const file = argc > 2 ? argv[2] : GRAVITY_CU;

  tuner::Runtime runtime({.device = 0});
  tuner::Kernel kernel = runtime.kernel(tuner::Description::from_file(file));
  const tuner::Instance& tuned = kernel.request({n});
  const tuner::Provenance provenance = tuned.provenance();
  if (!tuned.runnable()) return gpu::skip(provenance.why);

  const std::vector<float4> bodies = random_bodies(n);
  const gpu::Array<float4> on_gpu(bodies), acceleration(bodies.size());
  const gpu::Stream stream;
  if (const tuner::LaunchStatus status = tuned.launch(stream, on_gpu.data(), acceleration.data(), n); !status)
    throw std::runtime_error(std::string(status.message));
  const double error = imbalance(bodies, acceleration.read(stream));

  std::printf("rung `%s`: %s\n  %s\n  net force: %.1e of the summed magnitudes (x components)\n",
              std::string(to_string(provenance.rung)).c_str(), provenance.why.c_str(), provenance.configuration.c_str(),
              error);
  return error < 1e-4 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tutorial: %s\n", error.what());
  return 1;
}
