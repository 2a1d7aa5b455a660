#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "search/expression/quoting.hpp"
#include "tests/core/support.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/source_text.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/task/identity.hpp"

using namespace tuner;
using namespace tuner::test;
namespace fs = std::filesystem;

namespace {

struct Folder : TemporaryFolder {
  std::string names(const std::string& source, const std::vector<fs::path>& include_folders = {}) const {
    KernelDescription description;
    description.file = path() / "k.cu";
    description.blanked_source = source;
    std::string result;
    for (const Header& header : quoted_headers(description, include_folders)) result += header.name + ";";
    return result;
  }
};

}  // namespace

TEST_CASE("quoted headers are found beside the file that includes them, in order of inclusion") {
  const Folder folder;
  folder.write("a.h", "#include \"sub/b.h\"\n#include \"d.h\"\n");
  folder.write("sub/b.h", "#include \"c.h\"\n");
  folder.write("sub/c.h", "");
  folder.write("d.h", "");
  folder.write("e.h", "");
  CHECK(folder.names("#include \"a.h\"\n # include\"e.h\" // last\n#include \"d.h\"\n") == "a.h;sub/b.h;c.h;d.h;e.h;");
}

TEST_CASE("headers that include each other end") {
  const Folder folder;
  folder.write("a.h", "#include \"b.h\"\n");
  folder.write("b.h", "#include \"a.h\"\n#include \"b.h\"\n");
  CHECK(folder.names("#include \"a.h\"\n") == "a.h;b.h;");
}

TEST_CASE("includes in comments, strings and angle brackets are not followed, nor are missing files and folders") {
  const Folder folder;
  folder.write("a.h", "");
  folder.write("folder/x", "");
  CHECK(folder.names("// #include \"a.h\"\n/*\n#include \"a.h\"\n*/\nauto s = R\"(\n#include \"a.h\"\n)\";\n"
                     "#include <a.h>\n#include \"missing.h\"\n#include \"folder\"\n#include NAME\n#include \"\"\n") ==
        "");
}

TEST_CASE("include folders come after the including file's own, and a toolkit's are never entered") {
  const Folder folder;
  const Folder includes;
  const Folder toolkit;
  folder.write("both.h", "");
  includes.write("both.h", "#error\n");
  includes.write("far.h", "#include \"near.h\"\n");
  includes.write("near.h", "");
  toolkit.write("cuda_runtime_api.h", "");
  toolkit.write("cuda_fp16.h", "");
  toolkit.write("cccl/cub/cub.h", "");
  CHECK(folder.names("#include \"both.h\"\n#include \"far.h\"\n#include \"cuda_fp16.h\"\n#include \"cub/cub.h\"\n",
                     {toolkit.path(), toolkit.path() / "cccl", includes.path()}) == "both.h;far.h;near.h;");
}

TEST_CASE("standard headers follow the user's own, with what they include, and a user's takes their place") {
  const Folder folder;
  const Folder includes;
  folder.write("a.h", "#include <cassert>\n#include \"b.h\"\n");
  folder.write("b.h", "");
  folder.write("limits.h", "");
  includes.write("own.h", "#include <cstdio>\n#include \"deep/er.h\"\n");
  includes.write("deep/er.h", "#include <float.h>\n#include <own.h>\n");
  includes.write("cstring", "");
  CHECK(folder.names("#include <cstdint>\n#include \"a.h\"\n") ==
        "a.h;b.h;cassert;__tuner/assert.h;cstdint;__tuner/stdint.h;__tuner/limits.h;");
  CHECK(folder.names("#include \"limits.h\"\n#include <limits.h>\n") == "limits.h;");
  CHECK(folder.names("#include <own.h>\n#include <cstring>\n", {includes.path()}) == "float.h;cstdio;");
  CHECK(folder.names("#include <own.h>\n#include <cuda_fp16.h>\n") == "");
  CHECK(folder.names("#include \"cuda_runtime.h\"\n").starts_with("cuda_runtime.h;"));
  CHECK(folder.names("#include <cuda.h>\n") == "cuda.h;__tuner/stdint.h;__tuner/limits.h;");
}

