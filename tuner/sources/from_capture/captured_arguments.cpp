// What a kernel was given: arrays, null pointers, numbers, and structures by their bytes.
#include "tuner/sources/from_capture/captured_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "search/expression/quoting.hpp"
#include "tuner/capture/stored/reach.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/sources/from_capture/captured_buffer.hpp"
#include "tuner/sources/from_capture/captured_numbers.hpp"

namespace tuner::sources {
namespace {

using engine::ArrayFact;
using engine::MemoryFacts;

/// "const float" of "const float*", as a directive has it: "float".
std::string bare_type(const ParameterType& type) {
  std::string text = type.text;
  if (text.starts_with("const ")) text.erase(0, 6);
  while (text.ends_with('*')) text.pop_back();
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at; (at = text.find(kUnnamed)) != std::string::npos;) text.erase(at, kUnnamed.size());
  return text;
}

class ArgumentWriter {
 public:
  ArgumentWriter(const CapturedKernel& kernel, const KernelSkeleton& skeleton, std::string folder)
      : kernel_(kernel), skeleton_(skeleton), folder_(std::move(folder)) {
    const std::optional<Signature> named = signature_from_kernel_name(kernel.launch.kernel);
    if (named && named->parameters.size() == skeleton.arguments.size()) types_ = named->parameters;
  }

  CapturedArguments written() {
    find_sizes();
    for (std::size_t i = 0; i < skeleton_.arguments.size(); ++i) {
      if (is_pointer(i))
        add_pointer(i);
      else
        add_value(i);
    }
    const bool has_output = std::ranges::any_of(
        result_.lines, [](const std::string& line) { return line.starts_with("out(") || line.starts_with("inout("); });
    if (!has_output) refuse_captured(kernel_, "it wrote nothing that could be compared");
    return std::move(result_);
  }

 private:
  std::span<const std::byte> bytes_of(std::size_t position) const { return kernel_.launch.parameters[position].bytes; }
  [[noreturn]] void refuse(std::size_t position, const std::string& why) const {
    refuse_captured(kernel_,
                    fmt::format("parameter {}, `{}`, {}", position + 1, skeleton_.arguments[position].text, why));
  }
  const ParameterType* type_of(std::size_t position) const {
    return types_.empty() || types_[position].form == ParameterType::Form::unknown ? nullptr : &types_[position];
  }
  bool is_pointer(std::size_t position) const {
    const ParameterType* const type = type_of(position);
    return type != nullptr ? type->form == ParameterType::Form::pointer : skeleton_.arguments[position].is_pointer;
  }

  /// The name of the type of the elements or of the value, where it is one of numbers.
  std::string number_type(std::size_t position) const {
    if (const ParameterType* const type = type_of(position); type != nullptr && type->shape) return bare_type(*type);
    const PlainArgument& argument = skeleton_.arguments[position];
    if (!argument.question.empty()) return {};
    const auto given = skeleton_.given_types.find(argument.type);
    const std::string& name = given == skeleton_.given_types.end() ? argument.type : given->second;
    return shape_of_type(name) ? name : std::string();
  }

  std::optional<std::int64_t> integer(std::size_t position) const {
    const auto shape = shape_of_type(number_type(position));
    const bool fits = shape && shape->lanes == 1 && size_of(shape->element) == bytes_of(position).size();
    return fits && !is_pointer(position) ? integer_of(shape->element, bytes_of(position)) : std::nullopt;
  }

  /// Those that the source shows to be sizes, and those that a length is made of.
  void find_sizes() {
    const auto add = [&](std::size_t position) {
      if (const auto value = integer(position); value && *value >= 0)
        result_.sizes[skeleton_.arguments[position].name] = *value;
    };
    for (std::size_t i = 0; i < skeleton_.arguments.size(); ++i)
      if (std::ranges::find(skeleton_.sizes, skeleton_.arguments[i].name) != skeleton_.sizes.end()) add(i);
    for (const MemoryFacts& facts : kernel_.replayed.memories) {
      for (const ArrayFact& array : facts.arrays) {
        const auto shape = shape_of_type(number_type(array.from.parameter));
        if (!shape || !length_of(array, *shape).empty()) continue;
        for (const engine::SizeFact& size : array.sizes) {
          if (size.element_bytes != element_bytes(*shape) ||
              !std::ranges::all_of(size.parameters, [&](std::size_t p) { return integer(p).has_value(); }))
            continue;
          for (const std::size_t parameter : size.parameters) add(parameter);
          break;
        }
      }
    }
  }

  /// "rows * columns", if sizes say it.
  std::string length_of(const ArrayFact& array, const TypeShape& shape) const {
    for (const engine::SizeFact& size : array.sizes) {
      if (size.element_bytes != element_bytes(shape)) continue;
      std::string text;
      bool are_known = true;
      for (const std::size_t parameter : size.parameters) {
        const std::string& name = skeleton_.arguments[parameter].name;
        are_known = are_known && result_.sizes.contains(name);
        text += (text.empty() ? "" : " * ") + name;
      }
      if (are_known) return text;
    }
    return {};
  }

