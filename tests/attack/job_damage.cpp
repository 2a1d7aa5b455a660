#include "tests/attack/job_damage.hpp"

#include <cstdio>

#include "tests/attack/text_damage.hpp"

namespace tuner::attack {

namespace {

// {F}: the name of a file. {Q}: a question for one.

/// What a question may need.
const char* const kMacros[] = {"#define H __has_include",
                               "#define H(x) __has_include(x)",
                               "#define H C(__has_, include)",
                               "#define HAS __has_",
                               "#define INC include",
                               "#define C(a, b) a##b",
                               "#define C(a, ...) a##__VA_ARGS__",
                               "#define C(a, b) D(a, b)\n#define D(a, b) a##b",
                               "%:define C(a, b) a%:%:b",
                               "#define C(a, b) a?\?=?\?=b",
                               "#define C(a, b) a \\\n ## b",
                               "#define C(a, b) a##\\\nb",
                               "#define N \"{F}\"",
                               "#define N <{F}>",
                               "#define N (\"{F}\")",
                               "#define S(x) #x",
                               "__host__ __device__ constexpr int defined(int x) { return x; }",
                               "__host__ __device__ constexpr int ifdef(int x) { return x; }",
                               "#undef __has_include",
                               "#include <cuda/std/cstdint>",
                               "#pragma push_macro(\"__has_include\")"};

const char* const kQuestions[] = {"__has_include(\"{F}\")",
                                  "__has_include(<{F}>)",
                                  "__has_include_next(<{F}>)",
                                  "__has_embed(\"{F}\")",
                                  "__has_include N",
                                  "__has_include(N)",
                                  "__has_include /* */ (\"{F}\")",
                                  "__has_include\n(\"{F}\")",
                                  "__has_\\\ninclude(\"{F}\")",
                                  "__has_\\ \ninclude(\"{F}\")",
                                  "__has_?\?/\ninclude(\"{F}\")",
                                  "_CCCL_HAS_INCLUDE(<{F}>)",
                                  "_CCCL_PP_CAT(__has_, include)(\"{F}\")",
                                  "_CCCL_PP_CAT(_CCCL_HAS, _INCLUDE)(\"{F}\")",
                                  "_LIBCUDACXX_HAS_INCLUDE(<{F}>)",
                                  "__\\u0068as_include(\"{F}\")",
                                  "defined(__has_include N)",
                                  "defined(__has_include) N",
                                  "ifdef(__has_include N)",
                                  "defined __has_include N",
                                  "H(\"{F}\")",
                                  "H(<{F}>)",
                                  "H N",
                                  "C(__has_, include)(\"{F}\")",
                                  "C(__has_, include)(<{F}>)",
                                  "C(__has_, include_next)(<{F}>)",
                                  "C(C(__h, as_in), clude)(\"{F}\")",
                                  "C(HAS, INC)(\"{F}\")",
                                  "C(__, has_include)(\"{F}\")",
                                  "C(_, _has_include)(\"{F}\")",
                                  "MODE(\"{F}\")"};

/// Where it is asked.
const char* const kPlaces[] = {"#if {Q}\n#define FOUND 1\n#endif",
                               "#if {Q}\n#error found\n#endif",
                               "#if 0\n#elif {Q}\n#error found\n#endif",
                               "#if !defined FOUND && {Q}\n__device__ int found;\n#endif",
                               "__device__ int x[1 + {Q}];\nstatic_assert(sizeof x == 4, \"found\");",
                               "static_assert(!({Q}), \"found\");",
                               "enum { found = {Q} };\nstatic_assert(found == 0, \"found\");",
                               "#define FOUND {Q}\n#if FOUND\n#error found\n#endif",
                               "#line {Q}\n#error here",
                               "#pragma unroll {Q}\n",
                               "_Pragma(S(unroll {Q}))",
                               "template <int N = {Q}> struct Asked { int x[N]; };\n__device__ Asked<> asked;",
                               "#elifdef {Q}",
                               "{Q}"};

/// What opens a file.
const char* const kOpeners[] = {"#include \"{F}\"",
                                "#include <{F}>",
                                "%:include \"{F}\"",
                                "?\?=include \"{F}\"",
                                "#/* */include/* */\"{F}\"",
                                "# /*\n*/ include \"{F}\"",
                                "#\\\ninclude \"{F}\"",
                                "#inc\\\nlude \"{F}\"",
                                "#inc\\ \nlude \"{F}\"",
                                "#inc?\?/\nlude \"{F}\"",
                                "#include \"{F}\\\n\"",
                                "#include\v\"{F}\"",
                                "#include\r\"{F}\"",
                                "\r#include \"{F}\"",
                                "#include_next <{F}>",
                                "#import \"{F}\"",
                                "#embed \"{F}\"",
                                "__device__ const char x[] = {\n#embed \"{F}\"\n};",
                                "#include N",
                                "#include S({F})",
                                "#pragma include \"{F}\"",
                                "#pragma GCC dependency \"{F}\"",
                                "#pragma GCC system_header\n#include_next \"{F}\"",
                                "#pragma include_alias(\"cuda_fp16.h\", \"{F}\")\n#include \"cuda_fp16.h\"",
                                "#pragma hdrstop(\"{F}\")",
                                "#line 1 \"{F}\"\n#error here",
                                "# 1 \"{F}\" 1\n#include \"factor.cuh\"",
                                "#line 1 \"{D}/x.cu\"\n#include \"planted.cuh\"",
                                "#line 1 \"{D}/x.cu\"\n#if __has_include(\"planted.cuh\")\n#error found\n#endif",
                                "import \"{F}\";",
                                "import <{F}>;",
                                "export import \"{F}\";",
                                "module;\nimport \"{F}\";",
                                "/* */ import \"{F}\";",
                                "\xef\xbb\xbfimport \"{F}\";",
                                "imp\\\nort \"{F}\";",
                                "#define import import\nimport \"{F}\";",
                                "#define IMP import\nIMP \"{F}\";",
                                "import planted;",
                                "asm(\".file 1 \\\"{F}\\\"\");",
                                "asm(\".include \\\"{F}\\\"\");",
                                "__asm__(\".incbin \\\"{F}\\\"\");",
                                "const char* const text = R\"(\n#include \"{F}\"\n)\";",
                                "// what it is \\\n#include \"{F}\"",
                                "// what it is ?\?/\n#include \"{F}\"",
                                "/* \"\n#include \"{F}\"\n\" */",
                                "'\n#include \"{F}\"\n'",
                                "R\"x(/*)x\"\n#include \"{F}\"\nR\"x(*/)x\"",
                                "#if 0\n#include \"{F}\"\n#endif",
                                "#warning {F}"};

const char* const kOptions[] = {"--std=c++20",
                                "--std=c++20",
                                "--std=c++14",
                                "-DH=__has_include",
                                "-DH=__has_include",
                                "-DH=__has_include",
                                "-DMODE=__has_include",
                                "--define-macro=H=__has_include",
                                "-DH=__has_include(\\\"{F}\\\")",
                                "-DHAS=__has_",
                                "-DINC=include",
                                "-DC(a,b)=a##b",
                                "-DN=\\\"{F}\\\"",
                                "-D__has_include=1",
                                "-U__has_include",
                                "-I{D}",
                                "--include-path={D}",
                                "-include={F}",
                                "--pre-include={F}",
                                "--options-file={F}",
                                "--ptxas-options=--options-file={F}",
                                "--ptxas-options=-v",
                                "-time={F}",
                                "--create-pch={F}",
                                "--use-pch={F}",
                                "--pch-dir={D}",
                                "-lineinfo",
                                "-G",
                                "-w",
                                "--display-error-number",
                                "--no-source-include",
                                "--minimal",
                                "-default-device"};

/// Clauses of the description, which macros come from.
const char* const kClauses[] = {"",
                                "",
                                "",
                                "param(H, __has_include, other)",
                                "param(has, include, other)",
                                "param(__has, include, other)",
                                "param(MODE, __has_include, plain)",
                                "option(O, \"-DH=__has_include\", \"\")",
                                "option(O, \"-DHAS=__has_\", \"-DINC=include\")",
                                "option(O, \"\", \"-I{D}\")",
                                "define(H = n)",
                                "let(include = n)"};

/// What is given to the kernel.
const char* const kArguments[] = {"in(x, float, n) out(y, float, n)",
                                  "in(x, float, n) out(y, float, n)",
                                  "in(x, float, n) out(y, float, n)",
                                  "in(x, float, n, file(\"{F}\")) out(y, float, n)",
                                  "in(x, float, n, file(\"carried.bin\")) out(y, float, n)",
                                  "in(x, float, n) out(y, float, n, expect file(\"{F}\"))"};

const char* const kHeaderPieces[] = {"#pragma once\n", "#define FACTOR 2\n", "#include \"planted.cuh\"\n",
                                     "#include_next <planted.cuh>\n", "#define CAT(a, b) a##b\n"};

const char* const kHugePieces[] = {"#",      "\\\n",          "?\?/\n",   "import ", "/*",
                                   "__has_", "__has_include", "has_incl", "#\n",     "defined("};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// A folder, as it may be written where a job is compiled.
std::string folder_spelled(Chance& chance, const std::filesystem::path& sandbox) {
  const std::string root = sandbox.string();
  switch (chance.below(10)) {
    case 0:
      return "..";
    case 1:
      return "../outside";
    case 2:
      return ".";
    case 3:
      return "outside";
    case 4:
      return "/" + root;
    case 5:
      return root + "/./outside/../out";
    case 6:
      return "/proc/self/cwd";
    case 7:
      return "/proc/self/root" + root + "/outside";
    case 8:
      return "x/../..";
    default:
      return root + "/outside";
  }
}

std::string file_spelled(Chance& chance, const std::filesystem::path& sandbox) {
  const std::string folder = folder_spelled(chance, sandbox);
  if (folder == "." && chance.once_in(2)) return kPlanted;
  std::string name = folder + "/" + kPlanted;
  if (chance.once_in(20)) name = "file://" + name;
  if (chance.once_in(20)) name = replaced(name, "/", "\\");
  if (chance.once_in(20)) name = replaced(name, "planted", "plan\\\nted");
  if (chance.once_in(30)) name += chance.one_of({" ", "/.", "\t", "?\?/", "\\"});
  return name;
}

/// The same text in quotes of a directive: any character may be written by its number there.
std::string spelled_in_quotes(Chance& chance, const std::string& text) {
  if (chance.once_in(2)) return text;
  const std::size_t at = chance.below(text.size());
  if (text[at] == '\\' || (at > 0 && text[at - 1] == '\\')) return text;
  char number[8];
  std::snprintf(number, sizeof number, "\\x%02x", static_cast<unsigned char>(text[at]));
  return text.substr(0, at) + number + text.substr(at + 1);
}

/// A few lines that ask or open, in any order with what they may need.
std::string hostile_lines(Chance& chance) {
  std::string lines;
  for (std::size_t left = chance.below(3); left > 0; --left) lines += std::string(chance.one_of(kMacros)) + "\n";
  if (chance.once_in(3)) return lines + chance.one_of(kOpeners) + "\n";
  std::string asked = chance.one_of(kQuestions);
  // With what it needs, mostly.
  if (asked.starts_with("C(") && !chance.once_in(5)) lines += "#define C(a, b) D(a, b)\n#define D(a, b) a##b\n";
  if (asked.starts_with("H") && chance.once_in(2)) lines += "#define H __has_include\n";
  if (asked.find(" N") != std::string::npos && !chance.once_in(5)) lines += "#define N (\"{F}\")\n";
  if (asked.starts_with("defined(") || asked.starts_with("ifdef("))
    lines += "__host__ __device__ constexpr int " + asked.substr(0, asked.find('(')) + "(int x) { return x; }\n";
  return lines + replaced(chance.one_of(kPlaces), "{Q}", asked) + "\n";
}

/// A question with all that it needs. {A} and {B}: the word of one, cut anywhere.
struct Recipe {
  const char* macros;
  const char* question;
  std::vector<std::string> options = {};
};
const Recipe kRecipes[] = {
    {"#define H {A}{B}", "H(\"{F}\")"},
    {"#define H(x) {A}{B}(x)", "H(\"{F}\")"},
    {"#define C(a, b) a##b", "C({A}, {B})(\"{F}\")"},
    {"#define C(a, b) D(a, b)\n#define D(a, b) a##b\n#define X {A}", "C(X, {B})(<{F}>)"},
    {"%:define C(a, b) a%:%:b", "C({A}, {B})(\"{F}\")"},
    {"#define C(b) {A}##b", "C({B})(\"{F}\")"},
    {"#define C(a) a##{B}", "C({A})(\"{F}\")"},
    {"#define N (\"{F}\")\n__host__ __device__ constexpr int defined(int x) { return x; }", "defined({A}{B} N)"},
    {"#define N (\"{F}\")\n#define ifdef(x) x N", "ifdef({A}{B})"},
    {"#define N (\"{F}\")\n#define defined_ defined\n#define E(a, b) b N", "E(, {A}{B})"},
    {"", "{A}\\\n{B}(\"{F}\")"},
    {"", "H(\"{F}\")", {"-DH={A}{B}"}},
    {"", "H", {"-DH={A}{B}(<{F}>)"}},
    {"", "C({A}, {B})(\"{F}\")", {"-DC(a,b)=a##b"}},
    {"#define C(a, b) D(a, b)\n#define D(a, b) a##b", "C(P, Q)(\"{F}\")", {"-DP={A}", "-DQ={B}"}}};
const char* const kTellingPlaces[] = {
    "#if {Q}\n#error found\n#endif", "__device__ int x[1 + {Q}];\nstatic_assert(sizeof x == 4, \"found\");",
    "static_assert(!({Q}), \"found\");", "enum { found = {Q} };\nstatic_assert(found == 0, \"found\");",
    "#define FOUND {Q}"};

/// Adds to the options of the job, and returns lines for its source.
std::string lines_of_recipe(Chance& chance, HostileJob& job) {
  const std::string word = chance.one_of({"__has_include", "__has_include", "__has_include_next", "__has_embed"});
  const std::size_t cut = 1 + chance.below(word.size() - 1);
  const auto in_parts = [&](std::string text) {
    return replaced(replaced(std::move(text), "{A}", word.substr(0, cut)), "{B}", word.substr(cut));
  };
  const Recipe& recipe = chance.one_of(kRecipes);
  for (const std::string& option : recipe.options) job.options.push_back(in_parts(option));
  return in_parts(recipe.macros) + "\n" + replaced(chance.one_of(kTellingPlaces), "{Q}", in_parts(recipe.question)) +
         "\n";
}

std::string source_with(const std::string& clause, const std::string& arguments,
                        const std::vector<std::string>& options, const std::string& lines, const std::string& in_body) {
  std::string quoted;
  for (const std::string& option : options) quoted += (quoted.empty() ? " options(\"" : ", \"") + option + "\"";
  if (!quoted.empty()) quoted += ")";
  return "#pragma tuner kernel(scale) problem(n: size = 1000, T: constant = float) param(BLOCK, 128, 64) " + clause +
         "\n#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)" + quoted + "\n#pragma tuner " + arguments +
         " scalar(n, int32)\n" + lines +
         "#include \"factor.cuh\"\n"
         "#ifndef FOUND\n#define FOUND 0\n#endif\n"
         "extern \"C\" __global__ void scale(const float* x, float* y, int n) {\n" +
         in_body +
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < n) y[i] = FACTOR * x[i] + FOUND;\n}\n";
}

}  // namespace

