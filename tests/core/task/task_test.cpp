#include "tuner/core/task/task.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>

#include "tests/core/support.hpp"
#include "tuner/core/task/binary_key.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const DeviceInfo kDevice = known_device("H200");

using Generators = std::vector<BoundGenerator>;

/// The kernel of kernel_text() with these directives behind it.
Task task_of(const std::string& directives, ProblemValues problem = {{"n", 1000}},
             const std::vector<std::string>& where = {}) {
  return Task(describe(kernel_text(directives.empty() ? "" : "#pragma tuner " + directives)), problem, kDevice, where);
}

std::string macros_of(const Task& task, std::string_view configuration) {
  std::string text;
  for (const Macro& macro : task.macros(task.space().parse(configuration))) text += macro.name + "=" + macro.text + ";";
  return text;
}

std::string complaint_of(const std::string& directives, ProblemValues problem = {{"n", 1000}}) {
  return first_line_of([&] {
    const Task task = task_of(directives, problem);
    const search::Configuration defaults = task.space().defaults();
    task.geometry(defaults);
    task.macros(defaults);
    task.scratch_lengths(defaults);
    task.work_bytes(defaults);
  });
}

/// The expression in a file of one expression and lines of comment.
std::string read_where(const std::string& file) {
  std::ifstream stream(file);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with('#')) text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the comparison space of prefetch has exactly 708 configurations on an H200") {
  const Task task(load_description(TUNER_SOURCE_DIR "/kernel_sources/prefetch.cu"),
                  parse_problem("rows=528,row_length=65536"), kDevice,
                  {read_where(TUNER_SOURCE_DIR "/bench/comparison_space.where")});
  CHECK(task.space().size() == 708);
  REQUIRE(task.baseline());
  CHECK(task.geometry(*task.baseline()).text() == "grid=528x1x1 block=128x1x1 shared=0");
  const auto shared = task.space().parse("STRATEGY=shared_rolling_async,PDIST=6,PADDING=3,BLOCKDIMX=256");
  CHECK(task.geometry(shared).text() == "grid=528x1x1 block=256x1x1 shared=18432");
  CHECK(task.key("cold").problem == "row_length=65536,rows=528,sync_in_loop=0,work=4");
  CHECK(task.work_bytes(shared) == 8.0 * 528 * 65536);
  REQUIRE(task.headers().size() == 1);
  CHECK(task.headers()[0].name == "tuner_device.cuh");
  const std::vector<BoundArgument> arguments = task.arguments();
  REQUIRE(arguments.size() == 3);
  CHECK(arguments[0].length == 528ull * 65536);
  CHECK(arguments[1].rtol == 1e-11);
  CHECK(arguments[2].value == search::Value(65536));
}

TEST_CASE("macros are the constants of the problem, the parameters and the defines, in this order") {
  const Task task = task_of(
      "problem(m: exact = 3, DEPTH: constant = -2) param(MODE, plain, staged) "
      "param(RATIO, 0.1, 1e300) param(FLAG, false, true) param(T2, int32, float4) param(A, x, y; argument) "
      "option(O, \"\", \"-G\") let(L = 2) define(D = L * BLOCKDIMX) define(E = TYPE)");
  CHECK(macros_of(task, "MODE=staged,FLAG=true,RATIO=0.1,T2=float4") ==
        "TYPE=float;DEPTH=(-2);BLOCKDIMX=128;MODE_plain=0;MODE_staged=1;MODE=MODE_staged;RATIO=0.1;FLAG=1;T2=float4;A_"
        "x=0;A_y=1;"
        "D=256;E=float;");
  CHECK(contains(macros_of(task, "RATIO=1e300"), "RATIO=1e+300;FLAG=0;T2=int;"));
}