TEST_CASE("standard headers that NVRTC does not come to are left out") {
  const Folder folder;
  for (const char* source : {"#ifndef __CUDACC_RTC__\n#include <cmath>\n#endif\n", "#if 0\n#include <cmath>\n#endif\n",
                             "// #include <cmath>\n", "#ifdef __CUDACC_RTC__\n#else\n#include <cmath>\n#endif\n",
                             "#if !defined( __CUDACC_RTC__ )\n#include <cmath>\n#endif\n"})
    CHECK(folder.names(source) == "");
  for (const char* source :
       {"#ifdef __CUDACC_RTC__\n#include <float.h>\n#endif\n", "#if 0\n#else\n#include <float.h>\n#endif\n",
        "#ifndef __CUDACC_RTC__\n#else\n#include <float.h>\n#endif\n"})
    CHECK(folder.names(source).ends_with("float.h;"));
}

TEST_CASE("headers that were given with a text are found again in the same order") {
  const Folder folder;
  folder.write("a.h", "#include \"stdint.h\"\n");
  const std::string source = "#include \"cuda_runtime.h\"\n#include <cmath>\n#include \"a.h\"\n";
  const std::vector<Header> found = quoted_headers(source, folder.path() / "k.cu", {}, {});
  CHECK(found == quoted_headers(source, "elsewhere.cu", found, {}));
}

TEST_CASE("of headers of a program, too, functions of the host are left out") {
  const Folder folder;
  folder.write("a.h", "inline void check(int status) { x; }\nenum { x };\n");
  const std::vector<Header> found = quoted_headers("#include \"a.h\"\n", folder.path() / "k.cu", {}, {});
  CHECK(blank_host_code(found, "") == found);
  CHECK(blank_host_code(found, "int main() {}\n").front().text == std::string(36, ' ') + "\nenum { x };\n");
  KernelDescription description;
  const std::vector<Header> longer{{"a.h", "inline void check(int) {\n}\n\nint x;\n"}};
  CHECK(kernel_identity(description, longer) != kernel_identity(description, {{"a.h", "int x;\n"}}));
  description.is_program = true;
  CHECK(kernel_identity(description, longer) == kernel_identity(description, {{"a.h", "int x;\n"}}));
  CHECK(kernel_identity(description, longer) != kernel_identity(description, {{"a.h", "int y;\n"}}));
}

TEST_CASE("what only the runtime's header brings is no part of a kernel's identity, which was there before it") {
  const Folder folder;
  const auto identity = [&](const std::string& includes) {
    KernelDescription description;
    description.kernel = "scale";
    description.blanked_source = "__global__ void scale() {}\n";
    return kernel_identity(description, quoted_headers(includes, folder.path() / "k.cu", {}, {}));
  };
  const std::string none = identity("");
  for (const char* header : {"cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h"})
    CHECK(identity(fmt::format("#include <{}>\n", header)) == none);
  CHECK(identity("#include <cuda_runtime.h>\n#include <cstdint>\n") == identity("#include <cstdint>\n"));
  CHECK(identity("#include <cstdint>\n") != none);
}

TEST_CASE("standard headers that the compiler may never come to are given to it, and no part of the identity") {
  const Folder folder;
  folder.write("guarded.h", "#ifndef GUARDED_H\n#define GUARDED_H\n#include <cmath>\n#endif\n");
  folder.write("own.h", "#include <limits>\n");
  const auto identity = [&](const std::string& includes) {
    std::vector<Header> headers = quoted_headers(includes, folder.path() / "k.cu", {}, {});
    std::erase_if(headers, [](const Header& header) { return !is_standard(header); });
    KernelDescription description;
    description.kernel = "scale";
    description.blanked_source = "__global__ void scale() {}\n";
    return kernel_identity(description, headers);
  };
  const auto under = [](const std::string& include) { return "#ifdef STANDALONE\n" + include + "#endif\n"; };
  const std::string none = identity("");
  const std::string cmath = identity("#include <cmath>\n");
  CHECK(cmath != none);
  CHECK(identity(under("#include <cstdio>\n")) == none);
  CHECK(identity(under("#include \"own.h\"\n")) == none);
  CHECK(identity(under("#include <cuda_runtime.h>\n#include <cstdint>\n")) == none);
  CHECK(identity("#include <cmath>\n" + under("#include <cstdio>\n")) == cmath);
  CHECK(identity(under("#include <cmath>\n") + "#include \"guarded.h\"\n") == cmath);
  CHECK(identity("#ifdef __CUDACC_RTC__\n#include <cmath>\n#endif\n") == cmath);
  CHECK(folder.names(under("#include <cstdio>\n")) == "__tuner/uncounted;cstdio;");
  CHECK(folder.names("#include <cfloat>\n" + under("#include <float.h>\n#include <cstdio>\n")) ==
        "cfloat;__tuner/float.h;__tuner/uncounted;float.h;cstdio;");
}

