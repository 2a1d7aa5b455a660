// KernelSpecification.Arguments: what becomes of them, and what is said of them.
#include "tuner/core/t1/arguments.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tuner/core/task/task.hpp"

using tuner::test::contains;
using tuner::test::mistake;
using tuner::test::t1_task_of;
using tuner::test::T1Folder;
using tuner::test::text_of;
using tuner::test::warns;

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

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
  const auto is_constant = [&](const char* header) {
    folder.write("h.h", header);
    folder.write("k.cu", "#include \"h.h\"\n" + T1Folder::kernel());
    return contains(text_of(folder), "constant(x, float, 1024, ");
  };
  CHECK(!is_constant("int a;\n"));
  CHECK(is_constant("__constant__ float x[1024];\n"));
  CHECK(is_constant("#include \"not_there.h\"\n"));
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
