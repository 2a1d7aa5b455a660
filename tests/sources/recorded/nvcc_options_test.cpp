#include "tuner/sources/recorded/nvcc_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tuner::sources;

namespace {

/// Option and value of each: "output-file=a.o", and "=main.cu" of an input.
std::vector<std::string> read(const std::vector<std::string>& arguments) {
  std::vector<std::string> shown;
  for (const NvccWord& word : read_nvcc_words(arguments)) {
    const std::string name = word.option == nullptr ? "" : std::string(word.option->long_name);
    shown.push_back(name + '=' + word.value);
  }
  return shown;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a value stands behind its option as the next word, behind =, or behind one letter") {
  CHECK_EQ(read({"-o", "a.o"}), Words{"output-file=a.o"});
  CHECK_EQ(read({"-o=a.o"}), Words{"output-file=a.o"});
  CHECK_EQ(read({"--output-file=a.o", "--output-file", "b.o"}), Words{"output-file=a.o", "output-file=b.o"});
  CHECK_EQ(read({"-DN=4", "-D", "M=5", "-D=K=6"}), Words{"define-macro=N=4", "define-macro=M=5", "define-macro=K=6"});
  CHECK_EQ(read({"-Iinclude", "-O3", "-lm", "-m64", "-lineinfo"}),
           Words{"include-path=include", "optimize=3", "library=m", "m64=", "generate-line-info="});
}

TEST_CASE("a value that looks like an option or a source is a value") {
  CHECK_EQ(read({"-Xcompiler", "-c", "-MF", "main.cu", "main.cu"}),
           Words{"compiler-options=-c", "dependency-output=main.cu", "=main.cu"});
}

TEST_CASE("an option without the value that it needs is read to its end") {
  CHECK_EQ(read({"main.cu", "-o"}), Words{"=main.cu", "output-file="});
}

TEST_CASE("a flag that nvcc's help does not list is no input") {
  const std::vector<NvccWord> words = read_nvcc_words(Words{"-fopenmp", "-", "a.cu", ""});
  CHECK_FALSE(words[0].is_input());
  CHECK_FALSE(words[1].is_input());
  CHECK(words[2].is_input());
  CHECK(words[3].is_input());
}

TEST_CASE("a list is split at its commas but for those behind a backslash") {
  CHECK_EQ(nvcc_list("a,b\\,c,"), Words{"a", "b,c", ""});
}
