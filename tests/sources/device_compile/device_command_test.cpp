#include "tuner/sources/device_compile/device_command.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/errors.hpp"
#include "tests/support/text.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"

using namespace tuner;
using namespace tuner::sources;
using tuner::test::contains;
using tuner::test::error_of;

namespace {

using Words = std::vector<std::string>;

CompilerCommand recorded(Words arguments) {
  arguments.insert(arguments.begin(), "nvcc");
  return {"/opt/cuda/bin/nvcc", "/home/user/build", std::move(arguments), {}};
}

DeviceTarget of(const std::string& source) {
  return {.source = source, .architecture = 90, .version = "13.0.88"};
}

/// What stays of a command for main.cu and sm_90, without what is added for the device.
Words kept(Words arguments) {
  arguments.insert(arguments.end(), {"-arch=sm_90", "main.cu"});
  Words words = device_command(recorded(std::move(arguments)), of("main.cu")).command.arguments;
  const Words added{"-cubin", "-gencode=arch=compute_90,code=sm_90", "main.cu"};
  REQUIRE(words.size() > added.size());
  CHECK_EQ(words.front(), "nvcc");
  CHECK_EQ(Words(words.end() - 3, words.end()), added);
  return {words.begin() + 1, words.end() - 3};
}

}  // namespace

TEST_CASE("a command for an object becomes one for the machine code of its source") {
  const DeviceCommand device =
      device_command(recorded({"-O3", "-std=c++17", "-arch=sm_90", "-c", "main.cu", "-o", "main.o"}), of("main.cu"));
  CHECK_EQ(device.command.arguments,
           Words{"nvcc", "-O3", "-std=c++17", "-cubin", "-gencode=arch=compute_90,code=sm_90", "main.cu"});
  CHECK_EQ(device.command.program, "/opt/cuda/bin/nvcc");
  CHECK_EQ(device.command.folder, "/home/user/build");
  CHECK_FALSE(device.from_ptx);
  CHECK_FALSE(device.relocatable);
}

TEST_CASE("what says where output goes, or how it is linked, is left out") {
  CHECK(kept({"-c", "-o", "a.o", "--output-file=b.o", "-MD", "-MF", "a.d", "-MT", "a.o", "-MP", "-MMD"}).empty());
  CHECK(kept({"-lm", "-l", "m", "-L/lib", "-Xlinker", "-rpath,/x", "-shared", "-cudart", "shared", "b.o", "c.a"})
            .empty());
  CHECK(
      kept({"--keep", "--keep-dir", "/tmp", "-dryrun", "-time", "t.csv", "-t4", "--threads=8", "-odir", "x"}).empty());
  CHECK(kept({"-ptx", "-gencode=arch=compute_90,code=sm_90", "-run", "--run-args", "-x"}).size() == 0);
}

TEST_CASE("what may change the code stays in its order") {
  const Words words{"-DN=4",
                    "-I",
                    "include",
                    "-U",
                    "N",
                    "-include",
                    "config.h",
                    "--std",
                    "c++20",
                    "-G",
                    "-lineinfo",
                    "-use_fast_math",
                    "-maxrregcount=32",
                    "-Xptxas",
                    "-O2,-v",
                    "-Xcicc",
                    "-x1",
                    "--expt-relaxed-constexpr",
                    "-ccbin",
                    "g++-12",
                    "-x",
                    "cu",
                    "-forward-unknown-to-host-compiler",
                    "-fopenmp",
                    "-isystem=/x",
                    "-DQ=a b\"c'\n"};
  CHECK_EQ(kept(words), words);
}

TEST_CASE("the host compiler's options stay but for those that write files") {
  CHECK_EQ(kept({"-Xcompiler", "-fopenmp,-MMD,-MF,a.d,-DX=1\\,2"}), Words{"-Xcompiler", "-fopenmp,-DX=1\\,2"});
  CHECK_EQ(kept({"-Xcompiler=-MF", "-Xcompiler", "a.d", "-Xcompiler", "-O2"}), Words{"-Xcompiler", "-O2"});
  CHECK(kept({"-Xcompiler", "-save-temps"}).empty());
}

TEST_CASE("of several sources only the one that is asked for is compiled, by the name that the build gave it") {
  const CompilerCommand command = recorded({"-arch=sm_90", "a.cu", "../src/b.cu", "lib.o"});
  CHECK_EQ(device_command(command, of("/home/user/src/b.cu")).command.arguments.back(), "../src/b.cu");
  CHECK_EQ(device_command(command, of("./a.cu")).command.arguments.back(), "a.cu");
  DeviceTarget copy = of("a.cu");
  copy.file = "-a copy.cu";
  CHECK_EQ(device_command(command, copy).command.arguments.back(), "./-a copy.cu");
  CHECK_EQ(error_of(Errc::bad_usage, [&] { device_command(command, of("c.cu")); }),
           "The recorded command does not compile c.cu, but a.cu, ../src/b.cu, lib.o: name one of those.");
}

