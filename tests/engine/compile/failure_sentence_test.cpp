#include "tuner/engine/compile/failure_sentence.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "tests/engine/compile/toolkit.hpp"

using namespace tuner::engine;
using testing::request_for;

namespace {

/// What is said of an error that NVRTC prints like this, after a warning.
std::string said(const std::string& sentence, const std::string& line = "", std::size_t column = 0,
                 const std::string& kind = "error: ") {
  return failure_sentence(request_for(""), "user.cu(2): warning #177-D: unused\n\nuser.cu(7): " + kind + sentence +
                                               "\n  " + line + "\n  " + std::string(column, ' ') + "^\n\n");
}

}  // namespace

TEST_CASE("what the compiler refuses of the host is said with its line, its name and the way out") {
  const std::string guard = "put it between `#ifndef __CUDACC_RTC__` and `#endif`";
  CHECK(said("A function without execution space annotations (__host__/__device__/__global__) is considered a host "
             "function, and host functions are not allowed in JIT mode. Consider using -default-device flag",
             "int f(int a) {", 4) ==
        "user.cu(7): error: `f` is a function of the host, which is not compiled here: mark it `__device__` if the "
        "kernel calls it; if only the host does, " +
            guard + ".");
  CHECK(said("A namespace scope variable without memory space annotations (...) is considered a host variable, and",
             "float table[3];", 6) ==
        "user.cu(7): error: `table` is a variable of the host, which kernels do not see: declare it `__device__`, "
        "`__constant__` or `constexpr` if the kernel reads it; if only the host does, " +
            guard + ".");
  CHECK(said("identifier \"cudaMalloc\" is undefined") ==
        "user.cu(7): error: `cudaMalloc` belongs to the runtime of the host, which kernels do not see: " + guard + ".");
  CHECK(said("namespace \"cub::_V_300000_SM_900::cub\" has no member \"DeviceScan\"") ==
        "user.cu(7): error: `cub::DeviceScan` runs on the host and launches kernels of its own, so no kernel can call "
        "it: if only the host does, " +
            guard + "; within a kernel there are cub::BlockReduce and the like.");
  CHECK(said("cannot open source file \"mine.h\"", "#include \"mine.h\"", 17, "catastrophic error: ") ==
        "user.cu(7): error: the header \"mine.h\" was not found: name its folder with -I, or, if only the host needs "
        "it, " +
            guard + ".");
}

TEST_CASE("a header that was forgotten is named") {
  for (const auto& [name, header] : {std::pair{"uint32_t", "cstdint"},
                                     {"INT_MAX", "climits"},
                                     {"INT32_MAX", "cstdint"},
                                     {"DBL_MAX", "cfloat"},
                                     {"M_PI", "cmath"},
                                     {"__half2", "cuda_fp16.h"},
                                     {"nv_bfloat16", "cuda_bf16.h"}}) {
    CHECK(said(fmt::format("identifier \"{}\" is undefined", name)) ==
          fmt::format("user.cu(7): error: `{}` is not known here: include <{}>.", name, header));
  }
}

TEST_CASE("other errors stay as the compiler says them") {
  CHECK(said("identifier \"cudanot\" is undefined") == "user.cu(7): error: identifier \"cudanot\" is undefined");
  for (const char* name : {"MY_MAX", "M_TILE", "integer_t", "int_mine_t", "FLT_MINE", "typedef_of"}) {
    const std::string sentence = fmt::format("identifier \"{}\" is undefined", name);
    CHECK(said(sentence) == "user.cu(7): error: " + sentence);
  }
  CHECK(said("namespace \"mine\" has no member \"a\"") == "user.cu(7): error: namespace \"mine\" has no member \"a\"");
  CHECK(said("expected a \";\"") == "user.cu(7): error: expected a \";\"");
  CHECK(failure_sentence(request_for("", "k"), "").empty());
  CHECK(failure_sentence(request_for("", "k"), "__nv_name_map(1): error: identifier \"k\" is undefined\n") ==
        "user.cu: no kernel 'k' was found after compiling; the name map says: identifier \"k\" is undefined");
}
