#include "tuner/core/task/roofline.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/errors.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner {
namespace {

Task task_with(const std::string& work, std::int64_t n = 1'000'000'000) {
  const std::string text =
      "#pragma tuner kernel(k) problem(n: size, TYPE: constant = float, ODD: constant = half) param(B, 32, 64)\n"
      "#pragma tuner grid(1) block(B) out(y, float, n)\n" +
      (work.empty() ? std::string() : "#pragma tuner work(" + work + ")\n") + "__global__ void k(float* y) {}\n";
  return Task(parse_descriptions(text, "k.cu").front(), {{"n", n}}, known_device("H200"));
}

std::string refusal(const std::string& work, std::int64_t n = 1'000'000'000, Timing mode = Timing::cold) {
  const Task task = task_with(work, n);
  return test::error_of([&] { require_roofline(task, mode); });
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("the slower of memory and arithmetic binds, whatever the configuration does not change") {
  const Roofline roofline{.bytes_per_s = 4e12, .flops_per_s = 6e13};
  const Task memory = task_with("bytes = 8 * n, flops = 2 * n, type = float");
  const auto bound = roofline_bound(roofline, memory, memory.space().at(0));
  REQUIRE(bound);
  CHECK(bound->time_ns == doctest::Approx(2e6));
  CHECK(bound->by == RooflineBound::By::bandwidth);
  CHECK(bound_text(*bound, roofline, memory, memory.space().at(0)) == "its 8e+09 bytes take 2.000 ms at 4.000 TB/s");
  const Task arithmetic = task_with("bytes = 8 * n, flops = 600 * n, type = float");
  const auto other = roofline_bound(roofline, arithmetic, arithmetic.space().at(0));
  REQUIRE(other);
  CHECK(other->time_ns == doctest::Approx(1e7));
  CHECK(other->by == RooflineBound::By::arithmetic);
  const Task by_parameter = task_with("bytes = B * n");
  CHECK(roofline_bound(roofline, by_parameter, by_parameter.space().at(1))->time_ns == doctest::Approx(1.6e7));
  CHECK_FALSE(roofline_bound({.bytes_per_s = {}, .flops_per_s = 1e12}, by_parameter, by_parameter.space().at(0)));
  const Task nothing = task_with("bytes = 0 * n");
  CHECK_FALSE(roofline_bound(roofline, nothing, nothing.space().at(0)));
}

TEST_CASE("a kernel whose time nothing can bind is refused with what to declare") {
  CHECK(refusal("bytes = 8 * n") == "no error");
  CHECK(refusal("bytes = 8 * n, flops = n, type = TYPE") == "no error");
  CHECK(refusal("flops = n, type = double", 1) == "no error");  // no memory is compared
  CHECK(says(refusal(""), "`k` declares no work. Declare"));
  CHECK(says(refusal("bytes = 8 * n, flops = n"), "does not say of which type"));
  CHECK(says(refusal("flops = n, type = ODD"), "in float16 is not measured, only in float and double"));
  CHECK(says(refusal("flops = n, type = int32"), "in int32 is not measured"));
  CHECK(says(refusal("bytes = 8 * n", 1'000'000), "8,000,000 bytes for this problem, less than twice the L2 cache"));
  CHECK(says(refusal("bytes = 8000 * n", 1'000'000),
             "the buffers of `k` have 4,000,000 bytes for this problem, less than twice the L2 cache"));
  CHECK(says(refusal("bytes = 8 * n", 1'000'000'000, Timing::warm), "with --mode warm"));
}

}  // namespace
}  // namespace tuner
