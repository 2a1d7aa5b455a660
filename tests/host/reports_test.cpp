#include "tuner/host/reports.hpp"

#include <doctest/doctest.h>

#include "tuner/core/standard_headers/unknown_member.hpp"
#include "tuner/host/shortage.hpp"

using namespace tuner::host;

namespace {

const KnownFiles kFiles{"k/kernel.cu", "helper.cuh"};

}  // namespace

TEST_CASE("an access beyond a buffer is placed in the kernel, even when a header's function made it") {
  const std::string report =
      "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60\nREAD of size 4 at 0x60 thread T0\n"
      "    #0 0x1 in load /tmp/w/helper.cuh:7\n    #1 0x2 in kernel /tmp/w/k/kernel.cu:12\n    #2 0x3 in call "
      "/tmp/w/tuner/host/shim/variants.hpp:40\n\n"
      "0x60 is located 0 bytes to the right of\nallocated by thread T0 here:\n    #0 0x9 in malloc\n";
  const Touched touched{.what = Touched::What::argument, .name = "x", .offset = 400, .bytes = 400};
  const Finding finding = read_sanitizer_report(report, touched, kFiles);
  CHECK_EQ(finding.kind, FindingKind::out_of_bounds_read);
  CHECK_EQ(finding.place.text(), "k/kernel.cu:12");
  CHECK_EQ(finding.sentence, "reads 4 bytes at byte 400 of `x`, which has 400 (in helper.cuh:7)");
}

TEST_CASE("undefined behaviour is placed by its own first line where there is no stack") {
  const Finding finding =
      read_sanitizer_report("k/kernel.cu:9:3: runtime error: index 5 out of bounds for type 'float [4]'\n", {}, kFiles);
  CHECK_EQ(finding.kind, FindingKind::out_of_bounds_read);
  CHECK_EQ(finding.place.text(), "k/kernel.cu:9");
  const Finding shift = read_sanitizer_report(
      "k/kernel.cu:9:3: runtime error: shift exponent 40 is too large for 32-bit type 'int'\n", {}, kFiles);
  CHECK_EQ(shift.kind, FindingKind::undefined_behaviour);
  const Finding aligned = read_sanitizer_report(
      "k/kernel.cu:9:3: runtime error: load of misaligned address 0x1 for type 'float4'\n", {}, kFiles);
  CHECK_EQ(aligned.kind, FindingKind::misaligned_access);
}

TEST_CASE("what is CUDA's is told from a header of the user's that was not found, in the words of each compiler") {
  const auto sentence = [](const std::string& error) {
    return read_compiler_messages("k/kernel.cu:4:9: error: " + error + "\n", kFiles).sentence;
  };
  for (const std::string error : {"'sort' is not a member of 'cub'", "no member named 'sort' in namespace 'cub'"})
    CHECK(sentence(error).starts_with("`cub::sort` cannot run on the CPU"));
  for (const std::string error : {"'__ldcv' was not declared in this scope", "use of undeclared identifier '__ldcv'"})
    CHECK(sentence(error).starts_with("`__ldcv` cannot run on the CPU"));
  for (const std::string error : {": No such file or directory", "' file not found"}) {
    const std::string quote = error.front() == '\'' ? "'" : "";
    CHECK(sentence(quote + "cuda/barrier" + error).starts_with("The header `cuda/barrier` is not known here"));
    CHECK_EQ(sentence(quote + "mine.cuh" + error), "The header `mine.cuh` was not found: name its folder with -I");
  }
}

TEST_CASE("the name of several kernels was refused in words of the shim's, of each compiler") {
  for (const std::string error :
       {"unable to deduce 'const auto' from '& {anonymous}::variant_0::k'",
        "variable 'kernel' with type 'const auto' has incompatible initializer of type '<overloaded function type>'"})
    CHECK(read_compiler_messages("k/kernel.cu:4:9: error: " + error + "\n", kFiles)
              .sentence.starts_with("The kernel's name stands for several functions: give the one to check a name"));
}

