#include "tuner/core/t1/reader.hpp"

#include <doctest/doctest.h>

#include <map>

#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

using tuner::KernelDescription;
using tuner::Task;
using tuner::test::contains;
using tuner::test::t1_task_of;
using tuner::test::T1Folder;
using tuner::test::text_of;
using tuner::test::warns;

namespace {

using Json = nlohmann::ordered_json;

Task task_of_file(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(TUNER_SOURCE_DIR) / "tests/data/t1" / name;
  return t1_task_of(tuner::load_description(file));
}

std::map<std::string, std::string> macros(const Task& task, const std::string& configuration) {
  std::map<std::string, std::string> found;
  for (const tuner::Macro& macro : task.macros(task.space().parse(configuration))) found[macro.name] = macro.text;
  return found;
}

}  // namespace

TEST_CASE("a T1 file and its kernel become a description like any other") {
  const T1Folder folder;
  const tuner::T1Description described = folder.read();
  CHECK(described.warnings.empty());
  CHECK(tuner::to_text(described.kernel) ==
        "#pragma tuner kernel(scale)\n"
        "#pragma tuner problem(n: exact = 1024)\n"
        "#pragma tuner problem_constraint(n == 1024)\n"
        "#pragma tuner param(BLOCK, 64, 128, 256; default 128)\n"
        "#pragma tuner param(ITEMS, 1, 2, 4; default 1)\n"
        "#pragma tuner constraint(BLOCK * ITEMS <= 512)\n"
        "#pragma tuner grid(1024 // (BLOCK * ITEMS))\n"
        "#pragma tuner block(BLOCK)\n"
        "#pragma tuner in(x, float, 1024, uniform(0, 1.0))\n"
        "#pragma tuner out(y, float, 1024)\n"
        "#pragma tuner scalar(n, int32)\n");
  const Task task = t1_task_of(described.kernel);
  CHECK(task.space().size() == 8);
  CHECK(task.geometry(*task.baseline()).text() == "grid=8x1x1 block=128x1x1 shared=0");
  CHECK(task.kernel_identity().rfind("scale:", 0) == 0);
}

TEST_CASE("the kernel is the same as if its source had the directives in it") {
  const T1Folder folder;
  const KernelDescription foreign = folder.read().kernel;
  const std::string annotated = T1Folder::kernel() + tuner::to_text(foreign);
  const auto own = tuner::parse_descriptions(annotated, folder.path() / "k.cu");
  CHECK(t1_task_of(foreign).kernel_identity() == t1_task_of(own.front()).kernel_identity());
  CHECK(foreign.blanked_source.rfind(T1Folder::kernel(), 0) == 0);
}

TEST_CASE("load_description knows a T1 file by its first character, and tells its warnings") {
  T1Folder folder;
  folder.at("/General")["TimeUnit"] = "Seconds";
  folder.write("kernel.json", " \n\t" + folder.file.dump());
  std::vector<std::string> warnings;
  const KernelDescription kernel =
      tuner::load_description(folder.json(), "", [&](const std::string& warning) { warnings.push_back(warning); });
  CHECK(kernel.kernel == "scale");
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == folder.json().string() + ": not used here: General.TimeUnit.");
}

// Spaces and launches counted by loops that share nothing with the reader.

TEST_CASE("hotspot.json has the configurations that its text means") {
  const Task task = task_of_file("hotspot.json");
  std::uint64_t count = 0;
  const int xs[] = {4, 8, 16, 32, 64, 96, 128};
  const int tall[] = {1, 2, 4, 6, 8};
  for (const int bx : xs) {
    for (int by = 1; by <= 32; by *= 2) {
      for (int tx = 1; tx <= 4; ++tx) {
        for (const int ty : tall) {
          for (const int factor : {1, 2, 3, 6}) {
            for (const int unroll : {1, 2, 3, 6}) {
              for (int power = 0; power < 2; ++power) {
                const bool launchable = bx * by >= 32 && bx * by <= 1024;
                const bool fits = (bx * tx + 12) * (by * ty + 12) * (2 + power) * 4 <= 32768;
                const bool wanted = !(tx > 2 && ty > 4) && bx != by;
                if (launchable && fits && wanted && factor % unroll == 0) ++count;
              }
            }
          }
        }
      }
    }
  }
  CHECK(count == 4716);
  CHECK(task.space().size() == count);
  CHECK(task.geometry(task.space().parse("block_size_x=16,block_size_y=4,tile_size_x=3,tile_size_y=2,"
                                         "temporal_tiling_factor=1,loop_unroll_factor_t=1"))
            .text() == "grid=21x75x1 block=16x4x1 shared=0");
  CHECK(task.arguments()[0].length == 600000);
  // The defaults of the file are none of its configurations.
  REQUIRE(task.baseline());
  CHECK(contains(task.space().text(*task.baseline()),
                 "loop_unroll_factor_t=2,max_tfactor=6,sh_power=true,temporal_tiling_factor=6"));
}

