#include "tuner/core/t1/reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

using tuner::KernelDescription;
using tuner::Task;
using tuner::test::contains;
using tuner::test::T1Folder;

namespace {

using Json = nlohmann::ordered_json;

Task t1_task_of(const KernelDescription& kernel) {
  return Task(kernel, {}, tuner::known_device("H200"));
}

Task task_of_file(const std::string& name) {
  const std::filesystem::path file = std::filesystem::path(TUNER_SOURCE_DIR) / "tests/data/t1" / name;
  return t1_task_of(tuner::load_description(file));
}

bool warns(const tuner::T1Description& described, const std::string& part) {
  return std::any_of(described.warnings.begin(), described.warnings.end(),
                     [&](const std::string& warning) { return contains(warning, part); });
}

std::string text_of(const T1Folder& folder) {
  return tuner::to_text(folder.read().kernel);
}

std::map<std::string, std::string> macros(const Task& task, const std::string& configuration) {
  std::map<std::string, std::string> found;
  for (const tuner::Macro& macro : task.macros(task.space().parse(configuration))) found[macro.name] = macro.text;
  return found;
}

/// How messages name the place of a JSON pointer: /A/0/B is A[0].B.
std::string place_of(const std::string& pointer) {
  std::string place;
  std::istringstream steps(pointer.substr(1));
  for (std::string step; std::getline(steps, step, '/');) {
    place += tuner::is_digit(step[0]) ? "[" + step + "]" : (place.empty() ? "" : ".") + step;
  }
  return place;
}

/// What is wrong with the file, without the folder's name.
std::string mistake(const T1Folder& folder) {
  const std::string sentence = tuner::test::error_of([&] { folder.read(); });
  const std::string name = folder.json().string() + ": ";
  return sentence.rfind(name, 0) == 0 ? sentence.substr(name.size()) : sentence;
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
  CHECK(arguments[3].generator == arguments[2].generator);
  CHECK(arguments[3].generator_parameters == arguments[2].generator_parameters);
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

TEST_CASE("constants of BenchmarkConfig can be named, and what is no number there is listed") {
  T1Folder folder;
  folder.file["BenchmarkConfig"] = {{"LIMIT", 256}, {"iterations", 10}, {"note", "text"}};
  folder.at("/ConfigurationSpace/Conditions/0/Expression") = "BLOCK * ITEMS <= LIMIT";
  CHECK(t1_task_of(folder.read().kernel).space().size() == 3 + 2 + 1);
  CHECK(warns(folder.read(), "not used here: BenchmarkConfig.note"));
}

// Arguments.

TEST_CASE("arguments are read, written and compared as their access says") {
  T1Folder folder;
  Json& arguments = folder.at("/KernelSpecification/Arguments");
  const auto argument = [&](Json further) {
    Json object{{"Name", "z"}, {"Type", "float"}, {"MemoryType", "Vector"}, {"Size", 8}};
    object.update(further);
    arguments[3] = std::move(object);
    return text_of(folder);
  };
  CHECK(contains(argument({{"AccessType", "ReadWrite"}, {"FillType", "Constant"}, {"FillValue", -2.5}}),
                 "inout(z, float, 8, constant((-2.5)))"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"FillType", "Random"}, {"FillValue", 324}}),
                 "in(z, float, 8, uniform(0, 324.0))"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"Type", "int32"}, {"FillType", "Random"}, {"FillValue", 9}}),
                 "in(z, int32, 8, uniform(0, 10.0))"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"Type", "bool"}, {"FillType", "Random"}}),
                 "in(z, bool, 8, index(2))"));
  CHECK(contains(argument({{"AccessType", "WriteOnly"}, {"Output", 1}, {"FillType", "Script"}}), "out(z, float, 8)"));
  CHECK(contains(argument({{"AccessType", "WriteOnly"}, {"Output", false}, {"Size", "8 * BLOCK"}}),
                 "scratch(z, float, 8 * BLOCK)"));
  CHECK(contains(argument({{"AccessType", "ReadWrite"}, {"Output", 0}}), "scratch(z, float, 8)"));
  CHECK(contains(argument({{"AccessType", "ReadWrite"}, {"Output", 0}, {"FillValue", 0}}),
                 "inout(z, float, 8, constant(0))"));
  CHECK(warns(folder.read(), "Arguments[3].Output: is compared nevertheless"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"Output", 1}, {"FillValue", 0}}), "inout(z, "));
  CHECK(warns(folder.read(), "Arguments[3].Output: "));
  CHECK(contains(argument({{"Type", "float4"}, {"FillValue", 0}}), "inout(z, float4, 8, constant(0))"));
  CHECK(contains(argument({{"MemoryType", "Constant"}, {"FillValue", 1}}), "constant(z, float, 8, constant(1))"));
  CHECK(contains(argument({{"MemoryType", "Symbol"}, {"FillValue", 1}}), "constant(z, float, 8, constant(1))"));
  CHECK(contains(argument({{"MemType", "Constant"}, {"FillValue", 1}}), "constant(z, float, 8, constant(1))"));
  CHECK(!contains(text_of(folder), "in(z_argument"));  // the kernel has three parameters
  CHECK(contains(argument({{"AccessType", "WriteOnly"}, {"RelativeTolerance", 0.5}, {"AbsoluteTolerance", 0}}),
                 "out(z, float, 8, rtol 0.5, atol 0.0)"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"FillValue", 1}, {"Padding", 128}}),
                 "in(z, float, 8, constant(1), pad 128)"));
  CHECK(contains(argument({{"AccessType", "WriteOnly"}, {"Padding", 128}}), "out(z, float, 8, pad 128)"));
  CHECK(
      contains(argument({{"AccessType", "WriteOnly"}, {"Output", 0}, {"Padding", 4}}), "scratch(z, float, 8, pad 4)"));
  CHECK(contains(argument({{"AccessType", "WriteOnly"}, {"Padding", 0}}), "out(z, float, 8)"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"FillType", "BinaryRaw"}, {"DataSource", "z.npy"}}),
                 "file(\"z.npy\")"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"FillValue", 1}, {"DataSource", "z.npy"}}), "file(\"z.npy\")"));
  CHECK(contains(argument({{"AccessType", "ReadOnly"}, {"FillType", "Random"}, {"DataSource", "z.npy"}}),
                 "uniform(0, 1"));
  CHECK(warns(folder.read(), "Arguments[3].DataSource: is not used: FillType is Random."));
  arguments[3]["DataSource"] = "z.bin";
  arguments[3].erase("FillType");
  CHECK(contains(mistake(folder), "Arguments[3].DataSource: must be the name of a NumPy file"));
}

