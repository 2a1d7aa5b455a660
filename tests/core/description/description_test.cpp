#include "tuner/core/description/description.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "tests/core/support.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/task.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("a kernel is read with everything that its directives say") {
  const KernelDescription d = describe(
      "#pragma tuner kernel(ns::copy<BLOCKDIMX, pair<TYPE, int>>) reference(plain)\n"
      "#pragma tuner problem(n: size, stride: exact = 1, TYPE: constant = double)\n"
      "#pragma tuner param(BLOCKDIMX, 32, 64..256 step 64; default 64) param(VECTOR, 1, 2; argument)\n"
      "#pragma tuner param(MODE, plain, staged) param(RATIO, 0.5, -1e-3) param(FLAG, false, true; default true)\n"
      "#pragma tuner option(FMAD, \"\", \"--fmad=false\"; default \"--fmad=false\") options(\"--use_fast_math\")\n"
      "#pragma tuner let(TILE = BLOCKDIMX * VECTOR) define(BYTES = TILE * sizeof(TYPE))\n"
      "#pragma tuner constraint(TILE <= 1024) problem_constraint(n % stride == 0)\n"
      "#pragma tuner grid(ceil_div(n, TILE), 1) block(BLOCKDIMX, 2, 1) shared(BYTES)\n"
      "#pragma tuner in(a, TYPE, n, normal(0), align 16) inout(b, float4, n + 1, iota(), rtol 1e-3, atol 0)\n"
      "#pragma tuner out(c, unsigned int, 2 * n) scratch(d, TYPE, TILE) scalar(n, int32) scalar(m, float, value n / "
      "2)\n"
      "#pragma tuner work(bytes = 8 * n, flops = n) deterministic\n");
  CHECK(d.kernel == "ns::copy");
  CHECK(d.template_arguments == std::vector<std::string>{"BLOCKDIMX", "pair<TYPE, int>"});
  CHECK(d.reference.kernel == "plain");
  REQUIRE(d.problem.size() == 3);
  CHECK(d.problem[1].kind == ProblemProperty::Kind::exact);
  CHECK(*d.problem[1].default_value == search::Value(1));
  CHECK(*d.problem[2].default_value == search::Value("double"));
  REQUIRE(d.parameters.size() == 6);
  CHECK(d.parameters[0].parameter.values == std::vector<search::Value>{32, 64, 128, 192, 256});
  CHECK(d.parameters[0].parameter.default_value == search::Value(64));
  CHECK(d.parameters[0].place.line == 3);
  CHECK(d.parameters[0].place.column == 21);
  CHECK(d.parameters[1].form == ParameterForm::argument);
  CHECK(d.parameters[1].parameter.default_value == search::Value(1));
  CHECK(d.parameters[2].parameter.values == std::vector<search::Value>{"plain", "staged"});
  CHECK(d.parameters[3].parameter.values[1] == search::Value(-1e-3));
  CHECK(d.parameters[4].parameter.default_value.is_boolean());
  CHECK(d.parameters[5].form == ParameterForm::option);
  CHECK(d.parameters[5].parameter.default_value == search::Value("--fmad=false"));
  CHECK(d.options == std::vector<std::string>{"--use_fast_math"});
  REQUIRE(d.names.size() == 2);
  CHECK_FALSE(d.names[0].is_macro);
  CHECK(d.names[1].is_macro);
  CHECK(d.constraints.at(0).origin == "k.cu:7");
  CHECK(d.problem_constraints.at(0).expression.text() == "n % stride == 0");
  CHECK(d.grid.size() == 2);
  CHECK(d.block.size() == 3);
  CHECK(d.shared_bytes->text() == "BYTES");
  REQUIRE(d.arguments.size() == 6);
  CHECK(d.arguments[0].generators.at(0).kind == Generator::Kind::normal);
  CHECK(d.arguments[0].generators.at(0).parameters.size() == 2);
  CHECK(*d.arguments[0].alignment == 16);
  CHECK(d.arguments[1].role == Argument::Role::inout);
  CHECK(d.arguments[1].rtol->text() == "1e-3");
  CHECK(d.arguments[1].atol->text() == "0");
  CHECK(d.arguments[2].type == "unsigned int");
  CHECK_FALSE(d.arguments[2].rtol);
  CHECK(d.arguments[3].role == Argument::Role::scratch);
  CHECK_FALSE(d.arguments[4].value);
  CHECK(d.arguments[5].value->text() == "n / 2");
  CHECK(d.work.bytes->text() == "8 * n");
  CHECK(d.deterministic);
}