TEST_CASE("relocatable code stays relocatable") {
  DeviceTarget target = of("main.cu");
  target.linked = {"far.o"};
  for (const char* word : {"-dc", "--device-c", "-rdc=true"}) {
    const DeviceCommand device = device_command(recorded({word, "-arch=sm_90", "main.cu"}), target);
    CHECK(device.relocatable);
    CHECK_EQ(device.command.arguments[1], "-rdc=true");
    CHECK_EQ(link_command(device, "x.cubin").arguments,
             Words{"nvcc", "-dlink", "-cubin", "-arch=sm_90", "x.cubin", "far.o"});
  }
  const DeviceCommand whole = device_command(recorded({"-dw", "-arch=sm_90", "main.cu"}), target);
  CHECK_FALSE(whole.relocatable);
  CHECK(whole.linked.empty());
}

TEST_CASE("PTX is compiled as the driver does it: from the build's architecture, without options for ptxas") {
  const DeviceCommand device =
      device_command(recorded({"-arch=compute_80", "-maxrregcount", "32", "-Xptxas=-O1", "main.cu"}), of("main.cu"));
  CHECK(device.from_ptx);
  CHECK_EQ(device.command.arguments, Words{"nvcc", "-cubin", "-gencode=arch=compute_80,code=sm_90", "main.cu"});
}

TEST_CASE("sources see all architectures of the build, as names in CUB depend on them") {
  const DeviceCommand device = device_command(
      recorded({"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90", "main.cu"}),
      of("main.cu"));
  CHECK_EQ(device.command.arguments, Words{"nvcc", "-cubin", "-gencode=arch=compute_90,code=sm_90",
                                           "-U__CUDA_ARCH_LIST__", "-D__CUDA_ARCH_LIST__=800\\,900", "main.cu"});
}

TEST_CASE("flags in the environment are part of the command, in front and behind") {
  CompilerCommand command = recorded({"-DB", "main.cu"});
  command.environment = {{"NVCC_PREPEND_FLAGS", " -DA  -o x"}, {"CPATH", "/inc"}, {"NVCC_APPEND_FLAGS", "-arch=sm_90"}};
  const DeviceCommand device = device_command(command, of("main.cu"));
  CHECK_EQ(device.command.arguments,
           Words{"nvcc", "-DA", "-DB", "-cubin", "-gencode=arch=compute_90,code=sm_90", "main.cu"});
  CHECK_EQ(device.command.environment, decltype(command.environment){{"CPATH", "/inc"}});
}

TEST_CASE("definitions come last, and those that nvcc's shell would read are refused") {
  DeviceTarget target = of("main.cu");
  target.definitions = {"TILE=8", "LIST=1,2"};
  target.kernel = "_Z1kv";
  const Words words = device_command(recorded({"-arch=sm_90", "main.cu"}), target).command.arguments;
  CHECK_EQ(Words(words.end() - 4, words.end()), Words{"-DTILE=8", "-DLIST=1\\,2", "-Xptxas=--entry=_Z1kv", "main.cu"});
  for (const char* bad : {"A=$(touch x)", "A=`x`", "A=\"", "A=\\", "A=1\n", "", "=1", "-o"}) {
    target.definitions = {bad};
    CHECK(contains(error_of(Errc::bad_usage,
                            [&] {
                              device_command(recorded({"-arch=sm_90", "main.cu"}), target);
                            }),
                   "cannot be given to nvcc"));
  }
}

TEST_CASE("what cannot be compiled for the device alone is refused with the reason") {
  const auto refusal = [](CompilerCommand command) {
    return error_of(Errc::bad_usage, [&] { device_command(command, of("main.cu")); });
  };
  CompilerCommand clang = recorded({"main.cu"});
  clang.program = "/usr/bin/clang++";
  CHECK(contains(refusal(clang), "only commands of nvcc"));
  CHECK(contains(refusal(recorded({"-arch=sm_90", "-dlto", "main.cu"})), "-dlto, which leaves the code to the linker"));
  CHECK(contains(refusal(recorded({"-arch=sm_90", "--options-file", "o.rsp", "main.cu"})), "reads options from o.rsp"));
  CHECK_EQ(refusal(recorded({"-gencode=arch=compute_80,code=sm_80", "main.cu"})),
           "The recorded command makes code for sm_80, and the code that ran is for sm_90: another command made that.");
  CHECK_EQ(refusal(recorded({"-arch=sm_90", "-c", "-o", "x"})),
           "The recorded command does not compile main.cu, but nothing: name one of those.");
  CHECK(contains(refusal({"/opt/cuda/bin/nvcc", "/", {}, {}}), "does not compile main.cu"));
}

TEST_CASE("the key knows the version, the options and where they hold, and not the source") {
  const auto key = [](const std::string& version, const CompilerCommand& command, const std::string& source = "a.cu") {
    return compiler_key({version, version}, device_command(command, of(source)));
  };
  const CompilerCommand command = recorded({"-DA", "-arch=sm_90", "-c", "a.cu", "b.cu", "-o", "a.o"});
  const cache::Hash first = key("13.0.88", command);
  CHECK_EQ(first, key("13.0.88", command, "b.cu"));
  CHECK_EQ(first, key("13.0.88", recorded({"-DA", "-c", "-arch", "sm_90", "a.cu"})));
  CHECK_NE(first, key("13.0.89", command));
  CHECK_NE(first, key("13.0.88", recorded({"-DB", "-arch=sm_90", "a.cu"})));
  CompilerCommand elsewhere = command;
  elsewhere.environment = {{"CPATH", "/inc"}};
  CHECK_NE(first, key("13.0.88", elsewhere));
  elsewhere = command;
  elsewhere.folder = "/other";
  CHECK_NE(first, key("13.0.88", elsewhere));
}
