// Vectors and structures by value on a real GPU: every kernel of values.cu is tuned by the library, which makes them,
// and launched with the program's own objects. Where there is no GPU this is skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <vector_types.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/runtime/bare_driver.hpp"
#include "tests/gpu/kernels/value_types.cuh"
#include "tests/gpu/run_on_gpu.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/tuner.hpp"

namespace tuner {
namespace {

constexpr int kN = 1000;
constexpr double n = kN;

/// Two halves, as their bits.
struct alignas(4) Halves {
  unsigned short first, second;
};
struct Mixed {
  float first;
  Halves halves;
  int last;
};

std::filesystem::path kernels() {
  const char* const named = std::getenv("TUNER_SOURCE_FOLDER");
  return std::filesystem::path(named != nullptr ? named : TUNER_SOURCE_FOLDER) / "tests/gpu/kernels/values.cu";
}

struct Program {
  test::TemporaryFolder folder;
  CUcontext context = bench::use_primary_context();
  CUstream stream = bench::make_stream();
  bench::Buffer y{kN * sizeof(double)};
  Runtime runtime{{.mode = Mode::tune, .database = folder.path(), .tune_limit = std::chrono::minutes(3)}};

  const Instance& tuned(const char* kernel) {
    const Instance& instance = runtime.kernel(Description::from_file(kernels(), kernel)).request({kN});
    INFO(kernel << ": " << instance.provenance().why);
    CHECK(instance.rung() == Rung::exact);
    return instance;
  }

  /// Every element is its index and this, which the objects give.
  template <class... Values>
  void check(const char* kernel, double sum, const Values&... values) {
    const Instance& instance = tuned(kernel);
    y.fill(0xff, stream);
    const LaunchStatus status = instance.launch(stream, values..., y.as<double>(), kN);
    REQUIRE_MESSAGE(status, status.message);
    const std::vector<double> found = y.read<double>(stream);
    std::vector<double> right;
    for (int i = 0; i < kN; ++i) right.push_back(i + sum);
    CHECK_MESSAGE(found == right, kernel, ": ", found[0], " is not ", sum);
  }
};

// With other numbers than those that are tuned with: what a program passes is its own.
TEST_CASE_FIXTURE(Program, "structures of every odd kind arrive as the program made them") {
  check("vectors", 1 + 4 + 9 + 20 + 35, float3{1, 2, 3}, int2{4, 5});
  check("boxes", 1 + 4 + 9 + 20 + 35 + 66 + 91 + 136 + 171, Box{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  check("padded", 1 + 4 - 9 + 5, Padded{1, 2, -3, true});
  check("arrays", 1 + 2 + 10 + 24 + 45 + 77, Stencil{1, {2, 3, 4, 5, 6, 7, 8}, {9, 10, 11}});
  check("enums", 1 + 2 + 9e15 + 5, Rule{::Mode::peak, true, 3000000000000000}, ::Mode::last);
  check("large", 1 + 8 + 72 + 125 + 208,
        Large{{1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24}, 25, 26});
  check("aligned", 1 + 4 + 9 + 20 + 5 + 56, Aligned{1, 2}, double2{3, 4}, float4{5, 6, 7, 8});
  check("flags", 1 + 4 + 9 + 20 + 35 + 66 + 104, true, int3{2, 3, 4}, static_cast<unsigned char>(5), dim3(6, 7, 8));
  // 1, 2; 3; 4, {1, 2}, 5
  check("halves", 1 + 4 + 9 + 4 + 10 + 35, Halves{0x3c00, 0x4000}, static_cast<unsigned short>(0x4200),
        Mixed{4, {0x3c00, 0x4000}, 5});
  check("templates", 1 + 4 + 9 + 20 + 35, Pair<float, Pair<int, double>>{1, {2, 3}}, Nest{0, {4, 5}});
  check("constructors", 1 + 4 + 9 + 16 + 5 + 35, Camera{{0, 1, 2}, {3, 0, 0}, 4}, Point{5, 6, 7});
  Bits bits{};
  bits.first = 1;
  bits.second = -2;
  bits.real = 3;
  check("bits", 1 - 4 + 12, bits);
}

TEST_CASE_FIXTURE(Program, "an object of another size is not launched") {
  const Instance& instance = tuned("vectors");
  const LaunchStatus wrong = instance.launch(stream, float4{1, 2, 3, 4}, int2{4, 5}, y.as<double>(), kN);
  CHECK_FALSE(wrong);
  CHECK(
      wrong.message ==
      "Argument 1 of the kernel `vectors`, `shift`, has 12 bytes in the compiled kernel, but the call passes an object "
      "of 16: pass the type that the kernel's source declares.");
  CHECK_FALSE(instance.launch(stream, y.as<float>(), int2{4, 5}, y.as<double>(), kN));
}

}  // namespace
}  // namespace tuner

int main(int argc, char** argv) {
  return tuner::test::run_on_gpu(argc, argv, [] { tuner::bench::bare_driver(); });
}
