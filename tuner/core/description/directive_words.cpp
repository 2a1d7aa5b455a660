#include "tuner/core/description/directive_words.hpp"

#include <fmt/format.h>

#include "tuner/core/base/text.hpp"

namespace tuner {
namespace {

constexpr DirectiveWord kDirectives[] = {
    {"kernel", "kernel(scale)", "begins a description; template arguments may follow: kernel(scale<BLOCK, TYPE>)"},
    {"problem", "problem(n: size, alpha: exact = 2, TYPE: constant = float)", "what the user specifies, with defaults"},
    {"problem_constraint", "problem_constraint(n >= 1)", "what a problem must satisfy"},
    {"param", "param(BLOCK, 64, 128, 256; default 128)", "what is tuned; the kernel gets it as a macro"},
    {"option", R"(option(FMAD, "--fmad=true", "--fmad=false"))", "a compiler option to tune"},
    {"options", R"(options("--use_fast_math"))", "compiler options that are always passed"},
    {"let", "let(ITEMS = 4)", "a name for an expression"},
    {"define", "define(TILE = ITEMS * BLOCK)", "the same, and a macro for the kernel"},
    {"constraint", "constraint(TILE <= 1024)", "what a configuration must satisfy"},
    {"grid", "grid(ceil_div(n, TILE))", "the blocks of the launch, in up to three dimensions"},
    {"block", "block(BLOCK)", "the threads of a block, likewise"},
    {"shared", "shared(8 * BLOCK)", "dynamic shared memory, in bytes"},
    {"in", "in(values, float, n, uniform(0, 1))", "a buffer that the kernel only reads: name, type, elements"},
    {"out", "out(sums, float, n, rtol 1e-5)", "a buffer that is compared afterwards"},
    {"inout", "inout(state, float, n)", "both"},
    {"scratch", "scratch(partial, float, ceil_div(n, BLOCK))", "a buffer whose content means nothing"},
    {"scalar", "scalar(n, int32)", "a number passed by value"},
    {"constant", "constant(weights, float, 49)", "an array of the source in constant memory"},
    {"value", "value(cells, int3, n, n, 1)", "a vector or a structure passed by value, with what its members hold"},
    {"work", "work(bytes = 8 * n, flops = 2 * n, type = float)", "the least that the job needs, for the report"},
    {"reference", "reference(plain_scale)", "the kernel that is right by definition; else the defaults are"},
    {"deterministic", "deterministic", "outputs must be bit-identical in every run"},
};

constexpr DirectiveWord kArgumentClauses[] = {
    {"rtol", "rtol 1e-5", "relative tolerance of an output"},
    {"atol", "atol 1e-6", "absolute tolerance of an output"},
    {"at most", "at most 10", "so many elements of an output may differ"},
    {"expect", R"(expect file("y.npy"))", "the file that holds the right output"},
    {"partial", "partial", "an `out` that need not be written everywhere"},
    {"trivial", "trivial", "an output that may have one value throughout, or stay as it was"},
    {"unordered", "unordered", "an output in any order; `by count` names the output that counts its elements"},
    {"align", "align 4", "the buffer begins at a multiple of so many bytes"},
    {"pad", "pad 64", "so many bytes before and behind the buffer can be read"},
    {"value", "value 2 * n", "of a scalar that is not called like a property of the problem"},
};

constexpr DirectiveWord kGeneratorWords[] = {
    {"constant", "constant(0)", "the same number everywhere"},
    {"iota", "iota(0, 1)", "start, start + step, ..."},
    {"uniform", "uniform(-1, 1)", "random, from low to high"},
    {"normal", "normal(0, 1)", "random, with this mean and deviation"},
    {"index", "index(n)", "random integers from 0 to n - 1"},
    {"file", R"(file("x.npy"))", "what numpy.save has written"},
    {"permutation", "permutation(n)", "the integers from 0 to n - 1, in random order"},
    {"offsets", "offsets(n, 12, 8)", "where rows of a sparse matrix begin: rows, mean length, spread"},
};

constexpr DirectiveWord kParameterClauses[] = {
    {"default", "; default 128", "the value of the baseline; else the first"},
    {"argument", "; argument", "no macro: the value reaches the kernel through kernel(scale<BLOCK>)"},
    {"text", "; text", "the values are strings, and the macro's text as they are"},
};

constexpr DirectiveWord kReferenceClauses[] = {
    {"grid", "grid(n)", "a launch of its own; likewise the next two"},
    {"block", "block(32)", "its threads of a block"},
    {"shared", "shared(0)", "its dynamic shared memory"},
    {"args", "args(values, sums)", "the arguments that it takes, in its own order"},
    {"define", "define(COUNT = n)", "a macro of the reference"},
};

constexpr DirectiveWord kProblemKindWords[] = {
    {"size", "n: size = 4096", "an integer, 0 or more; decisions for near values may be used"},
    {"exact", "alpha: exact = 2", "a number; decisions for other values are not used"},
    {"constant", "TYPE: constant = float", "a number or a type that becomes a macro; likewise"},
};

std::string section(std::string_view title, std::span<const DirectiveWord> entries) {
  constexpr std::size_t kColumn = 40;
  std::string text = fmt::format("\n{}\n", title);
  for (const DirectiveWord& entry : entries) {
    std::string left(entry.example);
    if (left.size() + 4 > kColumn) {
      text += "  " + left + "\n";
      left.clear();
    }
    text += labelled(fmt::format("  {:<{}}", left, kColumn - 2), entry.meaning, kReportWidth);
  }
  return text;
}

}  // namespace

std::span<const DirectiveWord> directive_words() {
  return kDirectives;
}
std::span<const DirectiveWord> argument_clauses() {
  return kArgumentClauses;
}
std::span<const DirectiveWord> generator_words() {
  return kGeneratorWords;
}
std::span<const DirectiveWord> parameter_clauses() {
  return kParameterClauses;
}
std::span<const DirectiveWord> reference_clauses() {
  return kReferenceClauses;
}
std::span<const DirectiveWord> problem_kinds() {
  return kProblemKindWords;
}

std::vector<std::string> words_of(std::span<const DirectiveWord> entries) {
  std::vector<std::string> words;
  for (const DirectiveWord& entry : entries) words.emplace_back(entry.word);
  return words;
}

std::string directive_reference() {
  std::string text =
      "Lines of a kernel file that begin with `#pragma tuner` describe a kernel. A line may have several\n"
      "directives, and a backslash at its end continues it. docs/directives.md is the manual.\n";
  text += section("Directives", kDirectives);
  text += section("Kinds of problem properties", kProblemKindWords);
  text += section("Clauses of `param` and `option`, behind the values", kParameterClauses);
  text += section("Clauses of arguments, behind the length or the type, with commas between them", kArgumentClauses);
  text += section("Generators of `in`, `inout` and `constant`: clauses too", kGeneratorWords);
  text += section("Clauses of `reference`, as in reference(plain_scale; grid(n) block(32))", kReferenceClauses);
  text +=
      "\n"
      "Values of parameters: numbers, true, false, names, types, \"texts\", and ranges such as 1..16,\n"
      "0..64 step 8 or 32..1024 x2. sorted(GENERATOR) sorts. Types: bool, int8 to int64, uint8 to uint64,\n"
      "half, bfloat16, float, double, and CUDA's vectors of them. Expressions: those of C or Python;\n"
      "/ is real division, // rounds down.\n";
  return text;
}

}  // namespace tuner
