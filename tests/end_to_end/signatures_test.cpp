// Descriptions that only the compiler can refute, with a GPU that would launch whatever it is given.
#include <doctest/doctest.h>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

/// What the fake driver runs (see faults.cu), with a typedef in its signature.
std::string kernel(const std::string& real) {
  return R"(#pragma tuner kernel(data) problem(n: size = 1000) param(VARIANT, 1, 2) grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, double, n) out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64)
#pragma tuner scalar(n, int32)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000";
typedef )" +
         real + R"( real;
__global__ void data(const real* values, double* doubled, int* counts, float* room, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i];
  counts[i] += VARIANT;
  if (i < 64) room[i] = 1;
}
)";
}

}  // namespace

TEST_CASE("a typedef of another type ends tune and check before the kernel is launched") {
  for (const char* command : {"tune", "check"}) {
    CAPTURE(command);
    Tuner user;
    user.folder().write("data.cu", kernel("float"));
    const Result wrong = user.run({command, "data.cu", "--workers", "2"});
    check_err(wrong, 2, {"`const real* values`, that is, `const float*` (data.cu:8)"});
    CHECK(wrong.err.starts_with("tuner: data.cu:2:18: `values` is described with elements of the type double"));
    CHECK(user.count_in_journal("launch right") == 0);
    CHECK(user.count_rows() == 0);
    CHECK(user.all_processes_end());

    user.folder().write("data.cu", kernel("double"));
    check_out(user.run({command, "data.cu", "--workers", "2"}), 0);
    CHECK(user.count_in_journal("launch right") > 0);
  }
}
