// What somebody's program does with the library, on a machine that has no GPU for it: ask, be told why there is nothing
// to launch, launch it nevertheless, and go on.
#include <cstdio>
#include <string>
#include <tuner/tuner.hpp>

static int failed(const char* what) {
  std::printf("wrong: %s\n", what);
  return 1;
}

int main() {
  constexpr const char* source = R"(
    extern "C" __global__ void scale(const float* x, float* y, int n) {
      const int i = blockIdx.x * BLOCK + threadIdx.x;
      if (i < n) y[i] = 2 * x[i];
    })";
  const tuner::Description description = tuner::DescriptionBuilder("scale", source)
                                             .size("n")
                                             .parameter("BLOCK", {64, 128, 256}, 128)
                                             .grid("ceil_div(n, BLOCK)")
                                             .block("BLOCK")
                                             .in("x", "float", "n")
                                             .out("y", "float", "n")
                                             .scalar("n", "int32")
                                             .build();
  tuner::Runtime runtime({.device = 0});
  tuner::Kernel kernel = runtime.kernel(description);
  const tuner::Instance& scale = kernel.request({1000});
  const tuner::Provenance provenance = scale.provenance();
  std::printf("rung %s: %s\n", std::string(to_string(provenance.rung)).c_str(), provenance.why.c_str());
  if (provenance.rung != tuner::Rung::unrunnable || scale.runnable()) return failed("there is no GPU to run on");
  if (provenance.why.empty()) return failed("no reason is given");

  float *x = nullptr, *y = nullptr;
  const tuner::LaunchStatus status = scale.launch(nullptr, x, y, 1000);
  if (status || status.message.empty()) return failed("what cannot be launched was launched, or nothing was said");

  if (scale.launch(nullptr, tuner::Buffer{x, 4000}, tuner::scratch, 1000)) return failed("nothing can be launched");
  try {
    if (!scale.snapshot().values.empty() || scale.value<int>("BLOCK") > 0) return failed("nothing has values");
    return failed("what is not in force has a value");
  } catch (const tuner::Error& error) {
    if (error.code() != tuner::Errc::bad_usage) return failed(error.what());
  }

  // Exceptions of the library are caught as what they are on this side of it.
  try {
    tuner::Description::from_file("there/is/none.cu");
    return failed("a file that does not exist was read");
  } catch (const tuner::Error& error) {
    if (error.code() != tuner::Errc::file_not_found) return failed(error.what());
  }
  return 0;
}