TEST_CASE("convolution.json has the configurations that its text means") {
  const Task task = task_of_file("convolution.json");
  std::uint64_t count = 0;
  for (const int bx : {16, 32, 48, 64, 80, 96, 128}) {
    for (const int by : {1, 2, 4, 8, 16}) {
      for (int tx = 1; tx <= 4; ++tx) {
        for (const int ty : {1, 2, 4, 8}) {
          for (int padding = 0; padding < 2; ++padding) {
            for (const bool constant : {true, false}) {
              const bool threads = bx * by >= 64 && bx * by <= 512;
              const bool padded = padding == 0 || bx % 32 != 0;
              const bool tiled = tx * ty < (constant ? 12 : 6);
              if (threads && padded && tiled && (bx * tx + 16) * (by * ty + 8) < 12288) ++count;
            }
          }
        }
      }
    }
  }
  CHECK(count == 576);
  CHECK(task.space().size() == count);
  CHECK(task.geometry(*task.baseline()).text() == "grid=64x33x1 block=16x16x1 shared=0");
  const auto defined = macros(task, "block_size_x=48,tile_size_x=2,where=filter");
  CHECK(defined.at("where") == "filter");
  CHECK(defined.at("scale") == "0.5");
  CHECK(defined.at("kernel_tuner") == "1");
  CHECK(defined.at("grid_size_x") == "11");
  CHECK(!defined.contains("grid_size_y"));  // the source has no use for it
  const auto arguments = task.arguments();
  REQUIRE(arguments.size() == 5);
  CHECK(arguments[0].length == 1021 * 515);
  CHECK(arguments[1].length == 1037 * 523);
  CHECK(arguments[2].role == tuner::Argument::Role::constant);
  CHECK(arguments[2].name == "d_filter");
  // The kernel has a parameter for the filter as well, and both must hold the same.
  CHECK(arguments[3].role == tuner::Argument::Role::in);
  CHECK(arguments[3].generators == arguments[2].generators);
  CHECK(arguments[4].role == tuner::Argument::Role::constant);
}

TEST_CASE("gemm.json has the configurations that its text means") {
  const Task task = task_of_file("gemm.json");
  std::uint64_t count = 0;
  for (const int mwg : {16, 32, 64, 128}) {
    for (const int nwg : {16, 32, 64, 128}) {
      for (const int kwg : {16, 32}) {
        for (const int mdimc : {8, 16, 32}) {
          for (const int ndimc : {8, 16, 32}) {
            for (const int mdima : {8, 16, 32}) {
              for (const int ndimb : {8, 16, 32}) {
                const double a = static_cast<double>(mdimc * ndimc) / mdima;
                const double b = static_cast<double>(mdimc * ndimc) / ndimb;
                const bool tiles = mwg % mdimc == 0 && nwg % ndimc == 0 && mwg % mdima == 0 && nwg % ndimb == 0;
                const bool loads = kwg == a * static_cast<int>(kwg / a) && kwg == b * static_cast<int>(kwg / b);
                const bool large = mwg == 128 && nwg == 128 && mdimc == 8 && ndimc == 8;
                if (tiles && loads && !large && mwg / mdimc * (nwg / ndimc) <= 64) count += 4;  // SA and SB
              }
            }
          }
        }
      }
    }
  }
  CHECK(count == 4796);
  CHECK(task.space().size() == count);
  const auto configuration = task.space().parse("MWG=64,NWG=32,KWG=32,MDIMC=16,NDIMC=8,MDIMA=16,NDIMB=8,SA=1,SB=0");
  CHECK(task.geometry(configuration).text() == "grid=8x12x1 block=16x8x1 shared=8192");
  CHECK(task.name_expression(configuration) == "gemm<float>");
  CHECK(task.options(configuration) == std::vector<std::string>{"-DALPHA=2.0f"});
  CHECK(task.arguments()[5].rtol == 0.001);
  CHECK(tuner::problem_text(task.problem()) == "sizeK=256,sizeM=512,sizeN=384");
}