TEST_CASE("several kernels share a file, each with the directives that follow it") {
  const std::string text = kernel_text("#pragma tuner kernel(other) grid(1) block(X) param(X, 1) out(o, float, 1)\n");
  const auto all = parse_descriptions(text, "k.cu");
  REQUIRE(all.size() == 2);
  CHECK(all[0].parameters.at(0).parameter.name == "BLOCKDIMX");
  CHECK(all[1].parameters.at(0).parameter.name == "X");
  CHECK(all[0].blanked_source == all[1].blanked_source);
  CHECK(complaint("kernel(scale)") == "k.cu:6:15: the kernel `scale` is described twice in this file");
}

TEST_CASE("instances of one template are described side by side, and chosen by what tells them apart") {
  const auto kernel = [](const std::string& name, const std::string& more = "") {
    return "#pragma tuner kernel(" + name + ") grid(1) block(X) param(X, 1) out(o, float, 1) " + more + "\n";
  };
  const std::string options = R"(options("-DFACTOR=3"))";
  const auto all = parse_descriptions(
      kernel("scale<float>") + kernel("scale<double>") + kernel("scale<double>", options) + kernel("other<int, 2>"),
      "k.cu");
  REQUIRE(all.size() == 4);
  const auto chosen = [&](const std::string& name) { return full_name(choose_description(all, "k.cu", name)); };
  CHECK(chosen("scale<float>") == "scale<float>");
  CHECK(chosen(" scale< double >") == "scale<double>");
  CHECK(chosen("scale<double> -DFACTOR=3") == "scale<double> -DFACTOR=3");
  CHECK(chosen("other") == "other<int, 2>");
  CHECK(chosen("other<int,2>") == "other<int, 2>");
  CHECK(error_of([&] { chosen("scale"); })
            .find("It describes scale<float>, scale<double>, scale<double> -DFACTOR=3, "
                  "other.") != std::string::npos);
  const auto defined = parse_descriptions(kernel("fill", "define(F = 2)") + kernel("fill", "define(F = 3)"), "k.cu");
  CHECK(full_name(choose_description(defined, "k.cu", "fill F=3")) == "fill F=3");
  CHECK(error_of([&] {
          parse_descriptions(kernel("scale<int>") + kernel("scale< int >"), "k.cu");
        }).find("the kernel `scale<int>` is described twice") != std::string::npos);
}

TEST_CASE("kernels of one source with other template arguments or options have an identity each") {
  const auto identity = [](const std::string& name, const std::string& more) {
    const std::string text = "#pragma tuner kernel(" + name + ") grid(1) block(X) param(X, 1) out(o, float, 1) " + more;
    return kernel_identity(parse_descriptions(text + "\nint source;\n", "k.cu").front(), {});
  };
  const std::set<std::string> all{identity("scale", ""),
                                  identity("scale<float>", ""),
                                  identity("scale<double>", ""),
                                  identity("scale<float>", R"(options("-DFACTOR=2"))"),
                                  identity("scale<float>", R"(options("-DFACTOR=3"))"),
                                  identity("scale", "define(FACTOR = 2)"),
                                  identity("scale", "define(FACTOR = 3)"),
                                  identity("scale", "let(TWO = 2) define(FACTOR = TWO * 2)"),
                                  identity("scale", "define(TYPE = float)"),
                                  identity("scale", "define(TYPE = double)")};
  CHECK(all.size() == 10);
  // What is tuned, or given with a problem, tells no kernels apart.
  CHECK(identity("scale", "define(FACTOR = 2 * X)") == identity("scale", ""));
  CHECK(identity("scale", "define(FACTOR = 0 // 0)") == identity("scale", ""));
}