TEST_CASE("sizes may name ProblemSize, the extremes of a parameter, and a parameter that has one value") {
  T1Folder folder;
  folder.file["KernelSpecification"]["ProblemSize"] = {50, "2 * 30"};
  folder.at("/ConfigurationSpace/TuningParameters").push_back({{"Name", "ONE"}, {"Type", "int"}, {"Values", "[7]"}});
  Json& size = folder.at("/KernelSpecification/Arguments/0/Size");
  const auto length = [&](const char* text) {
    size = text;
    return t1_task_of(folder.read().kernel).arguments()[0].length;
  };
  CHECK(length("ProblemSize[0] * ProblemSize[1]") == 3000);
  CHECK(length("(ProblemSize[0] + max(ITEMS) - 1) * min(BLOCK)") == 53 * 64);
  CHECK(length("ONE * 3") == 21);
  CHECK(length("100 / 8") == 12);
}

TEST_CASE("names that cannot stand in a description are changed, with a warning") {
  T1Folder folder;
  folder.at("/KernelSpecification/Arguments/0/Name") = "input-image";
  folder.at("/KernelSpecification/Arguments/1").erase("Name");
  folder.at("/KernelSpecification/Arguments/2/Name") = "float";
  CHECK(contains(text_of(folder), "in(input_image, "));
  CHECK(contains(text_of(folder), "out(argument_1, "));
  CHECK(contains(text_of(folder), "scalar(argument_float, int32)"));
  CHECK(warns(folder.read(), "Arguments[0].Name: is called `input_image` here"));
}

TEST_CASE("scalars that share the name of a parameter keep their value") {
  T1Folder folder;
  folder.at("/KernelSpecification/Arguments/2/Name") = "BLOCK";
  CHECK(contains(text_of(folder), "scalar(BLOCK, int32, value 1024)"));
  folder.at("/KernelSpecification/Arguments/2") = {
      {"Name", "n"}, {"Type", "int32"}, {"MemoryType", "Scalar"}, {"FillValue", "4 * max(BLOCK)"}};
  CHECK(contains(text_of(folder), "scalar(n, int32, value 4 * 256)"));
}