TEST_CASE("a file that the compiler itself does not find is not called a header") {
  for (const std::string said : {"g++-12: error: unit_0.cpp: No such file or directory",
                                 "g++: fatal error: cannot execute 'as': execvp: No such file or directory"}) {
    CHECK(read_compiler_messages(said + "\ncompilation terminated.\n", kFiles).sentence ==
          "The C++ compiler says: " + said.substr(said.find("error: ") + 7));
  }
}

TEST_CASE("a compiler without its assembler or linker says so, in the words of each compiler") {
  CHECK(missing_part("g++: fatal error: cannot execute 'as': execvp: No such file or directory\n") == "as");
  CHECK(missing_part("g++: error: error trying to exec 'cc1plus': execvp: No such file or directory\n") == "cc1plus");
  CHECK(missing_part("collect2: fatal error: cannot find 'ld'\ncompilation terminated.\n") == "ld");
  CHECK(missing_part("clang: error: unable to execute command: Executable \"ld\" doesn't exist!\n") == "ld");
  CHECK(missing_part("k.cu:4:9: error: cannot execute 'as'\n").empty());
  CHECK(missing_part("/usr/bin/ld: cannot find 'x.o'\n").empty());
}

TEST_CASE("a member of std that device code does not know is said as for the GPU, in the words of each compiler") {
  const auto sentence = [](const std::string& error) {
    return read_compiler_messages("k/kernel.cu:4:9: error: " + error + "\n", kFiles).sentence;
  };
  for (const std::string error :
       {"'cout' has not been declared in 'std'", "'cout' is not a member of 'std'",
        "'cout' in namespace 'std' does not name a type", "'cout' in namespace 'std' does not name a template type",
        "no member named 'cout' in namespace 'std'; did you mean simply 'cout'?"})
    CHECK_EQ(sentence(error), tuner::unknown_member_of_std("cout"));
  CHECK_EQ(sentence("'min' is not a member of 'std'"), "`std::min` is not known here: include <algorithm>");
}

TEST_CASE("a compiler's first error is told with its place in the kernel") {
  const Unchecked error = read_compiler_messages(
      "In file included from u.cpp:3:\nk/kernel.cu:4:9: error: 'wmma' has not been declared\nk/kernel.cu:5:9: error: "
      "more\n",
      kFiles);
  CHECK_EQ(error.sentence, "The C++ compiler says: 'wmma' has not been declared");
  CHECK_EQ(error.place.text(), "k/kernel.cu:4");
  const Unchecked crash =
      read_compiler_messages("k/kernel.cu:4: internal compiler error: Segmentation fault\n", kFiles);
  CHECK_EQ(crash.sentence, "The compiler crashed on it: internal compiler error: Segmentation fault");
  CHECK_EQ(crash.place.text(), "k/kernel.cu:4");
}

TEST_CASE("a source that speaks of a compiler's crash was said to crash the compiler") {
  const auto sentence = [](const std::string& messages) { return read_compiler_messages(messages, kFiles).sentence; };
  for (const std::string words : {"internal compiler error: no", "PLEASE submit a bug report"}) {
    CAPTURE(words);
    CHECK_EQ(sentence("k/kernel.cu:2:2: error: #error " + words + "\n    2 | #error " + words + "\n      |  ^~~~~\n"),
             "The C++ compiler says: #error " + words);
    CHECK_EQ(sentence("k/kernel.cu:1:9: error: 'z' was not declared in this scope\n    1 | case 1: " + words + "\n"),
             "The C++ compiler says: 'z' was not declared in this scope");
  }
  CHECK_EQ(sentence("g++: internal compiler error: Aborted signal terminated program cc1plus\n"),
           "The compiler crashed on it: internal compiler error: Aborted signal terminated program cc1plus");
  CHECK_EQ(sentence("PLEASE submit a bug report to https://bugs.llvm.org/ and include the crash backtrace.\n"),
           "The compiler crashed on it: internal error");
}
