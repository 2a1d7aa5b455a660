#include "tuner/engine/device/worker/random_rounding.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tuner/engine/device/worker/spread.hpp"

using namespace tuner::engine;

namespace {

std::string module_of(const std::string& body) {
  return fmt::format(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n{}\n\tret;\n}}\n", body);
}

// Whether the statement's place is taken by one that rounds up and one that rounds down.
bool is_rounded(const std::string& statement) {
  const auto text = with_random_rounding(module_of("\t" + statement));
  return text && text->find("selp") != std::string::npos;
}

}  // namespace

TEST_CASE("whole numbers are exact where they stay the same and others do not, and not where they do so as others do") {
  CHECK(whole_is_exact(8192, 4100, 4096, 4096));       // indices beside sums
  CHECK(whole_is_exact(64, 1, 1, 1));                  // a count beside sums
  CHECK(whole_is_exact(1'000'000, 9000, 7000, 4096));  // indices beside sums in half, some of which are whole
  CHECK(whole_is_exact(64, 64, 64, 64));               // nothing but counts
  CHECK_FALSE(whole_is_exact(1024, 80, 64, 5));        // sums of 4 bits behind the point
  CHECK_FALSE(whole_is_exact(65'536, 500, 130, 1));    // sums in half
  CHECK_FALSE(whole_is_exact(1024, 1, 64, 1));         // one by chance
}

TEST_CASE("zeros of a mask were as uncertain as the sums beside them, and those of what is cut off still are") {
  CHECK(zero_is_exact(4096, 2050, 2048, 2048));        // half of it is masked
  CHECK_FALSE(zero_is_exact(4096, 2040, 2048, 2030));  // some sums are near enough to 0 to rise above it
  CHECK_FALSE(zero_is_exact(512, 250, 28, 28));        // sums in bfloat16, half of which stay the same
  CHECK_FALSE(zero_is_exact(512, 2, 0, 0));
}

TEST_CASE("what rounds to nearest rounds up or down, by a choice that the seed is part of") {
  const auto text = with_random_rounding(module_of("\tfma.rn.f32 %f3, %f1, %f2, 0f3F800000;"));
  REQUIRE(text);
  CHECK(text->find("fma.rn.f32") == std::string::npos);
  CHECK(text->find("fma.rp.f32 tuner_u, %f1, %f2, 0f3F800000;") != std::string::npos);
  CHECK(text->find("fma.rm.f32 tuner_d, %f1, %f2, 0f3F800000;") != std::string::npos);
  CHECK(text->find("selp.f32 %f3, tuner_u, tuner_d, tuner_p;") != std::string::npos);
  CHECK(text->find(".visible .global .align 4 .u32 tuner_rounding_seed;") != std::string::npos);
  CHECK(text->ends_with("\tret;\n}\n"));
}

TEST_CASE("sums, products, quotients and conversions are rounded in every real type") {
  for (const char* statement :
       {"add.f32 %f1, %f2, %f3;", "add.rn.f32 %f1, %f2, %f3;", "sub.ftz.f32 %f1, %f2, %f3;",
        "mul.rn.sat.f32 %f1, %f2, %f3;", "mul.f64 %fd1, %fd2, %fd3;", "fma.rn.f64 %fd1, %fd2, %fd3, %fd4;",
        "div.rn.f32 %f1, %f2, %f3;", "sqrt.rn.f64 %fd1, %fd2;", "rcp.rn.f32 %f1, %f2;", "cvt.rn.f32.f64 %f1, %fd1;",
        "cvt.rn.f32.s32 %f1, %r1;", "cvt.rn.f16.f32 %rs1, %f1;", "fma.rn.f16x2 %r1, %r2, %r3, %r4;",
        "add.f16 %rs1, %rs2, %rs3;", "red.global.add.f32 [%rd1], %f2;",
        "@%p1 atom.relaxed.gpu.global.add.f64 %fd1, [%rd1+8], %fd2;"}) {
    CAPTURE(statement);
    CHECK(is_rounded(statement));
  }
}

TEST_CASE("what is exact, is rounded on purpose or cannot be rounded otherwise stays as it is") {
  for (const char* statement :
       {"add.s32 %r1, %r2, %r3;", "mul.wide.s32 %rd1, %r1, 4;", "fma.rm.f32 %f1, %f2, %f3, %f4;",
        "min.f32 %f1, %f2, %f3;", "ex2.approx.f32 %f1, %f2;", "div.full.f32 %f1, %f2, %f3;",
        "sqrt.approx.f32 %f1, %f2;", "cvt.f64.f32 %fd1, %f1;", "cvt.rni.s32.f32 %r1, %f1;",
        "atom.global.add.u32 %r1, [%rd1], %r2;", "red.global.max.f32 [%rd1], %f2;", "// add.f32 %f1, %f2, %f3;",
        "/* add.f32 %f1, %f2, %f3; */", "ld.global.f32 %f1, [%rd1];"}) {
    CAPTURE(statement);
    CHECK_FALSE(with_random_rounding(module_of(statement)));
  }
}

TEST_CASE("a label hides nothing, and what an atomic leaves to nobody is not kept") {
  const auto labelled = with_random_rounding(module_of("lab1:\n@%p1 add.f32 %f1, %f2, %f3;"));
  REQUIRE(labelled);
  CHECK(labelled->find("lab1:\n{") != std::string::npos);
  const auto left = with_random_rounding(module_of("atom.global.add.f32 _, [%rd1], %f2;"));
  REQUIRE(left);
  CHECK(left->find("mov.f32 _") == std::string::npos);
}

TEST_CASE("a guard stays with what it guards") {
  const auto text = with_random_rounding(module_of("\t@!%p1 add.f32 %f1, %f2, %f3;"));
  REQUIRE(text);
  CHECK(text->find("@!%p1 selp.f32 %f1,") != std::string::npos);
  CHECK(text->find("@!%p1 add") == std::string::npos);
}

TEST_CASE("sums of tensor cores move behind the instruction") {
  const std::string statement = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2}, {%r1}, {%r2}, {%f1,%f2};";
  const auto text = with_random_rounding(module_of(statement));
  REQUIRE(text);
  const std::size_t instruction = text->find(statement);
  REQUIRE(instruction != std::string::npos);
  CHECK(text->find("@tuner_q mov.b32 %f1, tuner_h;") > instruction);
  CHECK(text->find("@tuner_q mov.b32 %f2, tuner_h;") > instruction);
  CHECK_FALSE(
      with_random_rounding(module_of("mma.sync.aligned.m8n8k4.row.col.s32.s8.s8.s32 {%r1}, {%r2}, {%r3}, {%r1};")));
}

TEST_CASE("a module with more operations than the driver translates in a moment is left alone") {
  std::string body;
  CHECK_FALSE(with_random_rounding(module_of([] {
    std::string doubles;
    for (std::size_t i = 0; i < kMaxRoundedOperations / 2; ++i) doubles += "\tadd.f64 %fd1, %fd2, %fd3;\n";
    return doubles;
  }())));
  for (std::size_t i = 0; i < kMaxRoundedOperations; ++i) body += "\tadd.f32 %f1, %f2, %f3;\n";
  CHECK(with_random_rounding(module_of(body)));
  CHECK_FALSE(with_random_rounding(module_of(body + "\tadd.f32 %f1, %f2, %f3;\n")));
}

TEST_CASE("text that is no module is left alone") {
  CHECK_FALSE(with_random_rounding(""));
  CHECK_FALSE(with_random_rounding("add.f32 %f1, %f2, %f3;"));
  CHECK_FALSE(with_random_rounding(".address_size 64\nadd.f32 %f1, %f2"));
}