TEST_CASE("what shapes the launch alone is no macro, so that its values are compiled once") {
  const auto compiled = [](std::string_view source, std::string_view configuration = "") {
    const Task task =
        task_of(fmt::format("param(MODE, plain, staged) option(O, \"-G\", \"-DDEPTH=D\") "
                            "define(D = BLOCKDIMX * 2) define(E = 1)\n{}",
                            source));
    std::string text;
    for (const Macro& macro : task.compiled_macros(task.space().parse(configuration)))
      text += macro.name + "=" + macro.text + ";";
    return text;
  };
  const std::string rest = "MODE_plain=0;MODE_staged=1;MODE=MODE_plain;";
  const std::string all = "TYPE=float;BLOCKDIMX=128;" + rest + "D=256;E=1;";
  CHECK(compiled("__global__ void scale(float* result) {}") == "TYPE=float;" + rest + "D=256;E=1;");
  CHECK(compiled("int a[BLOCKDIMX];", "BLOCKDIMX=64") == "TYPE=float;BLOCKDIMX=64;" + rest + "D=128;E=1;");
  CHECK(compiled("int XBLOCKDIMX, E2;") == "TYPE=float;" + rest + "D=256;E=1;");
  CHECK(compiled("#define JOIN(a, b) a##b\nint a = JOIN(BLOCK, DIMX);") == all);
  CHECK(compiled("#include \"elsewhere.h\"") == all);
  CHECK(compiled("#include H") == all);
  CHECK(compiled("#include <cuda_fp16.h>\n#include <cstdint>") == "TYPE=float;" + rest + "D=256;E=1;");
  const Task task = task_of("param(UNROLL, 1, 2)\nint a[UNROLL];");
  const auto key = [&](std::string_view configuration) { return binary_key(task, task.space().parse(configuration)); };
  CHECK(key("BLOCKDIMX=64,UNROLL=1") == key("BLOCKDIMX=128,UNROLL=1"));
  CHECK(key("BLOCKDIMX=64,UNROLL=1") != key("BLOCKDIMX=64,UNROLL=2"));
}

TEST_CASE("a define that gives a name is refused, because the compiler would take it for zero") {
  CHECK(complaint_of("param(MODE, plain, staged) define(M = MODE)") ==
        "k.cu:6: define(M) has the name `plain` as its value, which has no meaning for the compiler; compare it with "
        "== to make it a condition.");
}

TEST_CASE("options are the fixed ones and the chosen ones that are not empty") {
  const Task task = task_of("options(\"-w\") option(O, \"\", \"-G\"; default \"\") option(P, \"-DB\", \"-DC\")");
  CHECK(task.options(task.space().parse("")) == std::vector<std::string>{"-w", "-DB"});
  CHECK(task.options(task.space().parse("O=-G,P=-DC")) == std::vector<std::string>{"-w", "-G", "-DC"});
}

TEST_CASE("template arguments name parameters, constants, defines and types") {
  const Task task(
      describe(
          "#pragma tuner kernel(copy<W * 2, TYPE, MODE, MODE == MODE_b, D, float>) grid(1) block(1) out(o, TYPE, 1)\n"
          "#pragma tuner problem(TYPE: constant = double) param(W, 1, -2; argument) param(MODE, a, b; argument)\n"
          "#pragma tuner define(D = W + 1)"),
      {{"TYPE", "float16"}}, kDevice);
  CHECK(task.name_expression(task.space().parse("W=-2,MODE=b")) ==
        "copy<(-2) * 2, __half, 1, 1 == MODE_b, (-1), float>");
  CHECK(task_of("").name_expression({{1}}) == "scale");
}

TEST_CASE("type names are values in expressions, also those of the problem") {
  const Task task = task_of("constraint(BLOCKDIMX * sizeof(TYPE) <= 512 or TYPE == double)");
  CHECK(task.space().size() == 2);
  CHECK(task_of("constraint(BLOCKDIMX * sizeof(TYPE) <= 512 or TYPE == double)", {{"n", 1}, {"TYPE", "double"}})
            .space()
            .size() == 3);
}