// The rest.

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

TEST_CASE("what other tuners are told is listed once, labels are not") {
  T1Folder folder;
  folder.file["General"] = {{"BenchmarkName", "x"}, {"FormatVersion", 1}, {"LoggingLevel", "Info"}};
  folder.file["Search"] = {{"Name", "Random"}};
  folder.at("/KernelSpecification/Device") = {{"DeviceId", 0}};
  folder.at("/KernelSpecification/Profiling") = false;
  folder.at("/KernelSpecification/BenchmarkName") = "x";
  const auto described = folder.read();
  REQUIRE(described.warnings.size() == 1);
  CHECK(contains(described.warnings[0], "not used here: General.LoggingLevel, Search, KernelSpecification.Device."));
}

TEST_CASE("unknown keys are named with their path and the nearest known one") {
  T1Folder folder;
  folder.at("/KernelSpecification/GridDivx") = "1";
  folder.at("/KernelSpecification/Arguments/0/FillTyp") = 1;
  folder.file["Extra"] = 1;
  const auto described = folder.read();
  CHECK(described.warnings.size() == 3);
  CHECK(warns(described, "KernelSpecification.GridDivx: unknown key, which is not used; did you mean `GridDivX`?"));
  CHECK(warns(described, "KernelSpecification.Arguments[0].FillTyp: unknown key"));
  CHECK(warns(described, ": Extra: unknown key"));
}

TEST_CASE("directives of the kernel file are not read, and said to be not") {
  T1Folder folder;
  folder.write("k.cu", "#pragma tuner kernel(other)\n" + T1Folder::kernel());
  CHECK(folder.read().kernel.kernel == "scale");
  CHECK(warns(folder.read(), "KernelSpecification.KernelFile: contains directives"));
}

TEST_CASE("conditions are named by their path where they are broken") {
  const T1Folder folder;
  const Task task = t1_task_of(folder.read().kernel);
  const auto why = task.space().why_invalid(task.space().parse("BLOCK=256,ITEMS=4"));
  REQUIRE(why);
  CHECK(contains(*why, "kernel.json: ConfigurationSpace.Conditions[0].Expression"));
}

TEST_CASE("what is not there at launch is named by its path, too") {
  T1Folder folder;
  folder.at("/KernelSpecification/GlobalSize/X") = "BLOCK // 1000";
  const Task task = t1_task_of(folder.read().kernel);
  CHECK(tuner::test::error_of([&] {
          task.geometry(*task.baseline());
        }).starts_with(folder.json().string() + ": KernelSpecification: grid x of `scale` for "));
  folder.at("/KernelSpecification/GlobalSize/X") = 8;
  folder.at("/KernelSpecification/LocalSize/X") = "BLOCK - 128";
  CHECK(warns(folder.read(), "the defaults cannot be the baseline, since " + folder.json().string() +
                                 ": KernelSpecification: block x of `scale` for BLOCK=128,ITEMS=1: `BLOCK - 128` is 0, "
                                 "but must be at least 1; it has BLOCK=256 instead."));
}