TEST_CASE("the runtime's header brings no integers where the source has its own") {
  const Folder folder;
  const auto text = [&](const std::string& more) {
    for (const Header& header : quoted_headers("#include <cuda_runtime.h>\n" + more, folder.path() / "k.cu", {}, {})) {
      if (header.name == "__tuner/cstdint") return header.text;
    }
    return std::string();
  };
  CHECK(text("typedef unsigned long uint64_t;\n") == empty_header());
  CHECK(text("using int64_t = long;\n") == empty_header());
  for (const char* others : {"typedef int number;\n", "// using uint32_t;\n", "/* typedef long int64_t; */\n",
                             "typedef int4 int_4_t;\n", "using intern_t = int;\n", "using uint128_t = ulong2;\n"})
    CHECK(text(others) == *standard_header("cstdint"));
}

TEST_CASE("a folder that options name may have standard headers of its own, which the compiler finds") {
  const Folder folder;
  const Folder includes;
  includes.write("cstdint", "");
  includes.write("own.h", "#include <cfloat>\n");
  for (const char* option : {"\"-I{}\"", "\"-I\", \"{}\"", "\"--include-path={}\""}) {
    const std::string directives =
        fmt::format("#pragma tuner kernel(k) grid(1) block(1) out(x, float, 1) options({})\n",
                    fmt::format(fmt::runtime(option), includes.path().string()));
    CHECK(folder.names(directives + "#include <cstdint>\n#include \"own.h\"\n") == "cfloat;__tuner/float.h;");
  }
}

TEST_CASE("ours include each other, whatever the user's are called") {
  const Folder folder;
  folder.write("limits.h", "int a;\n");
  CHECK(folder.names("#include \"limits.h\"\n#include <cstdint>\n") ==
        "limits.h;cstdint;__tuner/stdint.h;__tuner/limits.h;");
}

TEST_CASE("names of standard headers are known as a whole") {
  for (const char* name : {"vector", "thrust/unique.h", "any", "sys/times.h", "boost/algorithm/string.hpp"})
    CHECK(standard_header(name) == empty_header());
  for (const char* name : {"", "vecto", "ector", "thrust/unique.h ", " any", "any bitset", "__tuner/vector"})
    CHECK(!standard_header(name));
}

TEST_CASE("headers that only the host needs do not count in a kernel's identity") {
  KernelDescription description;
  description.kernel = "scale";
  description.blanked_source = "__global__ void scale() {}\n";
  const std::string none = kernel_identity(description, {});
  CHECK(kernel_identity(description, {{"vector", "namespace std {}\n"}}) == none);
  CHECK(kernel_identity(description, {{"vector", "namespace std { int x; }\n"}}) != none);
  CHECK(kernel_identity(description, {{"assert.h", std::string(*standard_header("assert.h"))}}) != none);
}

TEST_CASE("two headers of one name in different folders are told apart, wherever the folders are") {
  std::vector<Header> found;
  for (int turn = 0; turn < 2; ++turn) {
    const Folder folder;
    folder.write("a.h", "#include \"sub/b.h\"\n#include \"c.h\"\n");
    folder.write("sub/b.h", "# include /* its own */ \"c.h\" // 2\n#include \"d.h\"\n");
    folder.write("sub/c.h", "#include \"d.h\"\nint sub_c;\n");
    folder.write("sub/d.h", "");
    folder.write("c.h", "int c;\n");
    const std::string source = "#include \"a.h\"\n";
    found = quoted_headers(source, folder.path() / "k.cu", {}, {});
    const std::vector<Header> expected{
        {"a.h", "#include \"sub/b.h\"\n#include \"c.h\"\n"},
        {"sub/b.h", "# include /* its own */ \"sub/c.h\" // 2\n#include \"d.h\"\n"},
        {"sub/c.h", "#include \"d.h\"\nint sub_c;\n"},
        {"d.h", ""},
        {"c.h", "int c;\n"},
    };
    CHECK(found == expected);
    CHECK(found == quoted_headers(source, "elsewhere.cu", found, {}));
  }
}