TEST_CASE("arguments are bound with types, lengths, generators, tolerances and values") {
  const Task task = task_of(
      "in(i, int16, n) in(b, bool, 1) in(v, float2, n / 2, index(n - 1), align 256) "
      "inout(w, double, n, constant(2), atol 1) scratch(s, char, BLOCKDIMX) scratch(f, char, n) "
      "scalar(n, uint16) scalar(x, float, value n / 3)");
  const std::vector<BoundArgument> a = task.arguments();
  REQUIRE(a.size() == 9);
  CHECK(a[0].rtol == 1e-4);
  CHECK(a[0].atol == 1e-6);
  CHECK(a[1].generators == Generators{{Generator::Kind::iota, {0, 1}}});
  CHECK(a[2].generators == Generators{{Generator::Kind::index, {2, 0}}});
  CHECK(a[3].lanes == 2);
  CHECK(a[3].length == 500);
  CHECK(a[3].alignment == 256);
  CHECK(a[3].generators == Generators{{Generator::Kind::index, {999, 0}}});
  CHECK(a[4].type == ElementType::float64);
  CHECK(a[4].atol == 1);
  CHECK(a[4].rtol == 1e-10);
  CHECK(a[5].length == 0);
  CHECK(a[6].length == 1000);
  CHECK(a[7].value.is_integer());
  CHECK(a[8].value.is_real());
  CHECK(a[8].value.as_real() == doctest::Approx(1000.0 / 3));
}

TEST_CASE("sorted, a lost element of a long list hides within any tolerance, so by default there is none") {
  const auto arguments = task_of("out(z, float, n, unordered) out(y, half, n, unordered, rtol 0.01)").arguments();
  CHECK(arguments[1].rtol == 0);
  CHECK(arguments[1].atol == 0);
  CHECK(arguments[2].rtol == 0.01);
}

TEST_CASE("counts of parts say nothing about the whole of an output whose order is free") {
  CHECK_THROWS_WITH_AS(task_of("out(z, float, n, unordered by c) out(c, int32, 2)").arguments(),
                       doctest::Contains("says how many elements `z` has, so it is a single one"), Error);
}

TEST_CASE("scratch lengths follow the configuration") {
  const Task task = task_of("scratch(s, float, 2 * BLOCKDIMX) scratch(t, float, n)");
  CHECK(task.scratch_lengths(task.space().parse("BLOCKDIMX=256")) == std::vector<std::uint64_t>{512, 1000});
}

TEST_CASE("numbers that do not fit are refused with the argument's name and line") {
  CHECK(complaint_of("scalar(n, int8)") == "k.cu:6: the value of `n` is 1000, which does not fit int8.");
  CHECK(complaint_of("scalar(x, int32, value n / 3)").ends_with("which is not integral."));
  CHECK(complaint_of("scalar(x, uint64, value 0 - n)").ends_with("which does not fit uint64."));
  CHECK(complaint_of("scalar(x, int64, value 9223372036854775807)") == "no error");
  CHECK(complaint_of("in(a, float, n - 1001)") == "k.cu:6: the length of `a` is -1; a length cannot be negative.");
  CHECK(complaint_of("in(a, double, n * 1000000000000000)") ==
        "k.cu:6: the length of `a` is 1000000000000000000 elements, more than any memory holds.");
  CHECK(complaint_of("in(a, uint8, n * 1099511628)").ends_with("more than any memory holds."));
  CHECK(complaint_of("in(a, uint8, n, index(257))") ==
        "k.cu:6: the content of `a` is index(257), which does not fit uint8.");
  CHECK(complaint_of("in(a, uint8, n, index(256))") == "no error");
  CHECK(complaint_of("in(a, float, n, uniform(1, 0))") ==
        "k.cu:6: the content of `a` is uniform(1, 0), whose low end is above its high end.");
  CHECK(complaint_of("in(a, float, n, normal(0, 0 - 1))") ==
        "k.cu:6: the content of `a` is normal(0, -1), whose deviation is negative.");
}

