#include <doctest/doctest.h>

#include <set>

#include "tests/cli/program.hpp"
#include "tests/support/files.hpp"

using namespace tuner::test;

namespace {

struct PlainFile {
  std::string name;
  Words lines;  ///< that its skeleton has, among others
};

const std::vector<PlainFile> kPlainFiles{
    {"scale",
     {"#pragma tuner param(BLOCK_SIZE, 64, 128, 256, 512, 1024; default 256)\n",
      "#pragma tuner grid(ceil_div(n, BLOCK_SIZE)) block(BLOCK_SIZE)\n",
      "#pragma tuner in(x, float, n) out(y, float, n)\n", "// ? What is a typical value of `alpha`?"}},
    {"reduce",
     {"#ifndef BLOCK\nconstexpr int BLOCK = 256;\n#endif\n",
      "in(input, float, n) inout(out, float, 1) scalar(n, int)\n", "// ? The kernel strides by gridDim."}},
    {"transpose",
     {"#ifndef TILE\n#define TILE 16  // the side of a tile\n#endif\n", "param(TILE, 8, 16, 32; default 16)\n",
      "grid(ceil_div(width, TILE), ceil_div(height, TILE)) block(TILE, TILE)\n", "out(out, float, height * width)",
      "work(bytes = 8 * height * width)\n"}},
    {"stencil",
     {"kernel(stencil<TYPE, RADIUS, BLOCK>)\n", "problem(TYPE: constant = double)\n", "param(RADIUS, 3; argument)\n",
      "param(BLOCK, 64, 128, 256, 512, 1024; default 128; argument)\n", "grid(ceil_div(n, BLOCK)) block(BLOCK)\n",
      "// ? May the template parameter `RADIUS` have other values"}},
    {"two_kernels",
     {"kernel(fill)\n", "kernel(add)\n", "grid(ceil_div(count, THREADS * ITEMS_PER_THREAD)) block(THREADS)\n",
      "out(data, int, count)\n", "param(ITEMS_PER_THREAD, 1, 2, 4, 8; default 4)\n"}},
    {"namespaces",
     {"kernel(image::v2::gray)\n", "block(BLOCK_X, BLOCK_ROWS)\n", "in(pixels, uchar4, height * width)",
      "// ? The kernel has the number 32 in its text too."}},
    {"structures",
     {"out(bodies, float, 4 * count) in(old, float, 4 * count)\n", "// ? Which values do the members of `box` have?",
      "value(box, Box)"}},
    {"half",
     {"#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256\n#endif\n", "__launch_bounds__(BLOCK_SIZE)",
      "in(x, half, n) inout(y, half, n)\n", "scalar(n, size_t)"}},
    {"gemm",
     {"grid(ceil_div(N, BN), ceil_div(M, BM)) block(BN, BM)\n", "in(A, float, M * lda)", "in(B, float, K * ldb)",
      "// ? No index is compared with `lda`, `ldb`, `ldc`."}},
    {"heat3d", {"problem(nx: size = 256, ny: size = 256, nz: size = 256)\n", "block(BLOCK_X, BLOCK_Y, BLOCK_Z)\n"}},
    {"rows",
     {"grid(rows) block(BLOCK_SIZE)\n", "param(BLOCK_SIZE, 256)\n",
      "in(data, float, cols * rows) out(sums, float, rows)", "// ? The kernel has the number 256 in its text too."}},
    {"program",
     {"grid(ceil_div(n, BLOCK_SIZE)) block(BLOCK_SIZE) shared(BLOCK_SIZE * sizeof(float))\n",
      "constant(weights, float, 5)\n", "#ifndef BLOCK_SIZE\n#define BLOCK_SIZE 256\n#endif\n", "int main() {"}},
};

std::string plain_path(const std::string& name) {
  return data_file("plain/" + name + ".cu").string();
}

}  // namespace

TEST_CASE("what `new` proposes for plain sources is accepted as it is printed") {
  const User user;
  for (const auto& [name, wanted] : kPlainFiles) {
    CAPTURE(name);
    const Result proposed = user.run({"new", plain_path(name)});
    check_out(proposed, 0, wanted);
    CHECK(proposed.err.empty());
    write_bytes(user.home() / "proposed.cu", proposed.out);
    const Result described = user.run({"describe", "proposed.cu"});
    check_out(described, 0, {"// launch    grid="});
    CHECK(described.err.empty());
  }
}

