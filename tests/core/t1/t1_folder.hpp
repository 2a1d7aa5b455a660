#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "tuner/core/t1/reader.hpp"

namespace tuner::test {

/// A folder with a kernel and a T1 file that describes it, to be changed by a test.
class T1Folder : public TemporaryFolder {
 public:
  T1Folder() {
    write("k.cu", kernel());
    file = nlohmann::ordered_json::parse(R"json({
      "ConfigurationSpace": {
        "TuningParameters": [
          {"Name": "BLOCK", "Type": "int", "Values": "[64, 128, 256]", "Default": 128},
          {"Name": "ITEMS", "Type": "int", "Values": "[1, 2, 4]", "Default": 1}
        ],
        "Conditions": [{"Parameters": ["BLOCK", "ITEMS"], "Expression": "BLOCK * ITEMS <= 512"}]
      },
      "KernelSpecification": {
        "Language": "CUDA", "KernelName": "scale", "KernelFile": "k.cu",
        "GlobalSizeType": "CUDA",
        "GlobalSize": {"X": "1024 // (BLOCK * ITEMS)"},
        "LocalSize": {"X": "BLOCK"},
        "Arguments": [
          {"Name": "x", "Type": "float", "Size": 1024, "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random",
           "FillValue": 1.0},
          {"Name": "y", "Type": "float", "Size": 1024, "MemoryType": "Vector", "AccessType": "WriteOnly"},
          {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1024}
        ]
      }
    })json");
  }

  static std::string kernel() {
    return "__global__ void scale(const float* x, float* y, int n) {\n"
           "  for (int i = 0; i < ITEMS; ++i) {\n"
           "    const int at = (blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x;\n"
           "    if (at < n) y[at] = 2 * x[at];\n"
           "  }\n"
           "}\n";
  }

  std::filesystem::path json() const { return path() / "kernel.json"; }
  T1Description read() const { return read_text(file.dump(1)); }
  T1Description read_text(const std::string& text) const { return read_t1(text, json()); }

  nlohmann::ordered_json& at(const std::string& pointer) { return file[nlohmann::ordered_json::json_pointer(pointer)]; }

  nlohmann::ordered_json file;
};

}  // namespace tuner::test