TEST_CASE("a geometry is whole and positive, or the error names it and the configuration") {
  CHECK(complaint_of("shared(0 - BLOCKDIMX)") ==
        "k.cu: shared memory of `scale` for BLOCKDIMX=128: `0 - BLOCKDIMX` is -128, but must be at least 0.");
  CHECK(
      complaint_of("", {{"n", 0}}) ==
      "k.cu: grid x of `scale` for BLOCKDIMX=128: `ceil_div(n, BLOCKDIMX)` is 0, but must be at least 1. CUDA launches "
      "no empty grid: let the program skip the launch for this size, which needs no tuning.");
  CHECK(contains(complaint_of("shared(BLOCKDIMX / 3)"), "//"));
  CHECK(complaint_of("shared(5000000000)").ends_with("is 5000000000, more than any launch allows."));
}

TEST_CASE("where narrows the space, and its mistakes are mistakes of usage") {
  const Task task = task_of("", {{"n", 1000}}, {"BLOCKDIMX >= 128", "BLOCKDIMX != 256"});
  CHECK(task.space().size() == 1);
  CHECK(task.space().constraints().back().origin == "--where");
  const auto complaint_about = [](const std::string& where) {
    return error_of([&] { task_of("", {{"n", 1}}, {where}); });
  };
  CHECK(complaint_about("BLOKDIMX > 1") ==
        "--where uses `BLOKDIMX`, which is not known for the kernel `scale`; did you mean `BLOCKDIMX`? `tuner "
        "describe` lists its parameters.");
  CHECK(complaint_about("BLOCKDIMX >").starts_with("--where is not an expression: "));
  error_of(Errc::bad_usage, [] { task_of("", {{"n", 1}}, {"nonsense_name"}); });
}

TEST_CASE("a grid that no GPU can launch was in the space") {
  const auto space_of = [](std::string_view grid, std::int64_t n) {
    std::string text = kernel_text("");
    const std::string_view plain = "grid(ceil_div(n, BLOCKDIMX))";
    REQUIRE(text.find(plain) != std::string::npos);
    text.replace(text.find(plain), plain.size(), grid);
    return Task(describe(text), {{"n", n}}, kDevice);
  };
  const std::int64_t most = 65535;
  CHECK(space_of("grid(1, ceil_div(n, BLOCKDIMX))", 64 * most).space().size() == 3);
  const Task rows = space_of("grid(1, ceil_div(n, BLOCKDIMX))", 128 * most);
  CHECK(rows.space().size() == 2);
  CHECK(rows.space().why_invalid(rows.space().parse("BLOCKDIMX=64")) ==
        "BLOCKDIMX=64 violates the constraint `(ceil_div(n, BLOCKDIMX)) <= 65535` (blocks along y, limit of every "
        "GPU).");
  CHECK(space_of("grid(1, 1, ceil_div(n, BLOCKDIMX))", 256 * most).space().size() == 1);
  CHECK(space_of("grid(ceil_div(n, BLOCKDIMX))", 256 * most).space().size() == 3);
  CHECK(space_of("grid(n * BLOCKDIMX)", 1 << 24).space().size() == 1);
}

