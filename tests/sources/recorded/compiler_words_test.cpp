#include "tuner/sources/recorded/compiler_words.hpp"

#include <doctest/doctest.h>

#include "tests/sources/recorded/recorded.hpp"
#include "tuner/sources/recorded/response_file.hpp"

using namespace tuner::sources;
using namespace tuner::test;

namespace {

using Words = std::vector<std::string>;

Words names_in(const Words& words) {
  Words names;
  for (const auto& source : sources_of(command_of(words))) names.push_back(source);
  return names;
}

Work work(const Words& words) {
  return work_of(command_of(words));
}

}  // namespace

TEST_CASE("compilers are known by their names") {
  CHECK(compiler_kind("/usr/local/cuda/bin/nvcc") == CompilerKind::nvcc);
  CHECK(compiler_kind("clang++-16") == CompilerKind::clang);
  CHECK(compiler_kind("aarch64-linux-gnu-clang") == CompilerKind::clang);
  CHECK(compiler_kind("nvc++") == CompilerKind::nvcxx);
  for (const char* const other : {"g++", "nvcc_wrapper", "cicc", "clang-format-14", "clangd", "nvc", "", "-"})
    CHECK_FALSE(compiler_kind(other));
}

TEST_CASE("sources are told from values of options") {
  CHECK(names_in({"nvcc", "-c", "a.cu", "../b.cu", "/x/c.cu", "d.cpp"}) == Words{"/home/a.cu", "/b.cu", "/x/c.cu"});
  CHECK(names_in({"nvcc", "-include", "a.cu", "--pre-include=b.cu", "-o", "c.cu", "-Xcompiler", "d.cu", "e.cu"}) ==
        Words{"/home/e.cu"});
  CHECK(names_in({"nvcc", "-gencode", "arch=compute_90,code=sm_90", "-rdc", "true", "-std=c++17", "a.cu"}) ==
        Words{"/home/a.cu"});
  CHECK(names_in({"clang++", "-isystem", "x.cu", "--offload-arch=sm_90", "-oq", "a.cu"}) == Words{"/home/a.cu"});
}

TEST_CASE("a source is CUDA by its name, or because the compiler is told so") {
  CHECK(names_in({"nvcc", "a.cpp", "-x", "cu"}) == Words{"/home/a.cpp"});
  CHECK(names_in({"nvcc", "--x=c++", "a.cu"}).empty());
  CHECK(names_in({"clang++", "a.cpp", "-x", "cuda", "b.cpp", "-xnone", "c.cpp", "d.cu"}) ==
        Words{"/home/b.cpp", "/home/d.cu"});
  CHECK(names_in({"nvc++", "-cuda", "-c", "a.cpp", "b.o"}) == Words{"/home/a.cpp"});
  CHECK(names_in({"nvc++", "-c", "a.cpp"}).empty());
}

TEST_CASE("a compile, a link and what is neither are told from each other") {
  CHECK(work({"nvcc", "-c", "a.cu"}) == Work::compile);
  CHECK(work({"nvcc", "a.cu", "b.o", "-o", "p"}) == Work::compile);
  CHECK(work({"nvcc", "-ptx", "a.cu"}) == Work::compile);
  CHECK(work({"nvcc", "-dlink", "a.o", "b.o", "-o", "d.o"}) == Work::link);
  CHECK(work({"nvcc", "a.o", "-lcufft"}) == Work::link);
  for (const Words& words : {Words{"nvcc", "--version"},
                             {"nvcc"},
                             {"nvcc", "-c", "a.cpp"},
                             {"nvcc", "-E", "a.cu"},
                             {"nvcc", "-dryrun", "a.cu"},
                             {"nvcc", "-M", "a.cu"},
                             {"clang++", "a.o"},
                             {"clang", "-print-resource-dir"},
                             {"clang", "-###", "a.cu"},
                             {"nvcc", "-lib"},
                             {"nvcc", "-v", "__cmake_determine_cuda"},
                             {"nvcc", "a.cpp"}}) {
    CHECK(work(words) == Work::nothing);
  }
}

