// A structure that is passed by value, with a GPU that makes it of zeros.
#include <doctest/doctest.h>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

/// What the fake driver runs (see faults.cu), with a structure in its signature.
std::string kernel_with(const std::string& value) {
  return R"(#pragma tuner kernel(data) problem(n: size = 1000) param(VARIANT, 1, 2) grid(ceil_div(n, 256)) block(256)
#pragma tuner in(values, double, n) out(doubled, double, n) inout(counts, int32, n) scratch(room, float, 64)
#pragma tuner scalar(n, int32) value(box, )" +
         value + R"()
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
extern "C" __device__ const char tuner_fake[] = "FAKE:right time=9" TEXT(VARIANT) "000";
struct Box {
  char tag;
  double weights[3];
};
struct View {
  const double* data;
};
__global__ void data(const double* values, double* doubled, int* counts, float* room, int n, Box box) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  doubled[i] = 2 * values[i] + box.weights[0];
  counts[i] += VARIANT;
  if (i < 64) room[i] = 1;
}
)";
}

struct Owner : Tuner {
  Result check_or_tune(const char* command, const std::string& value) {
    folder().write("data.cu", kernel_with(value));
    return run({command, "data.cu", "--workers", "2"});
  }
};

}  // namespace

TEST_CASE("a kernel with a structure by value is tuned and checked") {
  for (const char* command : {"tune", "check"}) {
    CAPTURE(command);
    Owner user;
    check_out(user.check_or_tune(command, "Box, 1, 2, 3, n"), 0);
    CHECK(user.count_in_journal("launch right") > 0);
  }
}

TEST_CASE("a number that its member cannot hold ends tune before the kernel is launched") {
  Owner user;
  user.environment["FAKE_DRIVER"] = "noise=1 misfit=2";
  const Result wrong = user.check_or_tune("tune", "Box, 1, n / 7, 3, n");
  CHECK(wrong.exit_code != 0);
  CHECK(wrong.err.find("value 2 of `box` is 142.857") != std::string::npos);
  CHECK(wrong.err.find("which its member cannot hold") != std::string::npos);
  CHECK(user.count_in_journal("launch right") == 0);
}

TEST_CASE("a structure that cannot be made ends tune and check before the kernel is launched") {
  for (const char* command : {"tune", "check"}) {
    CAPTURE(command);
    Owner user;
    check_err(user.check_or_tune(command, "Box, 1, 2, 3, 4, 5"), 2, {"data.cu:3", "cannot be made of 5 values"});
    check_err(user.check_or_tune(command, "View, 0"), 2, {"holds pointers"});
    CHECK(user.count_in_journal("launch right") == 0);
    CHECK(user.all_processes_end());
  }
}

TEST_CASE("a structure that is given by its bytes is tuned and checked, and their number is the type's") {
  const std::string bytes(2 * 32, '0');
  for (const char* command : {"tune", "check"}) {
    CAPTURE(command);
    Owner user;
    check_out(user.check_or_tune(command, "Box, bytes \"" + bytes + "\""), 0);
    CHECK(user.count_in_journal("launch right") > 0);
  }
  Owner user;
  const Result wrong = user.check_or_tune("tune", "Box, bytes \"" + bytes + "00\"");
  CHECK(wrong.exit_code != 0);
  CHECK(wrong.err.find("Box has another size than the 33 bytes that are given") != std::string::npos);
}
