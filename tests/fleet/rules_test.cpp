// What of a job is refused, before anything of it is compiled.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/fleet/job/include_rules.hpp"
#include "tuner/fleet/job/package.hpp"
#include "tuner/fleet/job/sha256.hpp"

using namespace tuner;
using namespace tuner::fleet;
using tuner::test::contains;
using tuner::test::error_of;
using tuner::test::TemporaryFolder;

namespace {

const std::string kKernel = R"(
#pragma tuner kernel(scale) problem(n: size = 1000) param(BLOCK, 128, 64, 256)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#include "factor.cuh"
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = FACTOR * x[i];
}
)";

/// A kernel in a folder of its user's.
struct Written {
  TemporaryFolder folder;
  std::filesystem::path file;
  explicit Written(const std::string& text = kKernel) {
    file = folder.write("scale.cu", text);
    folder.write("factor.cuh", "#define FACTOR 2\n");
  }
  KernelDescription kernel() const {
    return choose_description(parse_descriptions(test::read_bytes(file), file), file, "");
  }
  Package package() const {
    Package package = pack_job(kernel(), Timing::cold, Effort::quick);
    package.spec.problem = "n=1000";
    return package;
  }
};

std::string refused(const Package& package) {
  const TemporaryFolder folder;
  return error_of([&] { unpack_job(package, folder.path()); });
}