TEST_CASE("every mistake is a sentence that names its place") {
  struct Mistake {
    const char* pointer;
    Json value;
    const char* said;  ///< behind the place
    std::string place = place_of(pointer);
  };
  const Mistake mistakes[] = {
      {"/KernelSpecification/Arguments/0/Type", "flaot", ": unknown type `flaot`; did you mean `float`?"},
      {"/KernelSpecification/Arguments/0/Type", "float16", ": `float16` is a vector that CUDA does not have"},
      {"/KernelSpecification/Arguments/0/Type", "half4", ": `half4` is a vector"},
      {"/KernelSpecification/Arguments/0/Type", "custom", ": arguments of a custom type"},
      {"/KernelSpecification/Arguments/0/Type", 4, ": must be a string, not number."},
      {"/KernelSpecification/Arguments/0/TypeSize", 8, ": `float` has 4 bytes, not 8: write 4, or correct the Type."},
      {"/KernelSpecification/Arguments/0/Size", 99999999999999,
       ": is 99999999999999 elements of type float, more than any memory holds."},
      {"/KernelSpecification/Arguments/0/Size", "2**40 * 2**40", ": "},
      {"/KernelSpecification/Arguments/0/Size", 18446744073709551615U,
       ": 18446744073709551615 does not fit in 64 bits."},
      {"/KernelSpecification/Arguments/0/Size", -1, ": is -1; a buffer has at least one element."},
      {"/KernelSpecification/Arguments/0/Size", "1024 * BLOCK",
       ": uses the tuned parameter `BLOCK`, but must be the same for every configuration"},
      {"/KernelSpecification/Arguments/0/Size", "ProblemSiz[0]", ": "},
      {"/KernelSpecification/Arguments/1/Size", Json::array(),
       ": must be a number, true, false or a string, not array."},
      {"/KernelSpecification/Arguments/0/AccessType", "Read", ": unknown access `Read`"},
      {"/KernelSpecification/Arguments/1/AccessType", "ReadOnly",
       ": no argument is written, and without an output no configuration can be checked; the kernel can write through "
       "`float* y`: set it to WriteOnly, or to ReadWrite if it is read too."},
      {"/KernelSpecification/Language", "HIP", ": kernels in `HIP` cannot be compiled here; only CUDA C++ can: set it"},
      {"/KernelSpecification/Arguments/0/FillType", "Generator",
       ": elements are not computed by an expression here: use BinaryRaw with a NumPy file, \"DataSource\": \"x.npy\" "
       "(numpy.save('x.npy', ...) writes one)."},
      {"/ConfigurationSpace/Constraints",
       {{{"Expression", "BLOCK > 64"}}},
       ": is not read, but the space would be another one without it: T1 calls it Conditions."},
      {"/KernelSpecification/CompilerOptions",
       {"-std=c++11", "-std=gnu++98"},
       "[1]: the run-time compiler has no language \"gnu++98\": choose one of c++03,"},
      {"/KernelSpecification/Arguments/0/Padding", -4, ": is -4; a padding has from 0 to 1073741824 bytes."},
      {"/KernelSpecification/Arguments/0/MemoryType", "Texture", ": `Texture` memory is not supported"},
      {"/KernelSpecification/Arguments/0/FillType", "Script", ": `Script` is not supported"},
      {"/KernelSpecification/Arguments/0/FillType", "BinaryRaw", ": `BinaryRaw` is not supported"},
      {"/KernelSpecification/Arguments/0/FillValue", "much", ": must be a number."},
      {"/KernelSpecification/Arguments/2/FillValue", nullptr, " is missing."},
      {"/KernelSpecification/Arguments/2/FillValue", 2.5, ": the value of `n`", "KernelSpecification.Arguments[2]"},
      {"/KernelSpecification/Arguments/2/FillValue", 3000000000,
       ": the value of `n` is 3000000000, which does not fit int32.", "KernelSpecification.Arguments[2]"},
      {"/KernelSpecification/Arguments/2/Name", "x", ": the argument `x` is described twice.",
       "KernelSpecification.Arguments[2]"},
      {"/KernelSpecification/Language", "OpenCL", ": kernels in `OpenCL` cannot be compiled here"},
      {"/KernelSpecification/KernelFile", "missing.cu", ": The kernel file "},
      {"/KernelSpecification/KernelName", "no name", ": "},
      {"/KernelSpecification/GlobalSize/X", "1024 //", ": `1024 //` is not an expression: "},
      {"/KernelSpecification/GlobalSize/X", "1024 // BLOK", ": unknown name `BLOK`; did you mean `BLOCK`?",
       "KernelSpecification.GlobalSize"},
      {"/KernelSpecification/GlobalSizeType", "Vulkan", ": unknown type `Vulkan`"},
      {"/KernelSpecification/GlobalSize", nullptr, " is missing."},
      {"/KernelSpecification/LocalSize", "BLOCK", ": must be an object in braces, not string."},
      {"/KernelSpecification/ProblemSize", {1, 2, 3, 4}, ": has 4 dimensions"},
      {"/KernelSpecification/ProblemSize", {"x"}, "[0]: "},
      {"/KernelSpecification/CompilerOptions", "-O3", ": must be a list in square brackets, not string."},
      {"/KernelSpecification/CompilerOptions", {"fast"}, "[0]: `fast` is not a compiler option."},
      {"/ConfigurationSpace/Conditions/0/Expression", "BLOCK *", ": `BLOCK *` is not an expression: "},
      {"/ConfigurationSpace/Conditions/0/Expression", "lambda p: p > 1", ": `lambda p: p > 1` is not an expression"},
      {"/ConfigurationSpace/Conditions/0/Expression", 5, ": must be a string, not number."},
      {"/ConfigurationSpace/Conditions/0/Expression", "ITEM < 2", ": unknown name `ITEM`; did you mean `ITEMS`?"},
      {"/ConfigurationSpace/Conditions/0/Parameters", "BLOCK", ": must be a list"},
      {"/ConfigurationSpace/TuningParameters/1/Values", "[(1, 2)]", ": `(1, 2)` is a tuple"},
      {"/ConfigurationSpace/TuningParameters/1/Values", "[]", ": has no value"},
      {"/ConfigurationSpace/TuningParameters/1/Values", {1, {2}}, "[1]: must be a number"},
      {"/ConfigurationSpace/TuningParameters/1/Values", {"a", 2}, ": the values are partly strings"},
      {"/ConfigurationSpace/TuningParameters/1/Values", "[0.5]", ": the value 0.5 does not have the Type int"},
      {"/ConfigurationSpace/TuningParameters/1/Type", "integer", ": unknown type `integer`"},
      {"/ConfigurationSpace/TuningParameters/1/Type", nullptr, " is missing."},
      {"/ConfigurationSpace/TuningParameters/1/Name", "BLOCK", ": the parameter `BLOCK` is described already"},
      {"/ConfigurationSpace/TuningParameters/1/Name", "2x", ": `2x` cannot be the name of a parameter",
       "ConfigurationSpace.TuningParameters[1]"},
      {"/ConfigurationSpace/TuningParameters/1/Name", "warp_size", ": `warp_size` is an attribute of the device",
       "ConfigurationSpace.TuningParameters[1]"},
      {"/ConfigurationSpace/TuningParameters", nullptr, " is missing."},
      {"/ConfigurationSpace", nullptr, " is missing."},
      {"/KernelSpecification", nullptr, " is missing."},
  };
  for (const Mistake& wrong : mistakes) {
    T1Folder folder;
    folder.at(wrong.pointer) = wrong.value;
    CAPTURE(wrong.pointer);
    const std::string sentence = mistake(folder);
    CHECK_MESSAGE(sentence.starts_with(wrong.place + wrong.said), sentence);
    CHECK_MESSAGE((sentence.ends_with('.') || sentence.ends_with('?')), sentence);
  }
}