TEST_CASE("the names that a source says stay, and headers of the same names get others") {
  const Folder folder;
  const Folder includes;
  folder.write("lib/api.h", "#include \"detail/config.h\"\n");
  folder.write("lib/detail/config.h", "int lib;\n");
  includes.write("detail/config.h", "int other;\n");
  CHECK(folder.names("#include \"lib/api.h\"\n#include \"detail/config.h\"\n", {includes.path()}) ==
        "lib/api.h;lib/detail/config.h;detail/config.h;");
}

TEST_CASE("a source that says one name of two files is refused") {
  const Folder folder;
  const Folder includes;
  folder.write("config.h", "int own;\n");
  includes.write("config.h", "int other;\n");
  const std::string message =
      error_of([&] { folder.names("#include \"config.h\"\n#include <config.h>\nint main() {}\n", {includes.path()}); });
  CHECK(message.starts_with("The source includes two files as config.h: "));
  CHECK(message.ends_with("The compiler cannot tell them apart. Rename one of the two."));
}

TEST_CASE("one file that says #pragma once is there once under two names, as through a symbolic link") {
  const Folder folder;
  folder.write("same.h", "# pragma once\nint same;\n");
  folder.write("twice.h", "int twice;\n");
  fs::create_symlink("same.h", folder.path() / "link.h");
  fs::create_symlink("twice.h", folder.path() / "again.h");
  std::string source = "#include \"same.h\"\n#include \"link.h\"\n#include \"twice.h\"\n#include \"again.h\"\n";
  const std::vector<Header> found = quoted_headers(source, folder.path() / "k.cu", {}, {});
  const std::vector<Header> compiled = blank_host_code(found, "");
  CHECK(compiled[0] == found[0]);
  CHECK(compiled[1] == Header{"link.h", "#include \"same.h\"\n"});
  CHECK(compiled[2] == found[2]);
  CHECK(compiled[3] == found[3]);
}

TEST_CASE("a macro of one header says of functions in another whose they are") {
  const std::vector<Header> headers{
      {"config.h", "#define HOST __host__\n#define BOTH HOST __device__\n"},
      {"ops.h", "inline HOST std::ostream& print(std::ostream& out);\ninline BOTH T add(T a) { return a; }\n"}};
  const std::string blank = blank_host_code(headers, "int main() {}\n")[1].text;
  CHECK(blank.find("print") == std::string::npos);
  CHECK(blank.ends_with("\ninline BOTH T add(T a) { return a; }\n"));
}

TEST_CASE("a declaration with parameters that have no names is left out as the host's") {
  const std::vector<Header> headers{{"h.h", "size_t remaining(int, size_t);\nvoid run(float*, my_t);\n"}};
  CHECK(search::trimmed(blank_host_code(headers, "int main() {}\n")[0].text).empty());
}

TEST_CASE("headers in angle brackets are rid of host code, too, and are no part of the identity") {
  const Folder folder;
  const Folder includes;
  const std::string kernel = "#include <helper.h>\n__global__ void scale() {}\n";
  const std::string program = kernel + "int main() { scale<<<1, 1>>>(); }\n";
  const auto found = [&](const std::string& source) {
    return quoted_headers(source, folder.path() / "k.cu", {}, {includes.path()});
  };
  const auto identity = [&](const std::string& source) {
    KernelDescription description;
    description.kernel = "scale";
    description.blanked_source = source;
    return kernel_identity(description, found(source));
  };
  includes.write("helper.h", "#include \"sub/check.h\"\ninline void help() { check(); }\n");
  includes.write("sub/check.h", "#include \"beside.h\"\nvoid check() {}\n");
  includes.write("sub/beside.h", "int calls;\n");
  CHECK(found(kernel).empty());  // nothing would be blanked: the compiler finds them
  std::string names, texts;
  for (const Header& header : blank_host_code(found(program), program)) {
    names += header.name + ";";
    texts += header.text;
  }
  CHECK(names == "__tuner/uncounted;helper.h;sub/check.h;beside.h;");
  for (const char* word : {"help()", "check()", "calls"}) CHECK(texts.find(word) == std::string::npos);
  CHECK(found(program) == quoted_headers(program, "elsewhere.cu", found(program), {}));
  const std::string before = identity(program);
  includes.write("sub/beside.h", "int other;\n");
  CHECK(identity(program) == before);
  includes.write("sub/beside.h", "inline void launch() { scale<<<1, 1>>>(); }\n");
  CHECK(!found(kernel).empty());
}