TEST_CASE("directives may come in any order, but a let follows what it uses") {
  CHECK(complaint("constraint(LATE < 3) let(LATE = BLOCKDIMX // 64)") == "no error");
  CHECK(complaint("let(A = B) let(B = 1)") == "k.cu:6:23: `B` is used before it is defined (line 6)");
  CHECK(complaint("let(A = A + 1)") == "k.cu:6:23: `A` is used before it is defined (line 6)");
}

TEST_CASE("a mistake is shown with its place, its line and a caret") {
  const std::string text = kernel_text("#pragma tuner constraint(BLOCKDIMX < BLOKDIMX)");
  CHECK(error_of([&] { parse_descriptions(text, "dir/k.cu"); }) ==
        "dir/k.cu:6:38: unknown name `BLOKDIMX`; did you mean `BLOCKDIMX`?\n"
        "  #pragma tuner constraint(BLOCKDIMX < BLOKDIMX)\n"
        "                                       ^");
}

TEST_CASE("the place of a mistake on a continued line is the physical one") {
  CHECK(complaint("constraint(BLOCKDIMX < \\\n   NOWHERE_KNOWN)") ==
        "k.cu:7:4: unknown name `NOWHERE_KNOWN`; the kernel declares BLOCKDIMX, TYPE, n");
}

TEST_CASE("unknown words come with the nearest known one") {
  CHECK(contains(complaint("zzzzzzzz(A, 1)"), "unknown directive `zzzzzzzz`; the directives are kernel, problem, "));
  CHECK(first_line_of([] { parse_descriptions("#pragma tuner kernal(a)", "k.cu"); }) ==
        "k.cu:1:15: unknown directive `kernal`; did you mean `kernel`?");
  CHECK(complaint("parm(A, 1)") == "k.cu:6:15: unknown directive `parm`; did you mean `param`?");
  CHECK(complaint("problem(m: sise)") ==
        "k.cu:6:26: `sise` is not a kind of problem property (size, exact or constant); did you mean `size`?");
  CHECK(complaint("out(r, flaot, n)") ==
        "k.cu:6:22: `flaot` is neither an element type nor a constant problem property; did you mean `float`?");
  CHECK(complaint("out(r, float, n, rtoll 1)") ==
        "k.cu:6:32: `rtoll 1` is not a clause of an output (valid are generators such as uniform(0, 1), and rtol, "
        "atol, at most, expect, partial, trivial, unordered, align, pad, value); did you mean `rtol`?");
  CHECK(complaint("param(A, 1; defautl 1)") ==
        "k.cu:6:27: `defautl 1` is not a clause of a parameter (`default VALUE`, `argument` or `text`); did you mean "
        "`default`?");
  CHECK(complaint("work(byte = n)") ==
        "k.cu:6:20: work is bytes = EXPRESSION, flops = EXPRESSION or both, and type = TYPE of the operations, not "
        "`byte = n`; did you mean `bytes`?");
}

TEST_CASE("names are identifiers that nothing else means") {
  CHECK(
      complaint("param(2A, 1)") ==
      "k.cu:6:21: `2A` cannot be the name of a parameter: a name is letters, digits and `_`, and does not begin with a "
      "digit");
  CHECK(complaint("param(switch, 1)") ==
        "k.cu:6:21: `switch` is a reserved word and cannot be the name of a parameter");
  CHECK(complaint("problem(ceil_div: size)") ==
        "k.cu:6:23: `ceil_div` is a function of expressions and cannot be the name of a problem property");
  CHECK(complaint("let(sm_count = 1)") ==
        "k.cu:6:19: `sm_count` is an attribute of the device and cannot be the name of a let or define");
  CHECK(complaint("param(half, 1)") == "k.cu:6:21: `half` is a type and cannot be the name of a parameter");
  CHECK(complaint("param(A__B, 1)") ==
        "k.cu:6:21: `A__B` is a name reserved for the compiler (it has two underscores, or one before a capital)");
  CHECK(complaint("param(n, 1)") == "k.cu:6:21: `n` is already declared as a problem property on line 2");
  CHECK(complaint("in(result, float, n)") == "k.cu:6:18: the argument `result` is already declared on line 5");
}