TEST_CASE("an expression for a Generator becomes the command that writes its file, if it is harmless in a shell") {
  T1Folder folder;
  Json& x = folder.at("/KernelSpecification/Arguments/0");
  x["FillType"] = "Generator";
  x["DataSource"] = "(i % 10) * 0.1";
  CHECK(contains(mistake(folder), "numpy.array([(i % 10) * 0.1 for i in range(1024)], 'float32'))\" writes it)."));
  x["DataSource"] = "i if i < 3 else '$(rm x)'";
  CHECK(!contains(mistake(folder), "rm"));
  x["DataSource"] = "i";
  x["Type"] = "float4";
  CHECK(contains(mistake(folder), "(numpy.save('x.npy', ...) writes one)."));
}

TEST_CASE("keys of another case are named where one is missing") {
  T1Folder folder;
  folder.file["kernelSpecification"] = folder.file["KernelSpecification"];
  folder.file.erase("KernelSpecification");
  CHECK(mistake(folder) ==
        "KernelSpecification is missing; `kernelSpecification` is there: rename it to `KernelSpecification`.");
}

TEST_CASE("a source for HIP is refused unless the header of HIP stands under a condition") {
  T1Folder folder;
  folder.write("k.cu", "// HIP\n  #  include <hip/hip_runtime.h>\n" + T1Folder::kernel());
  CHECK(contains(mistake(folder), "KernelFile: k.cu is a source for HIP, whose `hip/hip_runtime.h` (line 2)"));
  for (const char* harmless :
       {"#ifdef __HIP__\n#include \"hip/hip_runtime.h\"\n#endif\n", "/*\n#include <hip/hip_runtime.h>\n*/\n"}) {
    folder.write("k.cu", harmless + T1Folder::kernel());
    CHECK(folder.read().warnings.empty());
  }
}

TEST_CASE("MemType Constant without an array is an ordinary buffer, if the kernel has a parameter for it") {
  T1Folder folder;
  folder.at("/KernelSpecification/Arguments/0/MemType") = "Constant";
  CHECK(contains(text_of(folder), "in(x, float, 1024, uniform(0, 1.0))"));
  CHECK(warns(folder.read(), "Arguments[0].MemType: is not honoured: the source declares no __constant__ array"));
  folder.write("k.cu", "__constant__ float x[1024];\n" + T1Folder::kernel());
  CHECK(contains(text_of(folder), "constant(x, float, 1024, "));
  // A header may declare it.
  folder.write("k.cu", "#include \"arrays.h\"\n" + T1Folder::kernel());
  CHECK(contains(text_of(folder), "constant(x, float, 1024, "));
}