// The launch.

TEST_CASE("GlobalSize counts blocks or threads, as GlobalSizeType says") {
  T1Folder folder;
  folder.at("/KernelSpecification/GlobalSize") = Json{{"X", 1000}, {"Y", "30 * ITEMS"}};
  folder.at("/KernelSpecification/LocalSize") = Json{{"X", "BLOCK"}, {"Y", "2"}, {"Z", 3}};
  CHECK(contains(text_of(folder), "grid(1000, 30 * ITEMS)\n"));
  CHECK(contains(text_of(folder), "block(BLOCK, 2, 3)\n"));
  folder.at("/KernelSpecification/GlobalSizeType") = "OpenCL";
  CHECK(contains(text_of(folder), "grid(ceil_div(1000, BLOCK), ceil_div(30 * ITEMS, 2), ceil_div(1, 3))\n"));
}

TEST_CASE("a quotient that Python makes real is cut to a whole number") {
  T1Folder folder;
  folder.at("/KernelSpecification/GlobalSize/X") = "1024 / BLOCK / ITEMS";
  CHECK(contains(text_of(folder), "grid(int(1024 / BLOCK / ITEMS))"));
  folder.at("/KernelSpecification/GlobalSize/X") = "math.ceil(1000 / BLOCK)";
  const Task task = t1_task_of(folder.read().kernel);
  CHECK(task.geometry(*task.baseline()).grid[0] == 8);
}

TEST_CASE("GridDiv divides ProblemSize by its product, and dimensions without one by the block") {
  T1Folder folder;
  Json& specification = folder.file["KernelSpecification"];
  specification["ProblemSize"] = {1000, 600};
  specification["GridDivX"] = {"BLOCK", "ITEMS + 1"};
  specification["LocalSize"]["Y"] = "4";
  CHECK(contains(text_of(folder), "grid(ceil_div(problem_size_x, BLOCK * (ITEMS + 1)), ceil_div(problem_size_y, 4))"));
  CHECK(warns(folder.read(), "KernelSpecification.GlobalSize: "));
  specification["GlobalSize"] = {{"X", "1000"}, {"Y", "600"}};
  CHECK(folder.read().warnings.empty());
  specification["GridDivY"] = "2 * ITEMS";
  CHECK(contains(text_of(folder), "ceil_div(problem_size_y, 2 * ITEMS))"));
  specification["GridDivX"] = Json::array();  // as if it were missing
  CHECK(contains(text_of(folder), "grid(ceil_div(problem_size_x, BLOCK), "));
  specification.erase("ProblemSize");
  CHECK(contains(text_of(folder), "grid(ceil_div(1000, BLOCK), ceil_div(600, 2 * ITEMS))"));
}

TEST_CASE("ProblemSize alone is divided by the block, and is part of the problem") {
  T1Folder folder;
  folder.file["KernelSpecification"]["ProblemSize"] = 1000;
  folder.file["KernelSpecification"].erase("GlobalSize");
  CHECK(contains(text_of(folder), "grid(ceil_div(problem_size_x, BLOCK))"));
  CHECK(tuner::problem_text(t1_task_of(folder.read().kernel).problem()) == "n=1024,problem_size_x=1000");
  const KernelDescription kernel = folder.read().kernel;
  const std::string other = tuner::test::error_of([&] { Task(kernel, {{"n", 2048}}, tuner::known_device("H200")); });
  CHECK(contains(other, "problem_size_x == 1000 and n == 1024"));
}