TEST_CASE("named values cannot be confused with other names or macros") {
  CHECK(
      complaint("param(MODE, plain, n)") ==
      "k.cu:6:21: the value `n` of `MODE` is also a problem property (line 2); expressions could not tell them apart");
  CHECK(complaint("param(MODE, plain, staged) let(MODE_plain = 1)") ==
        "k.cu:6:21: the value `plain` of `MODE` becomes the macro `MODE_plain`, which is a let or define (line 6)");
  CHECK(complaint("param(A, b_c, d) param(A_b, c, e)") ==
        "k.cu:6:38: a value of `A` and a value of `A_b` both become the macro `A_b_c`");
  CHECK(complaint("param(MODE, plain, 2)") ==
        "k.cu:6:21: the values of `MODE` are partly names and partly numbers; use only one kind, because a name "
        "becomes its position in the list");
  CHECK(complaint("param(MODE, not, plain)") == "k.cu:6:27: `not` is an operator of expressions and cannot be a value");
  CHECK(complaint("param(MODE, none, a) param(OTHER, none, b)") == "no error");
}

TEST_CASE("values, ranges and defaults are checked") {
  CHECK(complaint("param(A)") == "k.cu:6:21: the parameter `A` needs at least one value, as in param(A, 1, 2, 4)");
  CHECK(complaint("param(A, 1,, 2)") == "k.cu:6:26: a value is missing here");
  CHECK(complaint("param(A, 1, 1.0)") == "k.cu:6:27: the value 1.0 is in the list twice");
  CHECK(complaint("param(A, false, 1, 0.0)") == "k.cu:6:34: the value 0.0 is in the list twice");
  CHECK(complaint("param(A, 9007199254740992, 9007199254740993, 1e300)") == "no error");
  CHECK(complaint("param(A, 4..1)") == "k.cu:6:24: the range is empty: 4 is above 1; write the smaller end first");
  CHECK(complaint("param(A, 1..4 step 0)") == "k.cu:6:34: the step of a range must be at least 1, not 0");
  CHECK(complaint("param(A, 0..9223372036854775807)") == "k.cu:6:24: the range has more than 65536 values");
  CHECK(complaint("param(A, 1, 2; default 3)") == "k.cu:6:38: the default 3 of `A` is not among its values 1, 2");
  CHECK(complaint("param(A, 12abc)") ==
        "k.cu:6:24: `12abc` is not a value; values are integers, reals, true, false and names");
  CHECK(complaint("param(A, cub::X, cub::Y)") ==
        "k.cu:6:24: `cub::X` is not a value; values are integers, reals, true, false and names; text for the kernel "
        "stands in double quotes with the clause `; text`, as in param(NAME, \"cub::X\"; text)");
  CHECK(
      contains(complaint("param(A, \"cub::X\", \"cub::Y\")"),
               "the value \"cub::X\" of `A` cannot be part of a macro name; add `; text` if the kernel is to get it"));
  CHECK(
      contains(complaint("param(A, \"cub::X\"; text; argument)"),
               "`A` cannot have both `text` and `argument`: with `text` the value becomes a macro, with `argument` one "
               "of the kernel's template arguments; a macro may stand in kernel(NAME<A>), too, so leave out"));
  CHECK(contains(complaint("param(A, 1; argument; argument)"), "`A` has the clause `argument` twice"));
  CHECK(contains(complaint("option(A, \"-w\"; text)"), "`A` is a compiler option, which has no clause `text`"));
  CHECK(complaint("param(A, 1, 2 // two\\\n)") ==
        "k.cu:6:29: inside parentheses `//` divides; write a comment there as /* ... */");
  CHECK(
      complaint("option(O, --fast)").ends_with("write it in double quotes, as in \"--fmad=false\", or \"\" for none"));
}

TEST_CASE("a kernel could not be named from the global namespace, nor with its template's defaults") {
  const auto first = [](const std::string& text) { return parse_descriptions(text, "k.cu").front(); };
  CHECK(first("#pragma tuner kernel(a<::b::T>) grid(1) block(1) out(o, float, 1) param(X, 1)\n").template_arguments ==
        std::vector<std::string>{"b::T"});
  const KernelDescription d = first(
      "#pragma tuner kernel(::a::b<>) grid(1) block(1) out(o, float, 1) param(X, 1)\n"
      "#pragma tuner reference(::a::c)\n");
  CHECK(d.kernel == "a::b");
  CHECK(d.template_arguments == std::vector<std::string>{""});
  CHECK(d.reference.kernel == "a::c");
}