TEST_CASE("`new` changes nothing of a source but what its parameters need") {
  const User user;
  for (const auto& [name, wanted] : kPlainFiles) {
    CAPTURE(name);
    std::string rest;
    const std::string proposed = user.run({"new", plain_path(name)}).out;
    for (std::size_t at = 0; at < proposed.size();) {
      const std::size_t end = proposed.find('\n', at);
      const std::string line = proposed.substr(at, end - at + 1);
      const bool is_added = line.starts_with("#pragma tuner") || line.starts_with("// ? ") ||
                            line.starts_with("// Proposed by") || line.starts_with("// `tuner describe`") ||
                            line.starts_with("#ifndef") || line == "#endif\n";
      if (!is_added) rest += line;
      at = end + 1;
    }
    std::string source = read_bytes(plain_path(name));
    if (name == "half") {  // the one whose text changes
      source.replace(source.find("(256)"), 5, "(BLOCK_SIZE)");
      rest.erase(rest.find("#define BLOCK_SIZE 256\n"), 23);
    }
    CHECK(rest == source);
  }
}

TEST_CASE("proposed kernels pass the check on the CPU") {
  const User user;
  for (const std::string& name : {std::string("transpose"), std::string("reduce")}) {
    CAPTURE(name);
    check_out(user.run({"new", plain_path(name), "--output", name + ".cu"}), 0);
    check_out(user.run({"check", name + ".cu", "--host", "--configurations", "2"}), 0, {"No findings."});
  }
}

TEST_CASE("`new` writes a file, but not over another one unless it is told to") {
  const User user;
  const std::string plain = plain_path("scale");
  check_err(user.run({"new", plain, "--output", "tuned.cu"}), 0, {"Written to tuned.cu", "tuner describe tuned.cu"});
  CHECK(read_bytes(user.home() / "tuned.cu") == user.run({"new", plain}).out);
  write_bytes(user.home() / "tuned.cu", "mine");
  check_error(user.run({"new", plain, "--output", "tuned.cu"}), 2, {"tuned.cu"});
  CHECK(read_bytes(user.home() / "tuned.cu") == "mine");
  check_err(user.run({"new", plain, "--output", "tuned.cu", "--force"}), 0, {"Written to"});
  CHECK(read_bytes(user.home() / "tuned.cu") == user.run({"new", plain}).out);
}

TEST_CASE("`new` takes one kernel of several") {
  const Result result = User().run({"new", plain_path("two_kernels"), "--kernel", "add"});
  check_out(result, 0, {"kernel(add)"});
  CHECK_FALSE(contains(result.out, "kernel(fill)"));
  check_error(User().run({"new", plain_path("two_kernels"), "--kernel", "ad"}), 2, {"no kernel `ad`", "fill, add"});
}

TEST_CASE("`new` says why it has nothing to propose") {
  const User user;
  const auto refused = [&](const std::string& source, const Words& why) {
    write_bytes(user.home() / "k.cu", source);
    check_error(user.run({"new", "k.cu"}), 2, why);
  };
  refused("int main() {}\n", {"k.cu", "no kernel"});
  refused("#pragma tuner kernel(a)\n__global__ void a(int* x) { *x = 1; }\n", {"already", "tuner describe"});
  refused("__global__ void a(const float* x) {}\n", {"`a` cannot be described", "no output"});
  refused("struct P { float* at; };\n__global__ void a(float* x, P p) { x[0] = *p.at; }\n", {"P p", "one by one"});
  refused("__global__ void a(float** x) { x[0][0] = 1; }\n", {"float** x", "points to pointers"});
  check_error(user.run({"new"}), 2, {"needs a CUDA source"});
  check_error(user.run({"new", "k.cu", "--force"}), 2, {"--output"});
  check_error(user.run({"new", "k.cu", "--json"}), 2, {"--json"});
  check_error(user.run({"new", "missing.cu"}), 2, {"missing.cu"});
}

TEST_CASE("`new` finds kernels in what the file includes, and says which text it put there") {
  const User user;
  std::filesystem::create_directories(user.home() / "parts");
  write_bytes(user.home() / "parts/kernel.cuh", "#pragma once\n" + read_bytes(plain_path("scale")));
  write_bytes(user.home() / "main.cu", "#include \"kernel.cuh\"\nint main() {}\n");
  check_error(user.run({"new", "main.cu"}), 2, {"no kernel in it"});
  const Result proposed = user.run({"new", "main.cu", "-I", "parts"});
  check_out(proposed, 0, {"#pragma tuner kernel(scale)\n", "int main() {}"});
  CHECK(contains(proposed.err, "The text of \"kernel.cuh\", which has kernels, stands in place of the line"));
}

TEST_CASE("`new` printed directives that `describe` refused, and none of the other kernels could be used") {
  const User user;
  const std::string plain = read_bytes(plain_path("scale"));
  write_bytes(
      user.home() / "k.cu",
      "__global__ void warm_up() {}\n__global__ void f(float* x, float** by) { x[threadIdx.x] = 1; }\n" + plain);
  const Result proposed = user.run({"new", "k.cu"});
  check_out(proposed, 0, {"#pragma tuner kernel(scale)\n", "// ? `warm_up` cannot be described: it has no parameters"});
  write_bytes(user.home() / "proposed.cu", proposed.out);
  check_out(user.run({"describe", "proposed.cu"}), 0, {"kernel(scale)"});
}