TEST_CASE("shared memory is bytes, and local arguments are added to it") {
  T1Folder folder;
  folder.at("/KernelSpecification/SharedMemory") = "4 * BLOCK";
  CHECK(contains(text_of(folder), "shared(4 * BLOCK)"));
  folder.at("/KernelSpecification/Arguments")
      .push_back({{"Name", "tile"}, {"Type", "double"}, {"MemoryType", "Local"}, {"Size", "BLOCK + 1"}});
  CHECK(contains(text_of(folder), "shared(4 * BLOCK + (BLOCK + 1) * 8)"));
  CHECK(folder.read().kernel.arguments.size() == 3);
}

TEST_CASE("what is no CUDA parameter of the launch leaves the launch alone") {
  T1Folder folder;
  folder.at("/KernelSpecification/SharedMemory") = 0;
  folder.at("/KernelSpecification/Stream") = nullptr;
  CHECK(!contains(text_of(folder), "shared("));
  CHECK(folder.read().warnings.empty());
}

// Parameters.

TEST_CASE("strings reach the kernel word for word") {
  T1Folder folder;
  folder.at("/ConfigurationSpace/TuningParameters")
      .push_back(
          {{"Name", "LOAD"}, {"Type", "string"}, {"Values", "['__ldg', 'static_cast<float>', '']"}, {"Default", ""}});
  folder.at("/ConfigurationSpace/Conditions")
      .push_back({{"Expression", "LOAD != '' or ITEMS == 1"}, {"Parameters", {"LOAD"}}});
  const Task task = t1_task_of(folder.read().kernel);
  CHECK(contains(text_of(folder), R"(param(LOAD, "__ldg", "static_cast<float>", ""; default ""; text))"));
  CHECK(macros(task, "LOAD=__ldg").at("LOAD") == "__ldg");
  CHECK(macros(task, R"(LOAD="static_cast<float>")").at("LOAD") == "static_cast<float>");
  CHECK(!macros(task, "LOAD=__ldg").contains("LOAD___ldg"));
  CHECK(task.space().size() == 8 + 8 + 3);
}

TEST_CASE("strings that are types can be measured") {
  T1Folder folder;
  folder.at("/ConfigurationSpace/TuningParameters")
      .push_back({{"Name", "VECTOR"}, {"Type", "string"}, {"Values", "['float4', 'float']"}});
  folder.at("/KernelSpecification/SharedMemory") = "sizeof(VECTOR) * BLOCK";
  const Task task = t1_task_of(folder.read().kernel);
  CHECK(task.geometry(task.space().parse("VECTOR=float4,BLOCK=64")).shared_bytes == 1024);
  CHECK(macros(task, "VECTOR=float4").at("VECTOR") == "float4");
}

TEST_CASE("values may be a JSON list, and stand for booleans and reals") {
  T1Folder folder;
  folder.at("/ConfigurationSpace/TuningParameters")
      .push_back({{"Name", "FLAG"}, {"Type", "bool"}, {"Values", {true, false}}, {"Default", false}});
  folder.at("/ConfigurationSpace/TuningParameters")
      .push_back({{"Name", "RATIO"}, {"Type", "float"}, {"Values", {0.5, 2, -1.5}}});
  const Task task = t1_task_of(folder.read().kernel);
  const auto defined = macros(task, "RATIO=-1.5");
  CHECK(defined.at("FLAG") == "0");
  CHECK(defined.at("RATIO") == "(-1.5)");
}

TEST_CASE("a value that is there twice is used once, with a warning") {
  T1Folder folder;
  folder.at("/ConfigurationSpace/TuningParameters/1/Values") = "[1, 2] + list(range(2, 5)) + [1.0]";
  folder.at("/ConfigurationSpace/TuningParameters/1/Type") = "float";
  CHECK(contains(text_of(folder), "param(ITEMS, 1, 2, 3, 4; default 1)"));
  CHECK(warns(folder.read(),
              "ConfigurationSpace.TuningParameters[1].Values: 2 of the values occur in the list more than once"));
}

TEST_CASE("a default that is no value gives way to the first value, with a warning") {
  T1Folder folder;
  folder.at("/ConfigurationSpace/TuningParameters/0/Default") = 32;
  CHECK(contains(text_of(folder), "param(BLOCK, 64, 128, 256; default 64)"));
  CHECK(warns(folder.read(), "TuningParameters[0].Default: 32 is not among the values"));
}