TEST_CASE("a byte order mark was left in front of the code, behind what compilers read before it") {
  const std::string mark = "\xef\xbb\xbf";
  CHECK(describe(mark + kernel_text("")).blanked_source.starts_with("   "));
  CHECK(blank_host_code(std::vector<Header>{{.name = "h.h", .text = mark + "#define A 1\n"}}, "").front().text ==
        "   #define A 1\n");
}

TEST_CASE("a range may grow by a factor, as far as its end") {
  const auto values = [](const std::string& text) {
    return describe(kernel_text("#pragma tuner param(A, " + text + ")")).parameters.back().parameter.values;
  };
  CHECK(values("32..1024 x2") == std::vector<search::Value>{32, 64, 128, 256, 512, 1024});
  CHECK(values("0x3..100 x 4, 7") == std::vector<search::Value>{3, 12, 48, 7});
  CHECK(values("0..100 +25") == values("0..100 step 25"));  // as for problems
  CHECK(values("-1..+1") == std::vector<search::Value>{-1, 0, 1});
  CHECK(values("9223372036854775806..9223372036854775807 x2") == std::vector<search::Value>{9223372036854775806});
  CHECK(complaint("param(A, 0..8 x2)") == "k.cu:6:24: a range with a factor must start at 1 or above, not at 0");
  CHECK(complaint("param(A, 1..8 x1)") == "k.cu:6:30: the factor of a range must be at least 2, not 1");
  CHECK(contains(complaint("param(A, 1..8 x2 step 2)"), "`8 x2` is not a value"));
}

TEST_CASE("the default of a problem property may be a large count") {
  const KernelDescription d = describe(kernel_text("#pragma tuner problem(many: size = 1M, more: exact = 1<<20)"));
  CHECK(d.problem[d.problem.size() - 2].default_value == search::Value(1048576));
  CHECK(d.problem.back().default_value == search::Value(1048576));
}

TEST_CASE("a range from one end of the 64-bit integers to the other does not overflow") {
  const KernelDescription d = describe(
      kernel_text("#pragma tuner param(A, -9223372036854775808..9223372036854775807 step 9223372036854775807)"));
  CHECK(d.parameters.back().parameter.values ==
        std::vector<search::Value>{std::numeric_limits<std::int64_t>::min(), -1,
                                   std::numeric_limits<std::int64_t>::max() - 1});
}

TEST_CASE("what must be the same for every configuration cannot use tuned parameters, not even through a let") {
  CHECK(complaint("in(a, float, n * BLOCKDIMX)") ==
        "k.cu:6:32: `BLOCKDIMX` is a tuned parameter; the length of `a` must be the same for every configuration");
  CHECK(complaint("let(T = BLOCKDIMX) define(U = T + 1) out(a, float, U)") ==
        "k.cu:6:66: `U` depends on the tuned parameter `BLOCKDIMX`; the length of `a` must be the same for every "
        "configuration");
  CHECK(complaint("problem_constraint(n % BLOCKDIMX == 0)") ==
        "k.cu:6:38: `BLOCKDIMX` is a tuned parameter; what a problem must satisfy must be the same for every "
        "configuration");
  CHECK(complaint("scratch(a, float, n * BLOCKDIMX) let(T = n) in(b, float, T)") == "no error");
}