HostileJob hostile_job(Chance& chance, const std::filesystem::path& sandbox) {
  const std::string file = file_spelled(chance, sandbox), folder = folder_spelled(chance, sandbox);
  const auto named = [&](std::string text) { return replaced(replaced(std::move(text), "{F}", file), "{D}", folder); };
  HostileJob job;
  const bool in_one_piece = chance.once_in(2);
  std::string asked = in_one_piece ? lines_of_recipe(chance, job) : hostile_lines(chance);
  for (std::size_t left = chance.once_in(in_one_piece ? 6 : 2) ? chance.below(3) : 0; left > 0; --left)
    job.options.push_back(chance.one_of(kOptions));
  for (std::string& option : job.options) option = spelled_in_quotes(chance, named(option));
  const bool in_header = chance.once_in(4), in_body = chance.once_in(6);
  const std::string lines = named(asked);
  const std::string clause = in_one_piece ? "" : named(chance.one_of(kClauses));
  job.source = source_with(clause, named(in_one_piece ? kArguments[0] : chance.one_of(kArguments)), job.options,
                           in_header || in_body ? "" : lines, in_body ? lines : "");
  std::string header = in_header ? lines : "";
  for (std::size_t left = chance.below(2); left > 0; --left) header += chance.one_of(kHeaderPieces);
  job.headers.emplace_back("factor.cuh", header + "#define FACTOR 2\n");
  if (chance.once_in(20)) job.headers.emplace_back(file, "#define CARRIED 1\n");
  if (chance.once_in(12)) job.data.emplace_back(chance.once_in(2) ? file : "carried.bin", std::string(16, '\0'));
  job.problem = chance.one_of({"n=1000,T=float", "n=1000,T=float", "n=1000,T=float", "n=1000,T=float", "n=1000",
                               "n=1000,T=__has_include", "n=1000,T=include", "n=1000,T=\"{F}\"", "n=-1", ""});
  job.problem = named(job.problem);
  if (chance.once_in(in_one_piece ? 30 : 6)) job.source = damage_source(chance, std::move(job.source));
  if (chance.once_in(60)) {
    const std::string piece = chance.one_of(kHugePieces);
    const std::size_t length = chance.once_in(2) ? 200'000 : 4'000'000;
    std::string huge = piece;
    while (huge.size() < length) huge += huge;
    (chance.once_in(2) ? job.source : job.headers.front().second) += "\n" + huge.substr(0, length);
  }
  return job;
}

}  // namespace tuner::attack