/// A package whose source says something else than what was packed.
Package with_source(const std::string& text) {
  Package package = Written().package();
  package.spec.source.hash = sha256(text);
  package.contents[package.spec.source.hash] = text;
  return package;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("sha256 is that of the standard") {
  CHECK(hexadecimal(sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hexadecimal(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hexadecimal(sha256(std::string(1'000'000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a job comes out as it went in, with its headers in memory and its data in the folder") {
  const Written written(replaced(kKernel, "in(x, float, n)", "in(x, float, n, file(\"data/x.raw.npy\"))"));
  written.folder.write("data/x.raw.npy", "bytes");
  const Package package = written.package();
  Package sent = package;
  sent.spec = job_from_json(to_json(package.spec));
  const TemporaryFolder folder;
  const KernelDescription kernel = unpack_job(sent, folder.path());
  CHECK(kernel.source == written.kernel().source);
  CHECK(kernel.given_headers == std::vector<Header>{{"factor.cuh", "#define FACTOR 2\n"}});
  CHECK(test::read_bytes(folder / "data/x.raw.npy") == "bytes");
  CHECK_FALSE(std::filesystem::exists(folder / "factor.cuh"));
}

TEST_CASE("names that lead out of a job are refused") {
  for (const char* const name : {"/etc/passwd", "../x", "a/../../x", "a/..", "..", "", "a\\b", "a\nb"}) {
    CAPTURE(name);
    CHECK(why_escapes(name));
  }
  for (const char* const name : {"x.cuh", "a/b.cuh", "..x", "a..b/c", "./x"}) {
    CAPTURE(name);
    CHECK_FALSE(why_escapes(name));
  }
}

TEST_CASE("an include that a compiler would see is seen, however it is written") {
  for (const char* const text : {
           "#include \"/etc/passwd\"",
           "#include </etc/passwd>",
           "#include \"../x\"",
           "  #  include\t\"/etc/passwd\"",
           "#inc\\\nlude \"/etc/passwd\"",
           "#include \\\n \"/etc/passwd\"",
           "#inc\\  \nlude \"/etc/passwd\"",
           "#inc?\?/\nlude \"/etc/passwd\"",
           "%:include \"/etc/passwd\"",
           "?\?=include \"/etc/passwd\"",
           "#/* a */include/* b */\"/etc/passwd\"",
           "#/* a\n b */include \"/etc/passwd\"",
           "const char* a = R\"(/*)\";\n#include \"/etc/passwd\"\n// */",
           "#if 0\n#include \"/etc/passwd\"\n#endif",
           "#define X \"/etc/passwd\"\n#include X",
           "#include_next \"/etc/passwd\"",
           "#import \"/etc/passwd\"",
           "#embed \"/etc/passwd\"",
           "#include \"x\n\"",
           "#include",
           "#if __has_include(\"/etc/passwd\")\n#endif",
           "#if __has_include ( X )\n#endif",
           "#if __has_\\\ninclude(</etc/passwd>)\n#endif",
           "#define H __has_include\n#if H(\"/etc/passwd\")\n#endif",
           "#define H(x) __has_include(x)",
           "static_assert(_CCCL_HAS_INCLUDE(\"/etc/passwd\"))",
           "#define X _CCCL_HAS_INCLUDE",
           "import \"/etc/passwd\";",
           "import </etc/passwd>;",
           "export import \"/etc/passwd\";",
           "export\n  import\t\"/etc/passwd\";",
           "\xef\xbb\xbfimport/**/\"/etc/passwd\";",
           "/* a\n */ imp\\\nort \"/etc/passwd\";",
           "#define X \"/etc/passwd\"\nimport X;",
       }) {
    CAPTURE(text);
    CHECK(why_includes_escape(text));
  }
  CHECK(why_includes_escape(std::string("int a;\0 int b;", 14)));
  for (const char* const text : {
           "#include <cuda_fp16.h>\n#include \"factor.cuh\"",
           "#define include 1\nint a = include;",
           "// see the include of x",
           "// of all that we import, the first\nint import = 1;",
           "#if defined(FAST) && FAST > 3\n#elif __CUDA_ARCH__ >= 800\n#elif TILE_SIZE == 16 // as many\n#endif",
           "#define AT_LEAST(major, minor) (CUDA_VERSION >= 1000 * major + 10 * minor)\n#if AT_LEAST(12, 0)\n#endif",
           "#pragma unroll\n#included",
       }) {
    CAPTURE(text);
    CHECK_FALSE(why_includes_escape(text));
  }
}

TEST_CASE("a question for a file cannot be pasted together, in conditions or elsewhere") {
  const std::string paste = "#define C(a, b) a##b\n";
  for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
           {paste + "#if C(__has_, include)(\"/etc/passwd\")\n#endif"},
           {paste + "#if C(C(__h, as_in), clude)(\"/etc/passwd\")\n#endif"},
           {"%:define C(a, b) a%:%:b\n%:if C(__has_, include)(\"/etc/passwd\")\n%:endif"},
           {paste + "__device__ int x[C(__has_, include)(\"/etc/passwd\") + 1];"},
           {paste + "#pragma unroll C(__has_, include)(\"/etc/passwd\")\n"},
           {paste + "_Pragma(\"unroll C(__has_, include)(\\\"/etc/passwd\\\")\")"},
           {paste + "#line C(__has_, include)(\"/etc/passwd\")\n"},
           {paste + "__device__ int x = C(__has_, include_next)(\"/etc/passwd\");"},
           {"#define H __has_##include"},
           {"#define H __has_ \\\n ## include"},
           {"#define H(x) x##_include", "H(__has)"},
           {"-DA=__has_", "-DB=include"},
           {"_CCCL_PP_CAT(_CCCL_HAS, _INCLUDE)(\"/etc/passwd\")"},
           // The toolkit has macros that put underscores before a word.
           {"TOOLKIT(has_include)(\"/etc/passwd\")"},
       }) {
    CAPTURE(texts.front());
    CHECK(why_pasting_escapes(texts));
  }
  for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
           {"#include <cuda_fp16.h>\n// has an input in one layout, _ in the other\n#define NAME(a, b) a##_##b"},
           {"#define HAS_FAST_PATH 1\nint has, h, a, s, e, i, n, c, l, u, d;"},
       }) {
    CAPTURE(texts.front());
    CHECK_FALSE(why_pasting_escapes(texts));
  }
}

TEST_CASE("macros and names like `defined` hid a question for a file, so the word alone is refused") {
  const std::string name = "#define N (\"/etc/passwd\")\n#define xyz /etc/passwd\n";
  for (const std::string text : {
           "constexpr int defined(int v) { return v; }\n__device__ int x[1 + defined(__has_include N)];",
           "#define ifdef(x) x N\n__device__ int x[1 + ifdef(__has_include)];",
           "#if defined(__has_include N)\n#endif",
           "#define Z(x) xx##x N\n#if Z(defined __has_include) == 2\n#endif",
           "#define H __has_include(<xyz>)\n#if H\n#endif",
           "#if ID(__has_include(<xyz>))\n#endif",
           "#if __has_include(<xyz>)\n#endif",
           "#if _CCCL_HAS_INCLUDE(<xyz>)\n#endif",
           "#ifdef __has_include\n#endif",
           "__device__ int here[1 + ID(__has_embed(<xyz>))];",
       }) {
    CAPTURE(text);
    CHECK(why_includes_escape(name + text));
  }
  CHECK_FALSE(why_includes_escape("#ifdef has_include\n#endif\nint my__has_include;"));
}

TEST_CASE("a compiler option hid a question for a file from who read the source") {
  const std::string hidden = "\"-DH=__ha\\x73_include\"";
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"grid(", "options(" + hidden + ") grid("},
                                 {"param(BLOCK", "option(O, " + hidden + ", \"\") param(BLOCK"}}) {
    const std::string said = refused(with_source(replaced(kKernel, from, to)));
    CHECK_MESSAGE(contains(said, "of the compiler option"), said);
  }
}