TEST_CASE("what the device allows a launch joins the constraints, where a launch may exceed it") {
  const auto on = [](std::string_view block, std::string_view extra, const DeviceInfo& device) {
    std::string text = kernel_text(extra);
    const std::string_view plain = "block(BLOCKDIMX)";
    text.replace(text.find(plain), plain.size(), block);
    return Task(describe(text), {{"n", 1000}}, device);
  };
  const Task wide = on("block(BLOCKDIMX, LANES)", "#pragma tuner let(LANES = BLOCKDIMX > 64 ? 8 : 4)", kDevice);
  REQUIRE(wide.space().constraints().size() == 1);
  CHECK(wide.space().constraints()[0].expression.text() == "BLOCKDIMX * LANES <= 1024");
  CHECK(wide.space().constraints()[0].origin == "threads per block, limit of NVIDIA H200");
  CHECK(wide.space().size() == 2);
  CHECK(wide.accepts(wide.space().parse("BLOCKDIMX=128")));
  CHECK_FALSE(wide.accepts(wide.space().parse("BLOCKDIMX=256")));
  CHECK(wide.space().why_invalid(wide.space().parse("BLOCKDIMX=256")) ==
        "BLOCKDIMX=256 violates the constraint `BLOCKDIMX * LANES <= 1024` (threads per block, limit of NVIDIA "
        "H200).");

  const Task shared = on("block(BLOCKDIMX)", "#pragma tuner shared(BLOCKDIMX * 1000)", kDevice);
  CHECK(shared.space().size() == 2);
  CHECK(shared.space().constraints()[0].expression.text() == "(BLOCKDIMX * 1000) <= 232448");

  // A limit that nothing exceeds, and one that is not known, is none.
  CHECK(on("block(BLOCKDIMX)", "#pragma tuner shared(BLOCKDIMX * 4)", kDevice).space().constraints().empty());
  DeviceInfo unknown;
  unknown.name = "GPU of a recording";
  CHECK(on("block(BLOCKDIMX * 64)", "", unknown).space().size() == 3);
}

TEST_CASE("a device's limit excludes the baseline, and where behind it does not") {
  const Task task(describe("#pragma tuner kernel(scale)\n#pragma tuner param(BLOCKDIMX, 64, 2048; default 2048)\n"
                           "#pragma tuner grid(1) block(BLOCKDIMX)\n#pragma tuner out(result, float, 64)\n"),
                  {}, kDevice, {"BLOCKDIMX > 64"});
  CHECK_FALSE(task.baseline());
  CHECK(task.accepts(task.space().parse("BLOCKDIMX=64")));
  CHECK(contains(task.space().why_empty(), "`BLOCKDIMX > 64` (--where)"));
}

TEST_CASE("a launch that cannot be computed is no matter of limits, but is named where it is computed") {
  const std::string text =
      "#pragma tuner kernel(scale)\n#pragma tuner param(BLOCKDIMX, 0, 64, 2048; default 64)\n"
      "#pragma tuner grid(1) block(4096 // BLOCKDIMX * 16)\n#pragma tuner out(result, float, 64)\n";
  const Task task(describe(text), {}, kDevice);
  CHECK(task.space().size() == 3);  // 0, for which nobody knows, 64 with 1024 threads, 2048 with 32
  CHECK(task.accepts(task.space().parse("BLOCKDIMX=0")));
  CHECK(error_of([&] { task.geometry(task.space().parse("BLOCKDIMX=0")); }) ==
        "k.cu: block x of `scale` for BLOCKDIMX=0: In `4096 // BLOCKDIMX * 16`: `//` by zero.");
}

TEST_CASE("the baseline is what the description allows, whatever where leaves of the space") {
  const Task narrowed = task_of("", {{"n", 1000}}, {"BLOCKDIMX > 128"});
  REQUIRE(narrowed.baseline());
  CHECK(narrowed.space().text(*narrowed.baseline()) == "BLOCKDIMX=128");
  CHECK_FALSE(task_of("constraint(BLOCKDIMX > 128)").baseline());
  CHECK_FALSE(task_of("param(U, 0, 1) constraint(BLOCKDIMX % U == 0) constraint(U != 0)").baseline());
}

TEST_CASE("an empty space is a task that says why") {
  const Task task = task_of("constraint(BLOCKDIMX > 1000)");
  CHECK(task.space().size() == 0);
  CHECK(contains(task.space().why_empty(), "k.cu:6"));
  CHECK_FALSE(task.baseline());
}