TEST_CASE("what the kernel takes as a pointer to const is no output") {
  T1Folder folder;
  folder.at("/KernelSpecification/Arguments/0/AccessType") = "ReadWrite";
  CHECK(warns(folder.read(),
              "Arguments[0]: the kernel cannot write through `const float* x`: set its AccessType to ReadOnly."));
  folder.at("/KernelSpecification/Arguments/1/AccessType") = "ReadOnly";
  CHECK(contains(mistake(folder), "Arguments[1].AccessType: no argument is written"));
  folder.at("/KernelSpecification/Arguments").erase(1);
  folder.write("k.cu", "__global__ void scale(const float* x, int n) {}\n");
  CHECK(contains(mistake(folder), "the kernel cannot write through `const float* x`: remove that const"));
}

TEST_CASE("the warning of a pointer to const does not depend on the order of the arguments") {
  T1Folder folder;
  Json& arguments = folder.at("/KernelSpecification/Arguments");
  std::swap(arguments[0], arguments[1]);
  arguments[1]["AccessType"] = "ReadWrite";
  folder.write("k.cu", "__global__ void scale(float* y, const float* x, int n) {}\n");
  CHECK(warns(folder.read(), "Arguments[1]: the kernel cannot write through `const float* x`"));
}

TEST_CASE("comments between the parameters of a kernel say nothing of them") {
  T1Folder folder;
  folder.write("k.cu", "__global__ void scale(const float* x,  // the const input (1, 2)\n    float* y, int n) {}\n");
  CHECK(folder.read().warnings.empty());
  // Which of the parameters there are is not known, so that nothing is said of them.
  folder.write("k.cu", "__global__ void scale(const float* x,\n#ifdef A\nconst\n#endif\nfloat* y, int n) {}\n");
  CHECK(folder.read().warnings.empty());
}

TEST_CASE("random buffers that are called like parts of another one are warned of") {
  T1Folder folder;
  Json& arguments = folder.at("/KernelSpecification/Arguments");
  const auto add = [&](const char* name, int size, const char* fill) {
    arguments.push_back({{"Name", name},
                         {"Type", "float"},
                         {"MemoryType", "Vector"},
                         {"AccessType", "ReadOnly"},
                         {"Size", size},
                         {"FillType", fill},
                         {"FillValue", 1.0}});
  };
  add("pos", 256, "Random");
  add("posX", 64, "Random");
  CHECK(folder.read().warnings.empty());  // one name alone means little
  add("posY", 64, "Random");
  CHECK(warns(folder.read(), "Arguments[3]: `pos` is called as if it held the same data as `posX`, `posY`"));
  for (const int i : {3, 4, 5}) arguments[i]["FillType"] = "Constant";
  CHECK(folder.read().warnings.empty());
  arguments[3] = {{"Name", "pos"}, {"Type", "float4"},     {"MemoryType", "Vector"}, {"AccessType", "ReadOnly"},
                  {"Size", 64},    {"FillType", "Random"}, {"FillValue", 1.0}};
  CHECK(warns(folder.read(), "Arguments[3]: `pos` is called as if it held the same data as `posX`, `posY`"));
}

TEST_CASE("text that is no JSON is shown with line and column") {
  const T1Folder folder;
  const std::string text = folder.file.dump(1);
  const auto error = [&](const std::string& wrong) { return tuner::test::error_of([&] { folder.read_text(wrong); }); };
  CHECK(contains(error(text + "x"), ": this is not JSON: "));
  CHECK(contains(error("{\n \"a\": 1,\n}"), "kernel.json:3:1: this is not JSON"));
  CHECK(contains(error(text.substr(0, text.size() / 2)), "this is not JSON"));
  CHECK(contains(error("{\"a\": 1e999}"), "kernel.json: this JSON cannot be read"));
  CHECK(contains(error(R"({"General": {}, "General": {}})"), "the key `General` occurs twice in one object"));
  CHECK(contains(error("[1]"), "is not a T1 description"));
  CHECK(contains(error(std::string(100000, '[')), "not JSON"));
}