TEST_CASE("a job's words are counted wherever they come from") {
  const auto refused_with = [](const std::string& from, const std::string& to, const std::string& more = "") {
    const std::string said = refused(with_source(more + replaced(kKernel, from, to)));
    CHECK_MESSAGE(contains(said, "could paste"), said);
  };
  refused_with("extern", "#define C(a, b) a##b\n__device__ int y[C(__has_, include)(\"/etc/shadow\") + 1];\nextern");
  refused_with("grid(", "options(\"-DA=__has_\", \"-DB=include\") grid(");
  // The `#define` of a named value is `has_include` then.
  refused_with("param(BLOCK", "param(has, include, other) param(BLOCK");
}

TEST_CASE("the kernels that are shipped can be jobs") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TUNER_KERNEL_SOURCES)) {
    if (entry.path().extension() != ".cu") continue;
    CAPTURE(entry.path().string());
    for (const KernelDescription& kernel : parse_descriptions(test::read_bytes(entry.path()), entry.path())) {
      const TemporaryFolder folder;
      CHECK(error_of([&] { unpack_job(pack_job(kernel, Timing::cold, Effort::quick), folder.path()); }) == "no error");
      ++count;
    }
  }
  CHECK(count >= 10);
}

TEST_CASE("hostile jobs are refused with one sentence before anything is compiled") {
  const auto with_line = [](const std::string& line) { return with_source(line + "\n" + kKernel); };
  const auto with_option = [](const std::string& option) {
    return with_source(replaced(kKernel, "grid(", "options(\"" + option + "\") grid("));
  };
  struct Hostile {
    Package package;
    std::string sentence;
  };
  Package forged = Written().package();
  forged.contents[forged.spec.source.hash] += "// more\n";
  Package missing = Written().package();
  missing.contents.erase(missing.spec.headers.front().hash);
  Package escaping = Written().package();
  escaping.spec.headers.front().name = "../factor.cuh";
  Package elsewhere = Written().package();
  elsewhere.spec.source.name = "../../tmp/scale.cu";
  Package unnamed = Written().package();
  unnamed.spec.kernel = "scale'; DROP TABLE job; --";
  for (const auto& [package, sentence] : std::vector<Hostile>{
           {with_line("#include \"/etc/passwd\""), "an absolute name"},
           {with_line("#include <../../etc/passwd>"), "a name with `..`"},
           {with_line("#define X </etc/passwd>\n#include X"), "whose name is computed"},
           {with_option("-I/etc"), "names a folder of another machine"},
           {with_option("--include-path=/etc"), "names a folder of another machine"},
           {with_option("--time=/tmp/times"), "is not allowed"},
           {with_option("--ptxas-options=--compiler-stats-file=/tmp/x"), "is not allowed"},
           {with_source(replaced(kKernel, "in(x, float, n)", "in(x, float, n, file(\"../../etc/shadow\"))")), "`..`"},
           {with_source(replaced(kKernel, "out(y, float, n)", "out(y, float, n, expect file(\"/etc/shadow\"))")),
            "an absolute name"},
           {with_source(kKernel + "// changed\n#define MORE 1\n"), "not what was submitted"},
           {forged, "not what was submitted"},
           {missing, "not in the queue"},
           {escaping, "`..`"},
           {elsewhere, "not that of a file"},
           {unnamed, "DROP TABLE"},
       }) {
    const std::string said = refused(package);
    CAPTURE(said);
    CHECK(contains(said, sentence));
    CHECK_FALSE(contains(said, "root:"));
  }
}

TEST_CASE("what is no job is refused with one sentence") {
  const std::string job = to_json(Written().package().spec);
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"format\": 1}"), replaced(job, "\"format\":1", "\"format\":2"),
        replaced(job, "cold", "hot"), replaced(job, "quick", "slow"), replaced(job, "\"sha256\":\"", "\"sha256\":\"zz"),
        replaced(job, "\"headers\":[", "\"headers\":[7,")}) {
    CAPTURE(text);
    CHECK(contains(error_of(Errc::bad_description, [&] { job_from_json(text); }), "This is no job"));
  }
}

TEST_CASE("a byte of a job that was changed is an error or another job, and nothing worse") {
  const std::string job = to_json(Written().package().spec);
  for (std::size_t at = 0; at < job.size(); ++at) {
    for (const char byte : {'0', 'z', '"', '}', '\\', '\xff'}) {
      std::string changed = job;
      changed[at] = byte;
      try {
        job_from_json(changed);
      } catch (const Error& error) {
        if (error.code() != Errc::bad_description) FAIL_CHECK(error.what());
      }
    }
  }
}

TEST_CASE("submitting refuses what workers would refuse") {
  const Written written("#include \"../outside.cuh\"\n" + kKernel);
  CHECK(contains(error_of(Errc::bad_description, [&] { written.package(); }), "a name with `..`"));
}
