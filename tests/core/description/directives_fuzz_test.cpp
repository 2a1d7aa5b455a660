// Mutates directive text ten thousand times, from a fixed seed. Reading it succeeds or throws Error; the
// sanitizers of the asan preset see everything else. What reads well must print, and the print must read back as
// itself.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/core/support.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/describe.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

constexpr std::string_view kSeed =
    "/* top */ #include \"tuner_device.cuh\"\n"
    "#pragma tuner kernel(ns::copy<BLOCKDIMX, pair<TYPE, int>>) reference(plain)\n"
    "#pragma tuner problem(n: size, stride: exact = 1, TYPE: constant = double)\n"
    "#pragma tuner param(BLOCKDIMX, 32, 64..256 step 64; default 64) param(VECTOR, 1, 2; argument)\n"
    "#pragma tuner param(MODE, plain, staged) param(RATIO, 0.5, -1e-3) param(FLAG, false, true; default true)\n"
    "#pragma tuner option(FMAD, \"\", \"--fmad=false\"; default \"--fmad=false\") options(\"--use_fast_math\")\n"
    "#pragma tuner let(TILE = BLOCKDIMX * VECTOR) define(BYTES = TILE * sizeof(TYPE)) \\\n  constraint(TILE // 2 <= "
    "1024)\n"
    "#pragma tuner problem_constraint(n % stride == 0) grid(ceil_div(n, TILE), 1) block(BLOCKDIMX, 2, 1) "
    "shared(BYTES)\n"
    "#pragma tuner in(a, TYPE, n, normal(0), align 16) inout(b, float4, n + 1, iota(), rtol 1e-3, atol 0)\n"
    "#pragma tuner out(c, unsigned int, 2 * n) scratch(d, TYPE, TILE) scalar(n, int32) scalar(m, float, value n / 2)\n"
    "#pragma tuner constant(w, float, 49, iota()) in(e, half, n, file(\"a b.npy\"))\n"
    "#pragma tuner work(bytes = 8 * n, flops = n) deterministic // done\n"
    "const char* s = R\"x(#pragma)x\"; int i = 1'000; '\\'' // end\n";

const std::vector<std::string_view> kPieces{"#pragma tuner ",
                                            "\\\n",
                                            "\n",
                                            "(",
                                            ")",
                                            "[",
                                            "]",
                                            "{",
                                            "}",
                                            "\"",
                                            "'",
                                            "/*",
                                            "*/",
                                            "//",
                                            ";",
                                            ",",
                                            ":",
                                            "=",
                                            "==",
                                            "..",
                                            "step",
                                            "default",
                                            "argument",
                                            "<",
                                            ">",
                                            "-9223372036854775808",
                                            "9223372036854775807",
                                            "1e999",
                                            "0x",
                                            "R\"(",
                                            "\r\n",
                                            "\t",
                                            "kernel(",
                                            "param(",
                                            "in(",
                                            "n",
                                            "TILE",
                                            "TYPE",
                                            "float",
                                            " ",
                                            "\x80",
                                            "#",
                                            "\\",
                                            "65536..1",
                                            "0..65535",
                                            "::"};

std::string mutate(const std::vector<std::string>& pool, std::mt19937_64& random) {
  const auto below = [&random](std::size_t limit) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(limit, 1));
  };
  std::string text = pool[below(pool.size())];
  const std::size_t edits = 1 + below(4);
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(12), text.size() - at);
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 2:
        text.replace(at, length, kPieces[below(kPieces.size())]);
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        text.insert(below(text.size() + 1), text.substr(at, below(40)));
        break;
    }
  }
  return text;
}

}  // namespace

TEST_CASE("mutated directives are read or refused, and what is read prints and reads back") {
  std::mt19937_64 random(20240229);
  std::vector<std::string> pool{std::string(kSeed), kernel_text()};
  std::uint64_t read = 0, refused = 0;
  while (read + refused < 10'000) {
    const std::string text = mutate(pool, random);
    try {
      for (const KernelDescription& description : parse_descriptions(text, "fuzz.cu")) {
        const std::string printed = to_text(description);
        INFO(text);
        REQUIRE(error_of([&] { REQUIRE(to_text(describe(printed)) == printed); }) == "no error");
        REQUIRE(std::count(text.begin(), text.end(), '\n') ==
                std::count(description.blanked_source.begin(), description.blanked_source.end(), '\n'));
      }
      ++read;
      // Texts that still read well are mutated further, so that mutations add up.
      if (pool.size() < 256 && text.size() < 8192) pool.push_back(text);
    } catch (const Error&) {
      ++refused;
    }
  }
  MESSAGE(read, " texts read, ", refused, " refused");
  CHECK(read >= 20);
  CHECK(refused >= 20);
}
