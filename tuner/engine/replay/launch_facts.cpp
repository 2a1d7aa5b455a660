#include "tuner/engine/replay/launch_facts.hpp"

#include <algorithm>
#include <cstring>

#include "tuner/capture/stored/capture_folder.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/instruction.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

using capture::MemoryMap;
using capture::Parameter;
using capture::PointerWord;
using capture::StoredLaunch;

struct Scalar {
  std::size_t parameter = 0;
  std::uint64_t value = 0;
};

/// More than kernels have, and than anybody reads: a folder may have been made to keep this busy.
constexpr std::size_t kMostScalars = 64, kMostSizes = 16;

/// Those that can be numbers of something.
std::vector<Scalar> scalars_of(const StoredLaunch& launch, const MemoryMap& map) {
  std::vector<Scalar> scalars;
  for (std::size_t i = 0; i < launch.parameters.size() && scalars.size() < kMostScalars; ++i) {
    const std::vector<std::byte>& bytes = launch.parameters[i].bytes;
    std::uint64_t value = 0;
    if (bytes.size() != 4 && bytes.size() != 8) continue;
    std::memcpy(&value, bytes.data(), bytes.size());
    const bool is_negative = (value >> (bytes.size() * 8 - 1)) != 0;
    if (value >= 2 && !is_negative && !(bytes.size() == 8 && map.find(value))) scalars.push_back({i, value});
  }
  return scalars;
}

std::vector<SizeFact> sizes_of(const ArrayFact& array, const std::vector<Scalar>& scalars) {
  std::vector<SizeFact> sizes;
  const std::vector<std::uint64_t> widths = array.element
                                                ? std::vector<std::uint64_t>{size_of(*array.element) * array.lanes}
                                                : std::vector<std::uint64_t>{1, 2, 4, 8, 16};
  for (const std::uint64_t width : widths) {
    if (array.bytes % width != 0) continue;
    const std::uint64_t elements = array.bytes / width;
    for (std::size_t i = 0; i < scalars.size() && sizes.size() < kMostSizes; ++i) {
      if (scalars[i].value == elements) sizes.push_back({{scalars[i].parameter}, width});
      if (elements % scalars[i].value != 0) continue;
      for (std::size_t j = i + 1; j < scalars.size(); ++j)
        if (elements / scalars[i].value == scalars[j].value)
          sizes.push_back({{scalars[i].parameter, scalars[j].parameter}, width});
    }
  }
  sizes.resize(std::min(sizes.size(), kMostSizes));
  return sizes;
}

const Parameter* parameter_at(const StoredLaunch& launch, std::uint64_t offset, std::size_t& position) {
  for (position = 0; position < launch.parameters.size(); ++position) {
    const Parameter& parameter = launch.parameters[position];
    if (offset >= parameter.offset && offset - parameter.offset < parameter.bytes.size()) return &parameter;
  }
  return nullptr;
}

/// Empty if it cannot be read.
std::vector<std::byte> image_of(const std::filesystem::path& folder, const StoredLaunch& launch) try {
  return capture::load_blob(folder, launch.module);
} catch (const Error&) {
  return {};
}

}  // namespace

std::vector<std::vector<ArrayFact>> arrays_of(const StoredLaunch& launch, const MemoryMap& map) {
  const std::optional<Signature> signature = signature_from_kernel_name(launch.kernel);
  const bool has_types = signature && signature->parameters.size() == launch.parameters.size();
  std::vector<std::vector<ArrayFact>> arrays(map.size());
  for (const PointerWord& pointer : capture::pointers_in(capture::parameter_block(launch), map)) {
    std::size_t position = 0;
    const Parameter* const parameter = parameter_at(launch, pointer.offset, position);
    if (parameter == nullptr) continue;
    ArrayFact array{.from = {position, pointer.offset - parameter->offset, pointer.leads_to.offset}};
    if (has_types && parameter->bytes.size() == sizeof(std::uint64_t)) {
      const ParameterType& type = signature->parameters[position];
      array.is_mutable = type.form == ParameterType::Form::pointer && !type.points_to_const;
      if (type.form == ParameterType::Form::pointer && type.shape) {
        array.element = type.shape->element;
        array.lanes = static_cast<std::uint64_t>(type.shape->lanes);
      }
    }
    arrays[pointer.leads_to.memory].push_back(std::move(array));
  }
  const std::vector<Scalar> scalars = scalars_of(launch, map);
  for (std::size_t memory = 0; memory < arrays.size(); ++memory) {
    for (ArrayFact& array : arrays[memory]) {
      std::uint64_t end = map[memory].before.size;
      for (const ArrayFact& other : arrays[memory])
        if (other.from.offset > array.from.offset) end = std::min(end, other.from.offset);
      array.bytes = end - array.from.offset;
      array.sizes = sizes_of(array, scalars);
    }
  }
  return arrays;
}

std::set<std::string> constants_of(const std::filesystem::path& folder, const StoredLaunch& launch) {
  const std::vector<std::byte> image = image_of(folder, launch);
  std::set<std::string> constants;
  for (const CubinArray& variable : variables_in_cubin(image)) constants.insert(variable.symbol);
  for (const CubinArray& variable : globals_in_cubin(image)) constants.erase(variable.symbol);
  return constants;
}

std::string why_unsteady(const std::filesystem::path& folder, const StoredLaunch& launch) {
  const std::vector<std::byte> image = image_of(folder, launch);
  const int architecture = cubin_architecture(image);
  std::vector<std::string> functions = functions_called(image, launch.kernel);
  functions.push_back(launch.kernel);
  bool is_atomic = false;
  for (const std::string& function : functions) {
    for (const Instruction& each : instructions(kernel_code(image, function), architecture)) {
      if (each.reads_clock()) return "it reads the clock";
      is_atomic = is_atomic || each.is_atomic();
    }
  }
  return is_atomic ? "its atomic operations come in another order each time" : "";
}

}  // namespace tuner::engine
