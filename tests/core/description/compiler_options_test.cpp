#include "tuner/core/description/compiler_options.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string_view>

#include "search/expression/quoting.hpp"
#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"

namespace tuner::test {
namespace {

// By these NVRTC, or ptxas within it, writes a file, reads one, or is told what only this program may tell it.
constexpr std::string_view kRefused =
    "-time=x.csv | --time=x.csv | -fdevice-time-trace=x | --fdevice-time-trace=x | --create-pch=x | --create_pch=x | "
    "--use-pch=x | --use_pch=x | --pch | -pch | --pch-dir=x | -include=x | --pre-include=x | -preinclude=x | "
    "--preinclude=x | -Xptxas=--options-file=x | --ptxas-options=-optf=x | --ptxas-options=--compiler-stats-file=x | "
    "--ptxas-options=-compilerStatsFile=x | --ptxas-options=--apply-controls=x | --ptxas-options=-o=x | "
    "--ptxas-options=-v --options-file=x | --ptxas-options=-v,--options-file=x | "
    "--ptxas-options=\"--options-file=x\" | --ptxas-options=@x | --ptxas-options= | --ptxas-options | "
    "-Xcudafe=--create_pch=x | -Xnvvm=-info-output-file=x | -Xopt=-info-output-file=x | -nvvm-version=nvvm70 | "
    "--enable-cache-trace | --diag_suppress=1 | --fdevice-syntax-only | --optix-ir | -dlto | @x | - | -- | -D | -I | "
    "--dopt | -fmad=false -time=x | -fmad=\"false\" | --fmad=maybe | -arch=sm_90/../x | -std=c++17 --time=x | "
    "--ptxas-options=-maxrregcount=32,--options-file,x | -Xptxas=-opt-level=3,--input-as-string,x | "
    "-Xptxas=-dlcm=ca,--compiler-stats,time,--compiler-stats-file,x | -Xptxas=-v,x | -Xptxas=-v, | -Xptxas=,-v | "
    "-Xptxas=-maxntid=32,4 | -Xptxas=-opt-level=-O3 | -arch=sm_90,--time=x | -std=c++17,x | -jtd=5,6 | "
    "--diag-suppress=177,--options-file,x | --diag-suppress=177, | -opt-info=inline,-x | --maxrregcount=32,x | "
    "-D\nX=1 | -DX=1\n#include </etc/hostname> | --D=X | ---fmad=false | -timeX | --TIME=x |  --time=x | -O3";

constexpr std::string_view kAllowed =
    "-DX | -DX=1 | -DX=a b, \"c\" -time=x | -DF(a)=(a + 1) | --define-macro=X=1 | -UX | -I/usr/include | "
    "-Ifolder with blanks | --include-path=folder | -std=c++20 | --std=c++17 | -arch=sm_90a | "
    "--gpu-architecture=compute_90 | --use_fast_math | -use_fast_math | --use_fast_math=true | -fmad=false | "
    "--fmad=true | -ftz=true | --prec-div=false | --prec-sqrt=false | --maxrregcount=64 | -maxrregcount=64 | "
    "-dopt=on | -Ofc=max | --split-compile=2 | -jtd=5 | -G | -lineinfo | -w | --restrict | --device-int128 | "
    "-default-device | --extra-device-vectorization | --diag-suppress=177,20012-D | -opt-info=inline | --no-cache | "
    "--modify-stack-limit=false | -Xptxas=-O4 | -Xptxas=--return-at-end | -Xptxas=--sp-bounds-check | "
    "-Xptxas=-suppress-async-bulk-multicast-advisory-warning | --minimal | -Xptxas=-v | --ptxas-options=-O2 | "
    "--ptxas-options=--register-usage-level=7 | --ptxas-options=-dlcm=cg | "
    "--ptxas-options=--allow-expensive-optimizations=true | -Xptxas=-v,-O2,-dlcm=cg | -opt-info=inline,inline";

TEST_CASE("a compiler option that makes NVRTC write or read a file is refused, however it is spelled") {
  for (const std::string& option : between_bars(kRefused)) {
    INFO(option);
    const std::optional<std::string> why = why_refused(option);
    REQUIRE(why);
    CHECK(why->find("is not allowed") != std::string::npos);
    CHECK(why->find('\n') == std::string::npos);
  }
}

TEST_CASE("ptxas wrote into a file that a description named behind a comma, at which nvcc splits") {
  const auto said = [](const std::string& options) {
    return error_of([&] { describe(kernel_text("#pragma tuner options(" + options + ")")); });
  };
  for (const std::string options :
       {R"("--ptxas-options=-dlcm=ca,--compiler-stats,time,--compiler-stats-file,Makefile")",
        R"("-Xptxas", "-dlcm=ca,--compiler-stats,time,--compiler-stats-file,Makefile")"}) {
    INFO(options);
    CHECK(contains(said(options), "Makefile\" is not allowed: a description may give only options"));
  }
}

TEST_CASE("options that choose the language or the code are passed on") {
  for (const std::string& option : between_bars(kAllowed)) {
    INFO(option);
    CHECK(!why_refused(option));
  }
}

TEST_CASE("a compiler option of a kernel file that writes a file is refused where it stands") {
  for (const std::string& option : between_bars(kRefused)) {
    INFO(option);
    const std::string text = search::quote(option);
    for (const std::string& directive :
         {fmt::format("options(\"-w\", {})", text), fmt::format("option(O, \"\", {}; default \"\")", text)}) {
      const std::string said = error_of([&] { describe(kernel_text("#pragma tuner " + directive)); });
      CHECK(said.starts_with("k.cu:6:"));
      CHECK(contains(said, "compiler option"));
    }
  }
  CHECK(first_line_of([] {
          describe(kernel_text("#pragma tuner options(\"--use_fast_math\", \"--time=x.csv\")"));
        }).starts_with("k.cu:6:42: the compiler option \"--time=x.csv\" is not allowed: a description may give"));
}

TEST_CASE("an option in two words is one option, and hides no other") {
  const KernelDescription two = describe(kernel_text(
      "#pragma tuner options(\"-D\", \"X=1\", \"-dopt\", \"on\", \"--ptxas-options\", \"-v\", \"-I\", \"a\")"));
  CHECK(two.options == std::vector<std::string>{"-DX=1", "-dopt=on", "--ptxas-options=-v", "-Ia"});
  const auto said = [](const std::string& options) {
    return first_line_of([&] { describe(kernel_text("#pragma tuner options(" + options + ")")); });
  };
  for (const std::string hidden : {R"("-include", "/etc/hostname")", R"("--time", "x.csv")", R"("-w", "/etc/hostname")",
                                   R"("-dopt", "--time=x.csv")", R"("-Xptxas", "--options-file=x")",
                                   R"("--fmad=false", "x.csv")", R"("--maxrregcount", "")"}) {
    INFO(hidden);
    const std::string complaint = said(hidden);
    CHECK(complaint.starts_with("k.cu:6:"));
    CHECK(contains(complaint, "option"));
  }
  CHECK(said(R"("-w", "-D")") == "k.cu:6:15: the compiler option \"-D\" needs a value, as in \"-DNAME=1\"");
}

TEST_CASE("a compiler option of a T1 file that writes a file is refused where it stands") {
  for (const std::string option :
       {"-time=x.csv", "--fdevice-time-trace=x", "--create-pch=x", "--use-pch=x", "-include=x", "--pre-include=x",
        "--ptxas-options=--options-file=x", "--ptxas-options=-maxrregcount=32,--options-file,x"}) {
    INFO(option);
    T1Folder folder;
    folder.at("/KernelSpecification/CompilerOptions") = {"-lineinfo", option};
    const std::string said = error_of([&] { folder.read(); });
    CHECK(contains(said, "CompilerOptions[1]"));
    CHECK(contains(said, "is not allowed"));
  }
  T1Folder folder;
  folder.at("/KernelSpecification/CompilerOptions") = {"-include", "/etc/hostname", "-lineinfo"};
  CHECK(contains(error_of([&] { folder.read(); }), "\"-include=/etc/hostname\" is not allowed"));
}

TEST_CASE("an option with a typing error is answered with the one that was meant") {
  CHECK(why_refused("--use_fast_mat")->find("did you mean `--use_fast_math`?") != std::string::npos);
  CHECK(why_refused("-mad=false")->find("did you mean `--fmad`?") != std::string::npos);
}

}  // namespace
}  // namespace tuner::test