TEST_CASE("where there are no folders, what was found in them has the same identity") {
  const Folder folder;
  const Folder includes;
  includes.write("lib/own.h", "#include \"beside.h\"\n");
  includes.write("lib/beside.h", "");
  KernelDescription description = describe(kernel_text("#include <lib/own.h>\n__global__ void scale() {}\n"));
  description.file = folder.path() / "k.cu";
  const std::string identity = kernel_identity(description, quoted_headers(description, {includes.path()}));
  description.given_headers = all_headers(description, {includes.path()});
  const std::vector<Header> expected{mark_of_uncounted(), {"lib/own.h", "#include \"beside.h\"\n"}, {"beside.h", ""}};
  CHECK(description.given_headers == expected);
  CHECK(quoted_headers(description, {}) == expected);
  CHECK(kernel_identity(description, expected) == identity);
}

TEST_CASE("the identity of a kernel changes with its code and its headers, and with nothing else") {
  const std::string code = "__global__ void scale() {}\n";
  const std::string base = kernel_identity(describe(kernel_text(code)), {});
  CHECK(base == kernel_identity(describe(kernel_text("#pragma tuner param(X, 1, \\\n 2)\n" + code)), {}));
  CHECK(base != kernel_identity(describe(kernel_text("  " + code)), {}));
  const std::string with_header = kernel_identity(describe(kernel_text(code)), {{"a.h", "text"}});
  CHECK(base != with_header);
  CHECK(with_header != kernel_identity(describe(kernel_text(code)), {{"a.h", "tex"}, {"t", ""}}));
  CHECK(with_header != kernel_identity(describe(kernel_text(code)), {{"b.h", "text"}}));
}

TEST_CASE("identities of stored decisions never change") {
  KernelDescription description;
  description.kernel = "scale";
  description.blanked_source = "__global__ void scale() {}\n";
  CHECK(kernel_identity(description, {{"a.h", "int a;\n"}}) == "scale:1d68335b0c53d8494004d6351daa3ae7");
  description.known_identity = "scale:0123";
  CHECK(kernel_identity(description, {}) == "scale:0123");
  description.known_identity = "0123";
  CHECK(kernel_identity(description, {}) == "scale:0123");
}

TEST_CASE("every include is found, wherever it stands and however it is written") {
  std::vector<std::string> lines{
      "#include \"a.h\"\n",
      " # /* which */ include \"b.h\"\n",
      "#inc\\\nlude \"c.h\"\n",
      "#\\ \ninclude \"d.h\"\n",
      "/**/ #include \"e.h\" // \\\n #include \"f.h\"\n",
      "R\"(\n#include \"g.h\"\n)\"\n",
      "// #include \"h.h\"\n",
      "#pragma tuner kernel(k) \\\n  grid(1)\n",
      "#define INCLUDE 1 /* # include */\n",
      "#include <i.h>\nint x = 1;\n",
  };
  std::sort(lines.begin(), lines.end());
  for (int turn = 0; turn < 300; ++turn) {
    std::string source;
    std::vector<std::string> expected;
    for (const std::string& line : lines) source += line;
    for (const PreprocessorLine& line : preprocessor_lines(source)) {
      if (const auto include = include_of(line.text)) expected.push_back(include->name);
    }
    CAPTURE(source);
    CHECK(expected.size() == 5);  // a word that is broken over lines is not put together
    std::vector<std::string> found;
    for (const CodeText::Include& include : all_includes(source)) {
      CHECK(include.is_quoted == (include.name != "i.h"));
      found.push_back(include.name);
    }
    CHECK(found == expected);
    for (std::size_t size = 0; turn == 0 && size < source.size(); ++size) all_includes(source.substr(0, size));
    std::next_permutation(lines.begin(), lines.end());
    std::rotate(lines.begin(), lines.begin() + turn % 7, lines.end());
  }
}