TEST_CASE("keys of stored decisions never change") {
  KernelDescription description = describe(kernel_text("__global__ void scale() {}"));
  const Task task(description, {{"n", 1000}}, kDevice);
  CHECK(task.kernel_identity() == "scale:a72bd9965bbab5f9e4068239b53d5383");
  CHECK(task.reuse_hash() == "5fe41a6c6279974d55e151b39a89ccad");
  // As it was before there were paddings.
  CHECK(task_of("in(a, float, n, align 16) scratch(b, half, BLOCKDIMX) constant(w, float, 4)").reuse_hash() ==
        "140cd0c73f25b6c61d314326166d3538");
  // As it was when tolerances were numbers and there was one generator at most.
  CHECK(task_of("in(a, float4, n, uniform(-1, n // 2)) inout(b, half, n, normal(0, 2), rtol 1e-3, atol 0.5) "
                "constant(w, int8, 4, index(100)) out(c, double, n, rtol 0, atol 3)")
            .reuse_hash() == "cb532780de218155812bc21af80c235c");
  const cache::DecisionKey key = task.key("cold");
  CHECK(key.kernel_name == "scale");
  CHECK(key.problem == "TYPE=float,n=1000");
  CHECK(key.device == "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=");
  CHECK(key.mode == "cold");
  CHECK(key.objective == "time");
}

TEST_CASE("a kernel that takes void pointers is another one for another element type or fixed scalar") {
  const auto identity = [](const std::string& parameter, const std::string& directives) {
    return Task(describe(kernel_text("#pragma tuner " + directives + "\n__global__ void scale(" + parameter + ") {}")),
                {{"n", 1000}}, kDevice)
        .kernel_identity();
  };
  for (const char* untyped : {"const void* x, int kind", "void const *x, int kind"}) {
    CAPTURE(untyped);
    const std::string base = identity(untyped, "in(x, float, n) scalar(kind, int32, value 0)");
    CHECK(base != identity(untyped, "in(x, double, n) scalar(kind, int32, value 0)"));
    CHECK(base != identity(untyped, "in(x, float, n) scalar(kind, int32, value 1)"));
    CHECK(base == identity(untyped, "in(x, float32, 2 * n, iota()) scalar(kind, int, value 0)"));
  }
  // Of others the source says the types.
  const char* const typed = "const float* x, int kind";
  CHECK(identity(typed, "in(x, float, n) scalar(kind, int32, value 0)") ==
        identity(typed, "in(x, double, n) scalar(kind, int32, value 1)"));
}

TEST_CASE("trials are reusable when only the space changed, not when the checks did") {
  const std::string base = task_of("").reuse_hash();
  CHECK(base == task_of("constraint(BLOCKDIMX < 200)").reuse_hash());
  CHECK(task_of("param(X, 1, 2)").reuse_hash() == task_of("param(X, 1, 2, 3)").reuse_hash());
  CHECK(base == task_of("", {{"n", 5}}).reuse_hash());
  CHECK(base != task_of("deterministic").reuse_hash());
  // The default is part of the baseline, which says what is right.
  CHECK(task_of("param(X, 1, 2)").reuse_hash() != task_of("param(X, 1, 2; default 2)").reuse_hash());
  CHECK(base != task_of("reference(plain)").reuse_hash());
  CHECK(base != task_of("in(a, float, n)").reuse_hash());
  CHECK(task_of("in(a, float, n)").reuse_hash() != task_of("in(a, float, n, iota())").reuse_hash());
  CHECK(task_of("in(a, float, n)").reuse_hash() != task_of("in(a, float, n, pad 4)").reuse_hash());
  CHECK(task_of("in(a, float, n, pad 8)").reuse_hash() != task_of("in(a, float, n, pad 4)").reuse_hash());
  CHECK(task_of("out(a, float, n, rtol 1)").reuse_hash() != task_of("out(a, float, n, atol 1)").reuse_hash());
}

TEST_CASE("a task of a recorded kernel needs no source, no arguments and no geometry") {
  KernelDescription description;
  description.kernel = "gemm";
  description.known_identity = "gemm:00ff";
  description.parameters.push_back({{"X", {1, 2}, 1}, ParameterForm::macro, {}});
  const Task task(std::move(description), {}, kDevice);
  CHECK(task.space().size() == 2);
  CHECK(task.kernel_identity() == "gemm:00ff");
  CHECK(task.geometry(*task.baseline()) == Geometry{});
  CHECK(task.arguments().empty());
}