  void add_pointer(std::size_t position) {
    const PlainArgument& argument = skeleton_.arguments[position];
    const std::span<const std::byte> bytes = bytes_of(position);
    if (std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; })) {
      result_.lines.push_back(fmt::format("scalar({}, uint64, value 0)", argument.name));
      return;
    }
    const std::string named = number_type(position);
    const TypeShape shape = shape_of_type(named).value_or(TypeShape{ElementType::uint8, 1});
    const BufferFacts buffer = buffer_facts(kernel_, position, shape);
    if (!buffer.refusal.empty()) refuse(position, buffer.refusal);
    if (named.empty() && buffer.pointers > 0) {
      refuse(position, fmt::format("leads to memory that holds {} to other memory, which a description cannot give",
                                   counted(buffer.pointers, "pointer")));
    }
    const ParameterType* const type = type_of(position);
    if (buffer.role != "in" && type != nullptr && type->points_to_const)
      refuse(position, "points to const, and the kernel wrote there");
    std::string length = length_of(*buffer.array, shape);
    if (length.empty()) length = std::to_string(buffer.bytes / element_bytes(shape));
    result_.lines.push_back(fmt::format("{}({}, {}, {}{})", buffer.role, argument.name, named.empty() ? "uint8" : named,
                                        length, content(argument.name, buffer, shape)));
  }

  /// ", file("tuned.data/x.npy")" and what is expected.
  std::string content(const std::string& name, const BufferFacts& buffer, const TypeShape& shape) {
    const auto add = [&](std::string_view ending, const capture::Blob& blob) {
      result_.data.push_back(
          {fmt::format("{}{}.npy", name, ending), blob, buffer.array->from.offset, buffer.bytes, shape});
      return fmt::format("file({})", search::quote(fmt::format("{}/{}", folder_, result_.data.back().file)));
    };
    std::string text;
    if (buffer.role != "out") text += ", " + add("", buffer.memory->before);
    if (buffer.role == "in") return text;
    text += ", expect " + add(".expected", buffer.memory->after);
    if (buffer.is_unordered) text += ", unordered";
    const auto part = [&](const std::vector<std::byte>& all) {
      return std::span(all).subspan(buffer.array->from.offset, buffer.bytes);
    };
    const std::vector<std::byte> after = kernel_.load(buffer.memory->after);
    if (buffer.role == "out") return text + proof_clauses(shape, {}, part(after));
    return text + proof_clauses(shape, part(kernel_.load(buffer.memory->before)), part(after));
  }

  void add_value(std::size_t position) {
    const PlainArgument& argument = skeleton_.arguments[position];
    const std::span<const std::byte> bytes = bytes_of(position);
    const std::string named = number_type(position);
    const auto shape = shape_of_type(named);
    if (shape && element_bytes(*shape) == bytes.size()) {
      std::vector<std::string> numbers;
      for (std::size_t at = 0; at < bytes.size(); at += size_of(shape->element)) {
        if (const auto text = exact_text(shape->element, bytes.subspan(at, size_of(shape->element))))
          numbers.push_back(*text);
      }
      const bool are_all = numbers.size() == static_cast<std::size_t>(shape->lanes);
      if (are_all && shape->lanes == 1) {
        const bool is_size = result_.sizes.contains(argument.name);
        result_.lines.push_back(fmt::format("scalar({}, {}{})", argument.name, named,
                                            is_size ? std::string() : ", value " + numbers.front()));
        return;
      }
      if (are_all) {
        result_.lines.push_back(fmt::format("value({}, {}, {})", argument.name, named, fmt::join(numbers, ", ")));
        return;
      }
    } else {
      refuse_addresses(position);
    }
    const ParameterType* const type = type_of(position);
    result_.lines.push_back(fmt::format("value({}, {}, bytes \"{}\")", argument.name,
                                        type != nullptr ? bare_type(*type) : argument.type, hex_digits(bytes)));
  }

  /// Addresses of the program lead nowhere.
  void refuse_addresses(std::size_t position) const {
    for (const MemoryFacts& facts : kernel_.replayed.memories) {
      for (const ArrayFact& array : facts.arrays) {
        if (array.from.parameter != position) continue;
        refuse(position, fmt::format("has an address in it, at byte {}: give the kernel this buffer as a parameter of "
                                     "its own",
                                     array.from.inside));
      }
    }
  }

  static std::uint64_t element_bytes(const TypeShape& shape) {
    return size_of(shape.element) * static_cast<std::uint64_t>(shape.lanes);
  }

  const CapturedKernel& kernel_;
  const KernelSkeleton& skeleton_;
  const std::string folder_;
  std::vector<ParameterType> types_;
  CapturedArguments result_;
};

}  // namespace

CapturedArguments captured_arguments(const CapturedKernel& kernel, const KernelSkeleton& skeleton,
                                     const std::string& folder) {
  return ArgumentWriter(kernel, skeleton, folder).written();
}

}  // namespace tuner::sources
