#include "tuner/core/task/describe.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/core/support.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// Canonical directives of everything the grammar knows: printing what was read from them gives the same bytes.
constexpr std::string_view kEverything =
    R"(#pragma tuner kernel(ns::copy<BLOCKDIMX, TYPE>)
#pragma tuner reference(plain)
#pragma tuner problem(n: size, stride: exact = 1, TYPE: constant = double)
#pragma tuner problem_constraint(n % stride == 0)
#pragma tuner param(BLOCKDIMX, 64, 128; default 128; argument)
#pragma tuner param(MODE, plain, staged; default plain)
#pragma tuner param(RATIO, 0.5, -0.001; default 0.5)
#pragma tuner param(FLAG, false, true; default true)
#pragma tuner option(FMAD, "", "--fmad=false"; default "")
#pragma tuner options("--use_fast_math", "-DX=\"a,b\"")
#pragma tuner let(TILE = BLOCKDIMX * 2)
#pragma tuner define(BYTES = TILE * sizeof(TYPE))
#pragma tuner constraint(MODE != staged || TILE // 2 <= 1024)
#pragma tuner grid(ceil_div(n, TILE), 1)
#pragma tuner block(BLOCKDIMX, 2, 1)
#pragma tuner shared(BYTES)
#pragma tuner in(a, TYPE, n, normal(0, 1), align 16, pad 40000)
#pragma tuner inout(b, float4, n + 1, iota(0, 1), rtol 0.001, atol 0.0)
#pragma tuner out(c, unsigned int, 2 * n)
#pragma tuner scratch(d, TYPE, TILE)
#pragma tuner scalar(n, int32)
#pragma tuner scalar(m, float, value n / 2)
#pragma tuner constant(weights, float4, 2 * stride, uniform(0, 1))
#pragma tuner in(e, float, n, file("a \"b\", c.npy"))
#pragma tuner work(bytes = 8 * n, flops = n, type = TYPE)
#pragma tuner deterministic
)";

}  // namespace

TEST_CASE("a printed description reads back as itself") {
  CHECK(to_text(describe(kEverything)) == kEverything);
}

TEST_CASE("printing brings any spelling into one form") {
  const std::string free_form =
      "#pragma tuner kernel( scale )problem(n:size , T : constant=float) /* c */ param(X,1..3,\\\n  8; default  2)\n"
      "#pragma tuner block(X) grid(n // X) out(r,T,n) // end";
  CHECK(to_text(describe(free_form)) ==
        "#pragma tuner kernel(scale)\n"
        "#pragma tuner problem(n: size, T: constant = float)\n"
        "#pragma tuner param(X, 1, 2, 3, 8; default 2)\n"
        "#pragma tuner grid(n // X)\n"
        "#pragma tuner block(X)\n"
        "#pragma tuner out(r, T, n)\n");
}

TEST_CASE("long value lists are continued on further lines and read back") {
  const KernelDescription long_list = describe(kernel_text("#pragma tuner param(LONG, 1000..1099)"));
  const std::string text = to_text(long_list);
  CHECK(contains(text, " \\\n"));
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    CHECK(text.find('\n', begin) - begin <= 120);
  }
  CHECK(to_text(describe(text)) == text);
}

TEST_CASE("a task prints its description and what the problem makes of it") {
  const Task task(describe(kernel_text("#pragma tuner constraint(BLOCKDIMX < 256) scratch(t, float2, BLOCKDIMX)")),
                  {{"n", 100000}}, known_device("H200"), {"BLOCKDIMX > 1"});
  const std::string text = to_text(task);
  const std::string notes = text.substr(text.find("//"));
  CHECK(notes ==
        "// file      k.cu\n"
        "// identity  " +
            task.kernel_identity() + "\n" +
            "// problem   TYPE=float,n=100000\n"
            "// device    NVIDIA H200 (sm_90, 132 multiprocessors)\n"
            "// where     BLOCKDIMX > 1\n"
            "// space     2 of 3 combinations satisfy the constraints\n"
            "// baseline  BLOCKDIMX=128\n"
            "// launch    grid=782x1x1 block=128x1x1 shared=0\n"
            "// argument  result float32[100,000] rtol 0.0001 atol 1e-06\n"
            "// argument  t float32x2[by configuration]\n");
  CHECK(to_text(describe(text)) == to_text(task.description()));
}

TEST_CASE("it is said once which integers count up because nothing is given for them") {
  const Task task(describe(kernel_text("#pragma tuner in(a, int32, n) in(b, uint8, n) in(c, int32, n, iota()) "
                                       "in(d, float, n) in(e, bool, n) scratch(f, int32, n)")),
                  {{"n", 10}}, known_device("H200"));
  CHECK(contains(to_text(task),
                 "// content   No generator is given for `a`, `b`: integers then count up from 0, as with iota().\n"));
}

TEST_CASE("a description that cannot be launched, or has no baseline, is printed with the reason") {
  const Task fractional(describe(kernel_text("#pragma tuner shared(n / 3)")), {{"n", 1000}}, known_device("H200"));
  CHECK(contains(to_text(fractional), "// launch    k.cu: shared memory of `scale` for BLOCKDIMX=128: In `n / 3`: "));
  const Task empty(describe(kernel_text("#pragma tuner constraint(BLOCKDIMX > 999)")), {{"n", 1}},
                   known_device("H200"));
  CHECK(
      contains(to_text(empty), "// baseline  none: BLOCKDIMX=128 violates the constraint `BLOCKDIMX > 999` (k.cu:6)"));
}

TEST_CASE("the manual's example is what it says") {
  std::ifstream manual(TUNER_SOURCE_DIR "/docs/directives.md");
  std::string example;
  for (std::string line; std::getline(manual, line);) {
    if (line.starts_with("    #pragma tuner")) example += line.substr(4) + "\n";
  }
  const Task task(describe(example), {{"n", 1'000'000}}, known_device("H200"));
  CHECK(task.description().kernel == "scale_add");
  CHECK(task.space().size() == 38);
  CHECK(task.arguments().size() == 4);
  CHECK(*task.work_bytes(*task.baseline()) == 12e6);
}