TEST_CASE("commands that write the same file from the same sources make the same") {
  const auto product = [](const Words& words, const std::string& folder = "/home") {
    return product_of(command_of(words, folder));
  };
  CHECK(product({"nvcc", "-O3", "-c", "a.cu", "-o", "x/a.o"}) ==
        product({"nvcc", "-c", "-o=/home/x/a.o", "../home/a.cu"}, "/b"));
  CHECK(product({"nvcc", "-c", "a.cu"}) == product({"nvcc", "-G", "a.cu", "-c"}));
  CHECK(product({"nvcc", "-c", "a.cu"}) != product({"nvcc", "-ptx", "a.cu"}));
  CHECK(product({"nvcc", "-c", "a.cu"}) != product({"nvcc", "-c", "a.cu", "-odir", "x"}));
  CHECK(product({"nvcc", "-c", "a.cu", "-o", "a.o"}) != product({"nvcc", "-c", "b.cu", "-o", "a.o"}));
}

TEST_CASE("words of response files stand where the files were named") {
  const TemporaryFolder folder;
  folder.write("a", "-DA -optf b,c\n-c");
  folder.write("b", "-DB='x");
  folder.write("c", "\"-DC=x y\"");
  const auto expanded = [&](const Words& words, CompilerKind kind) {
    return with_response_files(words, kind, folder.path());
  };
  CHECK(expanded({"nvcc", "-optf", "a", "x.cu", "--options-file=c"}, CompilerKind::nvcc) ==
        Words{"nvcc", "-DA", "-DB='x", "-DC=x y", "-c", "x.cu", "-DC=x y"});
  CHECK(expanded({"clang", "@" + (folder / "c").string(), "@absent", "@b"}, CompilerKind::clang) ==
        Words{"clang", "-DC=x y", "@absent", "@b"});
  CHECK(expanded({"nvcc", "-optf", "absent", "@c"}, CompilerKind::nvcc) ==
        Words{"nvcc", "--options-file", "absent", "@c"});
}

TEST_CASE("a response file that names itself, or is none, stays named") {
  const TemporaryFolder folder;
  folder.write("self", "-DA @self");
  const Words words = with_response_files({"clang", "@self", "@/dev/zero", "@."}, CompilerKind::clang, folder.path());
  CHECK(words.size() == 1 + 10 + 1 + 2);
  CHECK(words.back() == "@.");
}

TEST_CASE("a source has the objects that the last link has beside its own") {
  const std::vector<CompilerCommand> build{
      command_of({"nvcc", "-dc", "a.cu", "-o", "o/a.o"}), command_of({"nvcc", "-dc", "b.cu", "c.cu"}),
      command_of({"nvcc", "-dlink", "o/a.o", "b.o", "-o", "d.o"}),
      command_of({"nvcc", "o/a.o", "b.o", "lib.a", "-o", "p"}), command_of({"nvcc", "-rdc=true", "d.cu", "b.o"})};
  const auto linked = [&](const std::string& source) {
    for (const SourceOfBuild& one : sources_of_build(build))
      if (one.source == source) return linked_with(build, one);
    return Words{"no source"};
  };
  CHECK(linked("/home/a.cu") == Words{"/home/b.o", "/home/lib.a"});
  CHECK(linked("/home/b.cu") == Words{"/home/o/a.o", "/home/lib.a"});
  CHECK(linked("/home/c.cu").empty());
  CHECK(linked("/home/d.cu") == Words{"/home/b.o"});
}

TEST_CASE("of a source that is compiled with several options only the last command was known") {
  const std::vector<CompilerCommand> build{
      command_of({"nvcc", "-DREAL=float", "-c", "k.cu", "-o", "f.o"}), command_of({"nvcc", "-c", "other.cu"}),
      command_of({"nvcc", "-DREAL=double", "-c", "k.cu", "-o", "d.o"}), command_of({"nvcc", "-G", "-c", "other.cu"})};
  const std::vector<SourceOfBuild> all = sources_of_build(build);
  REQUIRE(all.size() == 3);
  CHECK(all[0].command == build[3]);
  CHECK(all[1].command == build[2]);
  CHECK(all[2].command == build[0]);
  CHECK(object_of(all[0]) == "/home/other.o");
  CHECK(object_of(all[2]) == "/home/f.o");
}
