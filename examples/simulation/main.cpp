// A simulation that works on several sizes and makes a request in every step: heat flows through a sheet, which is
// refined three times. A repeated request costs some tens of nanoseconds, so nothing needs to be kept between steps.
//
//     simulation [STEPS]          TUNER_MODE=tune simulation 10000 tunes each size when it is first met
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <tuner/tuner.hpp>
#include <utility>

#include "common/gpu.hpp"

namespace {

constexpr float kRate = 0.2f;

struct Sheet {
  int width, height;
  std::vector<float> heat;
};

Sheet with_a_hot_spot(int width, int height) {
  Sheet sheet{width, height, std::vector<float>(std::size_t(width) * height, 1.0f)};
  for (int y = height / 4; y < height / 2; ++y)
    std::fill_n(&sheet.heat[std::size_t(y) * width + width / 4], width / 8, 5.0f);
  return sheet;
}

// Four points in the place of one.
Sheet refined(const Sheet& coarse) {
  Sheet fine{2 * coarse.width, 2 * coarse.height, std::vector<float>(4 * coarse.heat.size())};
  for (int y = 0; y < fine.height; ++y) {
    for (int x = 0; x < fine.width; ++x)
      fine.heat[std::size_t(y) * fine.width + x] = coarse.heat[std::size_t(y / 2) * coarse.width + x / 2];
  }
  return fine;
}

// What one launch does, on the host.
Sheet stepped(const Sheet& now) {
  Sheet next = now;
  const auto at = [&](int x, int y) {
    return now.heat[std::size_t((y + now.height) % now.height) * now.width + (x + now.width) % now.width];
  };
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const float around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
      next.heat[std::size_t(y) * now.width + x] = at(x, y) + kRate * (around - 4 * at(x, y));
    }
  }
  return next;
}

double total(const Sheet& sheet) {
  return std::accumulate(sheet.heat.begin(), sheet.heat.end(), 0.0);
}

void simulate(const tuner::Kernel& kernel, Sheet& sheet, int steps) {
  const gpu::Stream stream;
  gpu::Array<float> first(sheet.heat), second(sheet.heat.size());
  float *now = first.data(), *next = second.data();
  for (int step = 0; step < steps; ++step) {
    const tuner::Instance& heat = kernel.request({sheet.width, sheet.height});
    const tuner::LaunchStatus status = heat.launch(stream, now, next, sheet.width, sheet.height, kRate);
    if (!status) throw std::runtime_error(std::string(status.message));
    std::swap(now, next);
  }
  sheet.heat = (now == first.data() ? first : second).read(stream);
}

bool first_step_is_right(const tuner::Kernel& kernel, const Sheet& start) {
  Sheet result = start;
  simulate(kernel, result, 1);
  const Sheet expected = stepped(start);
  return std::equal(result.heat.begin(), result.heat.end(), expected.heat.begin(),
                    [](float a, float b) { return std::abs(a - b) <= 1e-5f * std::abs(b); });
}

}  // namespace

int main(int argc, char** argv) try {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1000;
  tuner::Runtime runtime({.device = 0});
  const tuner::Kernel kernel = runtime.kernel(tuner::Description::from_file(HEAT_CU));

  Sheet sheet = with_a_hot_spot(256, 256);
  for (int level = 0; level < 4; ++level) {
    if (level > 0) sheet = refined(sheet);
    const tuner::Instance& heat = kernel.request({sheet.width, sheet.height});
    if (!heat.runnable()) return gpu::skip(heat.provenance().why);
    if (!first_step_is_right(kernel, sheet)) {
      std::printf("%d x %d: the first step is wrong\n", sheet.width, sheet.height);
      return 1;
    }
    const double before = total(sheet);
    simulate(kernel, sheet, steps);
    const double lost = total(sheet) / before - 1;
    const tuner::Provenance provenance = heat.provenance();
    std::printf("%4d x %4d: %d steps, total heat changed by %.1e; rung `%s`, %s\n", sheet.width, sheet.height, steps,
                lost, std::string(to_string(provenance.rung)).c_str(), provenance.configuration.c_str());
    if (!(std::abs(lost) < 1e-4)) return 1;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "simulation: %s\n", error.what());
  return 1;
}
