#include "tuner/core/skeleton/program_text.hpp"

#include <doctest/doctest.h>

#include "tests/support/files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/skeleton/skeleton.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

const std::string kKernel =
    "__global__ void copy(const float* x, float* y, int n) {\n"
    "  const int i = blockIdx.x * TILE + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n";
const std::string kLaunch = "void run(float* x, float* y, int n) { copy<<<(n + TILE - 1) / TILE, TILE>>>(x, y, n); }\n";

/// A folder of source files, and what is proposed for one of them.
struct Sources {
  TemporaryFolder folder;
  void add(const std::string& name, const std::string& text) const {
    fs::create_directories((folder.path() / name).parent_path());
    write_bytes(folder.path() / name, text);
  }
  ProgramText read(const std::string& name, const std::vector<fs::path>& folders = {}) const {
    return program_text(read_bytes(folder.path() / name), folder.path() / name, folders);
  }
  std::string proposed(const std::string& name) const {
    const ProgramText program = read(name);
    return skeleton(program.text, folder.path() / name, "", program.elsewhere);
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++number;
  return number;
}

}  // namespace

TEST_CASE("kernels in included files were not found") {
  const Sources sources;
  sources.add("kernel.cuh", "#pragma once\n#define TILE 16\n" + kKernel);
  sources.add("main.cu", "#include <vector>\n#include \"kernel.cuh\"  // theirs\n#include \"other.h\"\n" + kLaunch);
  sources.add("other.h", "inline int other() { return 1; }\n");
  const std::string text = sources.proposed("main.cu");
  CHECK(text.find("param(TILE, 8, 16, 32; default 16)") != text.npos);
  CHECK(text.find("grid(ceil_div(n, TILE)) block(TILE)") != text.npos);
  CHECK(text.find("#include \"other.h\"") != text.npos);
  CHECK(text.find("\n#include \"kernel.cuh\"") == text.npos);
  CHECK(text.find("\n#pragma once") == text.npos);
  CHECK(sources.read("main.cu").included == std::vector<std::string>{"kernel.cuh"});
}

TEST_CASE("files are included in other folders, once each, and what has no kernel stays included from there") {
  const Sources sources;
  sources.add("parts/types.h", "using real = float;\n");
  sources.add("parts/kernel.cu", "#include \"types.h\"\n#define TILE 16\n" + kKernel);
  sources.add("all/all.h", "#include \"kernel.cu\"\n#include \"../parts/kernel.cu\"\n");
  sources.add("main.cu", "#include \"all/all.h\"\n" + kLaunch);
  const std::string text = sources.read("main.cu", {sources.folder.path() / "parts"}).text;
  CHECK(count(text, "void copy(") == 1);
  CHECK(text.find("#include \"parts/types.h\"") != text.npos);
}

TEST_CASE("files that include each other, or that are missing, are left alone") {
  const Sources sources;
  sources.add("a.h", "#include \"b.h\"\n#define TILE 16\n" + kKernel);
  sources.add("b.h", "#include \"a.h\"\n#include \"missing.h\"\n");
  sources.add("main.cu", "#include \"a.h\"\n" + kLaunch);
  CHECK(count(sources.read("main.cu").text, "void copy(") == 1);
  const std::string plain = "#include \"missing.h\"\n__device__ int x;\n";
  sources.add("plain.cu", plain);
  CHECK(sources.read("plain.cu").text == plain);
}

TEST_CASE("a launch in another file than the kernel was not found") {
  const Sources sources;
  sources.add("kernel.cu", "#define TILE 16\n" + kKernel);
  sources.add("main.cu", "__global__ void copy(const float* x, float* y, int n);\n#define WIDTH 8\n" + kLaunch +
                             "int main() { float *x, *y; run(x, y, 4000); }\n");
  sources.add("foreign.cu", "#define TILE 8\n" + kKernel + "void f() { copy<<<7, TILE>>>(0, 0, 7); }\n");
  const std::string text = sources.proposed("kernel.cu");
  CHECK(text.find("problem(n: size = 4000)") != text.npos);
  CHECK(text.find("grid(ceil_div(n, TILE)) block(TILE)") != text.npos);
  CHECK(text.ends_with(kKernel));
  CHECK(text.find("WIDTH") == text.npos);
}

TEST_CASE("a kernel in a header in angle brackets was not found in the folders that are named") {
  const Sources sources;
  const fs::path own = sources.folder.path() / "include", toolkit = sources.folder.path() / "toolkit";
  sources.add("include/app/copy.cuh", "#pragma once\n#include <tile.h>\n#include \"near.h\"\n" + kKernel);
  sources.add("include/app/near.h", "");
  sources.add("include/tile.h", "#define TILE 16\n");
  sources.add("toolkit/cuda_runtime.h", "");
  sources.add("toolkit/cub.h", "__global__ void copy(int* x) { *x = 1; }\n");
  sources.add("main.cu", "#include <cub.h>\n#include <app/copy.cuh>\n" + kLaunch);
  const auto read = [&](const std::string& kernel) {
    const fs::path file = sources.folder.path() / "main.cu";
    return program_text(read_bytes(file), file, {toolkit, own}, kernel);
  };
  const ProgramText program = read("copy");
  CHECK(program.included == std::vector<std::string>{"app/copy.cuh"});
  CHECK(program.text.find("#include <tile.h>\n#include \"include/app/near.h\"\n" + kKernel) != std::string::npos);
  CHECK(program.text.starts_with("#include <cub.h>\n"));
  CHECK(read("").included.empty());
}
