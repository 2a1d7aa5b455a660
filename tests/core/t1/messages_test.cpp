// What is said of files that are wrong, or that say more than is read.
#include <doctest/doctest.h>

#include <sstream>

#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/task/task.hpp"

using tuner::Task;
using tuner::test::contains;
using tuner::test::mistake;
using tuner::test::t1_task_of;
using tuner::test::T1Folder;
using tuner::test::warns;

namespace {

using Json = nlohmann::ordered_json;

/// How messages name the place of a JSON pointer: /A/0/B is A[0].B.
std::string place_of(const std::string& pointer) {
  std::string place;
  std::istringstream steps(pointer.substr(1));
  for (std::string step; std::getline(steps, step, '/');) {
    place += tuner::is_digit(step[0]) ? "[" + step + "]" : (place.empty() ? "" : ".") + step;
  }
  return place;
}

}  // namespace

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

TEST_CASE("labels of other tuners' files are no unknown keys") {
  T1Folder folder;
  folder.file["General"] = {{"BenchmarksPath", "src/benchmarks"}};
  folder.file["verification"] = {{"type", "reference_CPU"}};
  folder.at("/KernelSpecification/BenchmarkPath") = "src";
  CHECK(folder.read().warnings.empty());
  folder.file["SearchSettings"] = {{"TunerName", "optuna"}};
  REQUIRE(folder.read().warnings.size() == 1);
  CHECK(warns(folder.read(), "not used here: SearchSettings."));
}

TEST_CASE("one sentence names every TypeSize that is wrong") {
  T1Folder folder;
  for (int i = 0; i < 3; ++i) folder.at("/KernelSpecification/Arguments/" + std::to_string(i) + "/TypeSize") = 1;
  CHECK(mistake(folder) ==
        "KernelSpecification.Arguments[0].TypeSize: `float` has 4 bytes, not 1: write 4, or correct the Type; 4 in "
        "KernelSpecification.Arguments[1].TypeSize; 4 in KernelSpecification.Arguments[2].TypeSize.");
}

TEST_CASE("one sentence names every buffer whose content must be a NumPy file, and the command that writes them") {
  T1Folder folder;
  const auto fill = [&](int argument, const char* type, const char* source) {
    nlohmann::ordered_json& node = folder.at("/KernelSpecification/Arguments/" + std::to_string(argument));
    node["FillType"] = type;
    node["DataSource"] = source;
    node["AccessType"] = argument == 0 ? "ReadOnly" : "ReadWrite";
  };
  fill(0, "Generator", "i % 7");
  fill(1, "BinaryRaw", "data/y.bin");
  CHECK(mistake(folder) ==
        "KernelSpecification.Arguments[0].FillType: elements are not computed by an expression here: use BinaryRaw "
        "with a NumPy file, \"DataSource\": \"x.npy\"; likewise KernelSpecification.Arguments[1] with \"y.npy\" "
        "(python3 -c \"import numpy; numpy.save('x.npy', numpy.array([i % 7 for i in range(1024)], 'float32')); "
        "numpy.save('y.npy', numpy.fromfile('data/y.bin', 'float32'))\" writes them).");
  fill(0, "BinaryRaw", "x'; rm .bin");
  CHECK(contains(mistake(folder), "raw bytes are not read here: use BinaryRaw with a NumPy file"));
  CHECK(contains(mistake(folder), "(numpy.save('x.npy', ...) writes one)."));
}

TEST_CASE("a parameter that the source spells in another case is to be renamed") {
  const auto said_with = [](const std::string& source, const std::string& header = "") {
    T1Folder folder;
    folder.write("h.h", header);
    folder.write("k.cu", "#include \"h.h\"\n" + source + T1Folder::kernel());
    folder.at("/ConfigurationSpace/TuningParameters/2") = {{"Name", "MAX_FACTOR"}, {"Type", "int"}, {"Values", "[7]"}};
    return mistake(folder);
  };
  const std::string renamed =
      "ConfigurationSpace.TuningParameters[2].Name: the source uses another case: rename `MAX_FACTOR` to `max_factor`, "
      "also "
      "in the expressions of this file.";
  CHECK(said_with("__device__ int a() { return max_factor * 2; }\n") == renamed);
  CHECK(said_with("#define WIDTH (2 + max_factor)\n") == renamed);
  CHECK(said_with("#ifndef kernel_tuner\n#define max_factor 10\n#endif\n#if max_factor > 2\n#endif\n") == renamed);
  CHECK(said_with("", "__device__ int a() { return max_factor; }\n") == renamed);
  for (const char* fine :
       {"", "// max_factor\n", "#define WIDTH 2 // max_factor\n", "#define TWICE(max_factor) (2 * max_factor)\n",
        "__device__ int a() { int m = 1, max_factor = 2; return m + max_factor; }\n",
        "__device__ int a(const float* max_factor, int n);\n", "#define max_factor 3\n__device__ int a[max_factor];\n",
        "__device__ int max_factor();\n__device__ int a() { return max_factor(); }\n",
        "struct S { int max_factor; };\n__device__ int a(S s) { return s.max_factor; }\n",
        "#pragma unroll max_factor\n", "__device__ int a() { return max_factor + MAX_FACTOR; }\n"}) {
    CAPTURE(fine);
    CHECK(said_with(fine) == "no error");
  }
  CHECK(said_with("#include \"not_there.h\"\n__device__ int a() { return max_factor; }\n") == "no error");
}