TEST_CASE("defaults that violate a condition give way to the nearest configuration") {
  T1Folder folder;
  folder.at("/ConfigurationSpace/TuningParameters/0/Default") = 256;
  folder.at("/ConfigurationSpace/TuningParameters/1/Default") = 4;
  const tuner::T1Description described = folder.read();
  CHECK(t1_task_of(described.kernel).baseline());
  CHECK(contains(tuner::to_text(described.kernel), "default 64)"));
  CHECK(warns(described, "BLOCK * ITEMS <= 512"));
  CHECK(warns(described, "it has BLOCK=64 instead"));
  // Nobody chose the first values, so nothing is said of leaving them.
  folder.at("/ConfigurationSpace/TuningParameters/0").erase("Default");
  folder.at("/ConfigurationSpace/TuningParameters/1").erase("Default");
  folder.at("/ConfigurationSpace/Conditions/0/Expression") = "BLOCK * ITEMS == 512";
  CHECK(t1_task_of(folder.read().kernel).baseline());
  CHECK(folder.read().warnings.empty());
}

TEST_CASE("a baseline with more threads than a block can have gives way, too") {
  T1Folder folder;
  folder.at("/KernelSpecification/LocalSize/Y") = "16 // ITEMS";
  CHECK(contains(text_of(folder), "param(BLOCK, 64, 128, 256; default 64)"));
}

TEST_CASE("constants of BenchmarkConfig are macros where the source leaves them open") {
  T1Folder folder;
  folder.file["BenchmarkConfig"] = {{"PRECISION", 64}, {"n", 5}, {"iterations", 10}};
  const auto has_macro = [&](const std::string& source) {
    folder.write("k.cu", source);
    const std::string text = text_of(folder);
    CHECK(!contains(text, "define(n "));
    CHECK(!contains(text, "define(iterations "));
    return contains(text, "define(PRECISION = 64)");
  };
  const std::string kernel = T1Folder::kernel();
  CHECK(!has_macro(kernel));
  CHECK(has_macro("#if PRECISION == 64\n#endif\n" + kernel));
  CHECK(has_macro("#ifndef PRECISION\n#define PRECISION 32\n#endif\n" + kernel));
  CHECK(has_macro("__device__ int bytes() { return PRECISION / 8; }\n" + kernel));
  CHECK(!has_macro("#define PRECISION 32\n#if PRECISION == 64\n#endif\n" + kernel));
  CHECK(!has_macro("constexpr int PRECISION = 32;\n" + kernel));
  CHECK(!has_macro("__device__ void set(float* PRECISION);\n" + kernel));
  CHECK(!has_macro("enum { HALF, PRECISION, DOUBLE };\n" + kernel));
  CHECK(!has_macro("enum class Kind : int {\n#if A\n  PRECISION = 3\n#endif\n};\n" + kernel));
  CHECK(!has_macro("__device__ int f(int2 v) { auto [PRECISION, b] = v; return PRECISION; }\n" + kernel));
  CHECK(!has_macro("__device__ int f(int2 v) { const auto& [a, PRECISION] = v; return PRECISION; }\n" + kernel));
  CHECK(!has_macro("__device__ int f() { return [PRECISION = 3] { return PRECISION; }(); }\n" + kernel));
  CHECK(!has_macro("__device__ int f(int a) { return g([a, &PRECISION = a] { return a; }); }\n" + kernel));
  CHECK(!has_macro("__device__ int f(float (&PRECISION)[3]) { return PRECISION[0]; }\n" + kernel));
  CHECK(has_macro("enum { HALF = PRECISION / 2 };\n__device__ float f(float* a) { return a[PRECISION]; }\n" + kernel));
  CHECK(has_macro("__device__ void f() { const Tile<double, PRECISION> tile; }\n" + kernel));
  CHECK(has_macro("__device__ void f() { auto tile = Tile<double, PRECISION>(); }\n" + kernel));
  CHECK(has_macro("using Square = Tile<Tile<double, 4>, PRECISION>;\n" + kernel));
  CHECK(!has_macro("constexpr int COLUMNS = 1 << 5, PRECISION = 32;\n" + kernel));
  CHECK(!has_macro("constexpr int IS_LESS = A <= B, PRECISION = 32;\n" + kernel));
  CHECK(has_macro("__device__ float f(float* a, int b) { return a[2] * PRECISION + a[b & PRECISION]; }\n" + kernel));
  CHECK(has_macro("__device__ bool f(char a) { return a == 'x' && PRECISION; }\n" + kernel));
  folder.at("/KernelSpecification/Arguments/2/Name") = "PRECISION";
  CHECK(!has_macro("#if PRECISION == 64\n#endif\n" + kernel));
}

