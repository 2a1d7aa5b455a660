#include "tuner/core/description/padding.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/served_winner.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kPaddedKernel =
    "#pragma tuner kernel(k) problem(n: size = 1000) grid(n) block(32)\n"
    "#pragma tuner in(x, float, n) out(y, float, n) constant(w, float, 4) scalar(n, int32)\n"
    "__global__ void k(const float* x, float* y, int n) {}\n";

Task padded_task(KernelDescription description) {
  return Task(std::move(description), {}, known_device("H200"));
}

}  // namespace

TEST_CASE("a padding that is set is the one that a directive would have") {
  KernelDescription set = describe(kPaddedKernel);
  const Task plain = padded_task(set);
  set_padding(set, "x=64");
  set_padding(set, "x=100");
  std::string directive = kPaddedKernel;
  directive.replace(directive.find("in(x, float, n"), 14, "in(x, float, n, pad 100");
  const Task as_written = padded_task(describe(directive)), as_set = padded_task(set);
  CHECK(to_text(set) == to_text(as_written.description()));
  CHECK(as_set.reuse_hash() == as_written.reuse_hash());
  CHECK(as_set.reuse_hash() != plain.reuse_hash());
  // Nor is a winner that counts on it one for others.
  CHECK(as_set.kernel_identity() == as_written.kernel_identity());
  CHECK(as_set.kernel_identity() != plain.kernel_identity());
  CHECK(as_set.arguments()[0].padding == 100);
  // What its source says is served to no program, which would read the source without the padding.
  CHECK(served_source(plain));
  CHECK(served_source(as_written));
  CHECK_FALSE(served_source(as_set));
}

TEST_CASE("a padding that cannot be set is a sentence") {
  KernelDescription description = describe(kPaddedKernel);
  const auto mistake = [&](const std::string& assignment) {
    return error_of([&] { set_padding(description, assignment); });
  };
  for (const char* bytes : {"x", "x=", "x=0", "x=-4", "x=4k", "x=1e3", "x=1073741825"}) {
    CHECK(mistake(bytes) == "`--pad " + std::string(bytes) +
                                "`: a padding is a number of bytes from 1 to 1073741824, as in `--pad x=128`.");
  }
  CHECK(mistake("xx=4") == "`--pad xx=4`: the kernel `k` has no buffer `xx` in global memory; did you mean `x`?");
  CHECK(contains(mistake("n=4"), "has no buffer `n` in global memory"));
  CHECK(contains(mistake("w=4"), "has no buffer `w` in global memory"));
  CHECK(to_text(description) == to_text(describe(kPaddedKernel)));
}