TEST_CASE("a parameter that nothing uses is warned of, unless it has one value") {
  T1Folder folder;
  nlohmann::ordered_json& extra = folder.at("/ConfigurationSpace/TuningParameters/2");
  extra = {{"Name", "EXTRA"}, {"Type", "int"}, {"Values", "[1, 2]"}};
  REQUIRE(folder.read().warnings.size() == 1);
  CHECK(
      warns(folder.read(), "ConfigurationSpace.TuningParameters[2]: `EXTRA` changes nothing: neither the source nor"));
  for (const auto& [pointer, value] : std::vector<std::pair<const char*, Json>>{
           {"/KernelSpecification/SharedMemory", "EXTRA * 4"},
           {"/KernelSpecification/CompilerOptions", {"-DX=EXTRA"}},
           {"/KernelSpecification/Arguments/0/Size", "512 * max(EXTRA)"},
           {"/ConfigurationSpace/Conditions/0/Expression", "BLOCK * EXTRA <= 512"},
           {"/ConfigurationSpace/TuningParameters/2/Values", "[1]"}}) {
    CAPTURE(pointer);
    T1Folder used;
    used.at("/ConfigurationSpace/TuningParameters/2") = extra;
    used.at(pointer) = value;
    CHECK(used.read().warnings.empty());
  }
  folder.write("k.cu", "#include \"h.h\"\n" + T1Folder::kernel());
  CHECK(folder.read().warnings.empty());  // the header that is not there may use it
  folder.write("h.h", "#if EXTRA > 1\n#endif\n");
  CHECK(folder.read().warnings.empty());
}

TEST_CASE("an array in constant memory that nothing fills is warned of") {
  T1Folder folder;
  folder.write("k.cu", "__constant__ float full[2] = {1, 2};\n__constant__ float weights[4];\n" + T1Folder::kernel());
  REQUIRE(folder.read().warnings.size() == 1);
  CHECK(warns(
      folder.read(),
      "KernelSpecification.Arguments: nothing fills what the source declares __constant__, `weights`, which is then "
      "zero: add an argument with that Name and the MemoryType Constant."));
  folder.at("/KernelSpecification/Arguments")
      .push_back({{"Name", "weights"}, {"Type", "float"}, {"MemoryType", "Constant"}, {"Size", 4}, {"FillValue", 1}});
  CHECK(folder.read().warnings.empty());
}

TEST_CASE("an empty list of arguments is told what the kernel takes") {
  T1Folder folder;
  folder.at("/KernelSpecification/Arguments") = Json::array();
  CHECK(mistake(folder) ==
        "KernelSpecification.Arguments: is empty, but the kernel `scale` takes `const float* x`, `float* y`, `int n`: "
        "describe each of them, in this order.");
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

TEST_CASE("keys of another case, or of older files, are all named where one is missing") {
  T1Folder folder;
  const auto rename = [](Json& object, const char* from, const char* to) {
    object[to] = object[from];
    object.erase(from);
  };
  folder.file["metadata"] = {{"type", "x"}};
  rename(folder.file, "KernelSpecification", "kernelSpecification");
  CHECK(mistake(folder) == "KernelSpecification is missing; rename `kernelSpecification` to `KernelSpecification`.");
  Json& specification = folder.file["kernelSpecification"];
  rename(specification, "LocalSize", "blockSize");
  rename(specification, "GlobalSize", "gridSize");
  for (Json& argument : specification["Arguments"]) {
    if (argument.contains("Size")) rename(argument, "Size", "length");
    rename(argument, "MemoryType", "memory_type");
  }
  rename(specification["Arguments"][2], "FillValue", "value");
  const std::string all = mistake(folder);
  for (const char* renaming :
       {"`kernelSpecification` to `KernelSpecification`", "`blockSize` to `LocalSize`", "`gridSize` to `GlobalSize`",
        "`length` to `Size`", "`memory_type` to `MemoryType`", "`value` to `FillValue`"}) {
    CHECK_MESSAGE(contains(all, renaming), all);
  }
  CHECK(!contains(all, "`type`"));
  rename(folder.file, "kernelSpecification", "KernelSpecification");
  CHECK(contains(mistake(folder), "is missing; rename `blockSize` to `LocalSize`"));
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

TEST_CASE("text that is no JSON is shown with line and column") {
  const T1Folder folder;
  const std::string text = folder.file.dump(1);
  const auto error = [&](const std::string& wrong) { return tuner::test::error_of([&] { folder.read_text(wrong); }); };
  CHECK(contains(error(text + "x"), ": this is not JSON: "));
  CHECK(contains(error("{\n \"a\": 1,\n}"), "kernel.json:3:1: this is not JSON"));
  CHECK(contains(error(text.substr(0, text.size() / 2)), "this is not JSON"));
  CHECK(contains(error(R"({"General": {}, "General": {}})"), "the key `General` occurs twice in one object"));
  CHECK(contains(error("[1]"), "is not a T1 description"));
  CHECK(contains(error(std::string(100000, '[')), "not JSON"));
}

TEST_CASE("a number that is too great is named, and not in the words of the JSON library") {
  const T1Folder folder;
  CHECK(tuner::test::error_of([&] {
          folder.read_text("{\"a\": 1e400}");
        }).ends_with("kernel.json: the number 1e400 is greater than any that a computer reads; write a smaller one."));
}