TEST_CASE("arguments are complete and their clauses fit their role") {
  CHECK(complaint("in(a, float)") ==
        "k.cu:6:18: in needs a name, a type and a length in elements, as in in(values, float, n)");
  CHECK(complaint("in(a, float, n, rtol 1)") == "k.cu:6:31: `rtol` does not apply to `a`, which is an input");
  CHECK(complaint("out(a, float, n, uniform(0, 1))") ==
        "k.cu:6:32: `uniform` does not apply to `a`, which is an output");
  CHECK(complaint("in(a, float, n, uniform(0, 1, 2))") ==
        "k.cu:6:31: the generator has the form uniform(low, high), but 3 parameters are given");
  CHECK(complaint("in(a, float, n, align 3)") == "k.cu:6:37: an alignment is a power of two from 1 to 4096, not `3`");
  CHECK(complaint("in(a, float, n, pad 0)") == "k.cu:6:35: a padding is 1 to 1073741824 bytes, not `0`");
  CHECK(contains(complaint("in(a, float, n, pad 2 * n)"), "2 * n"));
  CHECK(complaint("in(a, float, n, pad 4, pad 4)") == "k.cu:6:38: `pad` is given twice for `a`");
  CHECK(complaint("scalar(n, int32, pad 4)") == "k.cu:6:32: `pad` does not apply to `n`, which is a scalar");
  CHECK(complaint("out(a, float, n, rtol -1)") == "k.cu:6:37: a tolerance cannot be negative, as -1 is");
  CHECK(complaint("out(a, n, 1)") == "k.cu:6:22: `n` cannot be a type: only a constant problem property can hold one");
  CHECK(complaint("scalar(m, int32)") ==
        "k.cu:6:22: `m` is not a problem property, so it needs a value, as in scalar(m, int32, value EXPRESSION)");
  CHECK(complaint("scalar(n, float4)") ==
        "k.cu:6:25: a scalar has a plain type, but `float4` has 4 lanes: write value(n, float4, E, E, E, E)");
}

TEST_CASE("mistakes in expressions are placed in the file") {
  CHECK(complaint("constraint(BLOCKDIMX <)").starts_with("k.cu:6:37: "));
  CHECK(complaint("constraint(a = 1)").starts_with("k.cu:6:28: "));
  CHECK(complaint("shared()") == "k.cu:6:15: shared needs arguments in parentheses, as in shared(8 * BLOCK)");
}

TEST_CASE("a description says how the kernel is launched and what it computes") {
  CHECK(complaint("grid(1)") == "k.cu:6:15: grid is given twice; the first is on line 4");
  CHECK(complaint("kernel(b)") == "k.cu:6:15: the kernel `b` has no grid(...): the number of blocks, as in grid(rows)");
  CHECK(complaint("kernel(b) grid(1)") ==
        "k.cu:6:15: the kernel `b` has no block(...): the number of threads in a block, as in block(BLOCKDIMX)");
  CHECK(complaint("kernel(b) grid(1) block(1)") ==
        "k.cu:6:15: the kernel `b` has no out(...) or inout(...): without an output no configuration can be checked");
  CHECK(first_line_of([] { parse_descriptions("#pragma tuner grid(1)", "k.cu"); }) ==
        "k.cu:1:15: the first directive of a file must be kernel(NAME); later ones belong to the kernel before them");
  CHECK(complaint("kernel(a<b)") == "k.cu:6:23: the template arguments of the kernel must end with `>`");
}

TEST_CASE("a file without a kernel is an error that shows the way") {
  CHECK(error_of([] { parse_descriptions("int x;", "k.cu"); }) ==
        "k.cu describes no kernel: put `#pragma tuner kernel(NAME)` and its parameters above the kernel, or begin with "
        "what `tuner new FILE` proposes; docs/directives.md shows how.");
  CHECK(error_of([] { parse_descriptions("#pragma unroll\n#pragma tunner kernel(a)", "k.cu"); }) ==
        "k.cu describes no kernel: line 2 has a pragma that resembles `#pragma tuner`.");
  CHECK(error_of([] { load_description("no/such.cu"); }) ==
        "The kernel file no/such.cu does not exist; check its name and the current folder.");
}

TEST_CASE("one of several kernels in a file is picked by name") {
  const TemporaryFolder folder;
  const auto file = folder.write("k.cu", kernel_text("#pragma tuner kernel(other) grid(1) block(1) out(o, float, 1)"));
  CHECK(load_description(file, "other").kernel == "other");
  CHECK(error_of([&] { load_description(file); }) ==
        file.string() + " describes 2 kernels; choose one of scale, other with --kernel.");
  CHECK(error_of([&] { load_description(file, "othr"); }) ==
        file.string() + " does not describe a kernel `othr`; did you mean `other`? It describes scale, other.");
}