TEST_CASE("a constant of BenchmarkConfig that a header declares or defines is no macro") {
  T1Folder folder;
  folder.file["BenchmarkConfig"] = {{"PRECISION", 64}};
  folder.write("k.cu", "#include \"precision.h\"\n__device__ int f() { return PRECISION; }\n" + T1Folder::kernel());
  const auto has_macro = [&](const std::string& header) {
    folder.write("precision.h", header);
    return contains(text_of(folder), "define(PRECISION = 64)");
  };
  CHECK(has_macro("#pragma once\n"));
  CHECK(has_macro("#ifndef PRECISION\n#define PRECISION 32\n#endif\n"));
  CHECK(has_macro("inline __device__ int bytes() { return PRECISION / 8; }\n"));
  CHECK(!has_macro("#define PRECISION 32\n"));
  CHECK(!has_macro("constexpr int PRECISION = 32;\n"));
  folder.write("deep.h", "enum Bits { PRECISION = 32 };\n");
  CHECK(!has_macro("#include \"deep.h\"\n"));
  // What may declare it is not there to be read.
  CHECK(!has_macro("#include \"missing.h\"\n"));
}

TEST_CASE("a scalar in quotes that is a number belongs to the problem as one without") {
  T1Folder folder;
  const std::string plain = text_of(folder);
  folder.at("/KernelSpecification/Arguments/2/FillValue") = "1024";
  CHECK(text_of(folder) == plain);
  folder.at("/KernelSpecification/Arguments/2/FillValue") = "2 * 512";
  CHECK(contains(text_of(folder), "scalar(n, int32, value 2 * 512)"));
}

TEST_CASE("constants of BenchmarkConfig can be named, and what is no number there is listed") {
  T1Folder folder;
  folder.file["BenchmarkConfig"] = {{"LIMIT", 256}, {"iterations", 10}, {"note", "text"}};
  folder.at("/ConfigurationSpace/Conditions/0/Expression") = "BLOCK * ITEMS <= LIMIT";
  CHECK(t1_task_of(folder.read().kernel).space().size() == 3 + 2 + 1);
  CHECK(warns(folder.read(), "not used here: BenchmarkConfig.note"));
}

// Arguments.

TEST_CASE("compiler options are those of the run-time compiler; others are named") {
  T1Folder folder;
  folder.at("/KernelSpecification/CompilerOptions") = {"-std=c++14",      "",          "-O3",   "-I",   "include",
                                                       "-arch=sm_80",     "-lineinfo", "-DX=1", "-std", "c++17",
                                                       "-Xcompiler=-Wall"};
  const std::string text = text_of(folder);
  const std::string include = (folder.path() / "include").string();
  CHECK(contains(text, "options(\"-std=c++14\", \"-I" + include + "\", \"-lineinfo\", \"-DX=1\", \"-std=c++17\")"));
  const auto described = folder.read();
  CHECK(warns(described, "CompilerOptions[2]: `-O3` is not used"));
  CHECK(warns(described, "CompilerOptions[5]: `-arch=sm_80` is not used"));
  CHECK(warns(described, "CompilerOptions[10]: "));
}

TEST_CASE("template kernels: types by name, parameters as arguments") {
  T1Folder folder;
  folder.at("/KernelSpecification/KernelTypeNames") = {"float", "ITEMS"};
  CHECK(contains(text_of(folder), "kernel(scale<float, ITEMS>)"));
  CHECK(contains(text_of(folder), "param(ITEMS, 1, 2, 4; default 1; argument)"));
  folder.file["KernelSpecification"].erase("KernelTypeNames");
  folder.at("/KernelSpecification/KernelName") = "ns::scale<float>";
  CHECK(contains(text_of(folder), "kernel(ns::scale<float>)"));
}
