#include "tuner/capture/stored/replayable.hpp"

#include <algorithm>
#include <string_view>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/instruction.hpp"

namespace tuner::capture {
namespace {

constexpr int kVolta = 70;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The driver's functions that start kernels, as the device runtime calls them since CUDA 12, and before; its copies
/// are kernels.
bool starts_kernels(std::string_view function) {
  if (has(function, "LaunchDevice")) return true;
  const bool is_of_device_runtime = function.starts_with("__cudaCDP2") || function.starts_with("cuda");
  return is_of_device_runtime && (has(function, "Memcpy") || has(function, "Memset"));
}

bool is_of_device_heap(std::string_view function) {
  return function == "malloc" || function == "free" || function == "__cuda_syscall_malloc" ||
         function == "__cuda_syscall_free";
}

}  // namespace

std::string why_not_replayable(const Snapshot& snapshot) {
  if (snapshot.image.empty()) return "its module is not known";
  const int architecture = cubin_architecture(snapshot.image);
  if (!facts_from_cubin(snapshot.image, snapshot.kernel)) return "the module that was found does not have it";
  if (architecture < kVolta) return "is for a GPU older than Volta";
  // A parameter of that type, or a pointer to one.
  if (has(snapshot.kernel, "11CUtensorMap") || has(snapshot.kernel, "14CUtensorMap_st")) return "uses tensor maps";
  std::vector<std::string> functions = functions_called(snapshot.image, snapshot.kernel);
  if (std::any_of(functions.begin(), functions.end(), starts_kernels)) return "launches kernels from the GPU";
  if (std::any_of(functions.begin(), functions.end(), is_of_device_heap)) return "allocates memory on the GPU";
  functions.push_back(snapshot.kernel);
  for (const std::string& function : functions) {
    for (const Instruction& each : instructions(kernel_code(snapshot.image, function), architecture)) {
      if (each.is_texture() || each.is_surface()) return "uses textures or surfaces";
      if (each.takes_tensor_map()) return "uses tensor maps";
    }
  }
  return {};
}

}  // namespace tuner::capture
