#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/support.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/t1/reader.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/core/task/task.hpp"

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

inline bool warns(const T1Description& described, const std::string& part) {
  return std::any_of(described.warnings.begin(), described.warnings.end(),
                     [&](const std::string& warning) { return contains(warning, part); });
}

inline std::string text_of(const T1Folder& folder) {
  return to_text(folder.read().kernel);
}

/// What is wrong with the file, without the folder's name.
inline std::string mistake(const T1Folder& folder) {
  const std::string sentence = error_of([&] { folder.read(); });
  const std::string name = folder.json().string() + ": ";
  return sentence.rfind(name, 0) == 0 ? sentence.substr(name.size()) : sentence;
}

inline Task t1_task_of(const KernelDescription& kernel) {
  return Task(kernel, {}, tuner::known_device("H200"));
}

}  // namespace tuner::test