TEST_CASE("a byte order mark before the first directive is skipped and shifts no column") {
  const std::string mark = "\xef\xbb\xbf";
  CHECK(parse_descriptions(mark + kernel_text(), "k.cu").size() == 1);
  CHECK(first_line_of([&] { parse_descriptions(mark + "#pragma tuner kernal(a)", "k.cu"); }) ==
        "k.cu:1:15: unknown directive `kernal`; did you mean `kernel`?");
}

TEST_CASE("a zero byte does not cut a message short") {
  const std::string zero(1, '\0');
  CHECK(error_of([&] { parse_descriptions("#pragma tuner kernal(" + zero + ")", "k.cu"); }).ends_with("^"));
}

TEST_CASE("work that is negative is refused where it stands") {
  CHECK(complaint("work(bytes = -3)") == "k.cu:6:28: bytes cannot be negative, as -3 is");
  CHECK(complaint("work(bytes = 3 * n, flops = 2)") == "no error");
}

TEST_CASE("the operations of work may have a type, which is one") {
  CHECK(complaint("work(flops = 2, type = double)") == "no error");
  CHECK(complaint("work(flops = 2, type = flaot)") ==
        "k.cu:6:38: `flaot` is neither an element type nor a constant problem property; did you mean `float`?");
  CHECK(complaint("work(flops = 2, type = float4)") ==
        "k.cu:6:38: operations are counted one by one, so their type is a plain one, not `float4`");
  CHECK(complaint("work(bytes = 2, type = float)") ==
        "k.cu:6:38: work has a type where it has flops, as in work(flops = 2 * n, type = float)");
  CHECK(complaint("work(flops = 2, type = float, type = half)") == "k.cu:6:45: `type` is given twice");
}

TEST_CASE("an array in constant memory is described among the arguments and fills at most 64 KB") {
  const KernelDescription d = describe(kernel_text("#pragma tuner constant(weights, float, 49, normal(0, 1))"));
  const Argument& weights = d.arguments.back();
  CHECK(weights.role == Argument::Role::constant);
  CHECK_FALSE(is_parameter(weights.role));
  CHECK(weights.generators.at(0).kind == Generator::Kind::normal);
  CHECK(contains(first_line_of([] { describe(kernel_text("#pragma tuner constant(weights, float, BLOCKDIMX)")); }),
                 "the length of `weights`"));
  CHECK(contains(first_line_of([] { describe(kernel_text("#pragma tuner constant(weights, float, 4, align 16)")); }),
                 "`align` does not apply to `weights`, which is an array in constant memory"));
  const auto bind = [](const std::string& extra) {
    return first_line_of([&] { Task(describe(kernel_text(extra)), {{"n", 1000}}, known_device("H200")); });
  };
  CHECK(bind("#pragma tuner constant(a, float, 16384)") == "no error");
  CHECK(bind("#pragma tuner constant(a, float, 16384) constant(b, int8, 1)") ==
        "k.cu:6: the length of `b`: with it the arrays in constant memory have 65537 bytes, but only 65536 are "
        "available; pass it as an input, or choose a smaller problem.");
}

TEST_CASE("the name of a data file must be in quotes") {
  const auto complaint = [](const std::string& generator) {
    return first_line_of([&] { describe(kernel_text("#pragma tuner in(a, float, n, " + generator + ")")); });
  };
  const KernelDescription d = describe(kernel_text("#pragma tuner in(a, float, n, file(\"a, (b).npy\"))"));
  CHECK(d.arguments.back().generators.at(0).file == "a, (b).npy");
  CHECK(contains(complaint("file(x.npy)"), "the name of a file must be in quotes"));
  CHECK(contains(complaint("file(\"\")"), "the name of the file is missing"));
  CHECK(contains(complaint("file(\"a\\q\")"), "an invalid escape"));
  CHECK(contains(complaint("file(\"a\\x00\")"), "a file name cannot contain a zero byte"));
  CHECK(contains(complaint("file"), "the generator has the form file(\"name.npy\")"));
  CHECK(contains(complaint("file(\"a\", \"b\")"), "2 parameters are given"));
}
