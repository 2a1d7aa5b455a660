#include "tuner/core/signature/signature.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tuner {
namespace {

constexpr std::uint64_t kPointerSize = 8;

std::uint64_t bytes_of(const TypeShape& shape) {
  return size_of(shape.element) * static_cast<std::uint64_t>(shape.lanes);
}

bool is_written(Argument::Role role) {
  return role == Argument::Role::out || role == Argument::Role::inout || role == Argument::Role::scratch;
}

/// Neither T1 files nor programs have lines.
bool is_loose(const Argument& argument) {
  return argument.place.line == 0;
}

/// A null pointer may be given as a number.
bool may_be_null(const Argument& argument, const std::optional<TypeShape>& shape) {
  return argument.value && argument.value->text() == "0" && (!shape || bytes_of(*shape) == kPointerSize);
}

bool same_element(ElementType a, ElementType b) {
  return a == b || (!is_real(a) && !is_real(b) && size_of(a) == size_of(b));
}

bool is_unsigned(ElementType type) {
  return !is_real(type) && least_value(type) == 0;
}

bool divides(std::uint64_t a, std::uint64_t b) {
  return a % b == 0 || b % a == 0;
}

/// Whether a buffer of `described` elements may be what a kernel with a pointer to `taken` wants.
bool fits(const TypeShape& described, const TypeShape& taken) {
  // Vectors may be described by their elements, because their width may be tuned.
  if (same_element(described.element, taken.element)) return described.lanes <= taken.lanes;
  if (is_real(taken.element)) return false;
  const std::uint64_t narrow = bytes_of(described), wide = bytes_of(taken);
  if (taken.lanes > 1) return divides(narrow, wide);  // uint4: what loads 16 bytes
  // Words that are only moved, halves as their bits, small elements packed in an integer.
  return narrow == wide && (is_unsigned(taken.element) || size_of(described.element) < 4);
}

/// The same for T1 files, whose lengths often count the numbers of vectors, or the integers of packed ones.
bool fits_loosely(const TypeShape& described, const TypeShape& taken) {
  if (same_element(described.element, taken.element)) return true;
  if (is_real(taken.element)) return !is_real(described.element) && bytes_of(described) == 2 && bytes_of(taken) == 2;
  const bool is_packed = !is_real(described.element) && bytes_of(described) < bytes_of(taken);
  return is_packed || fits(described, taken);
}

/// The Type that a T1 file is to have instead.
std::string t1_type(const TypeShape& described, const TypeShape& taken) {
  const std::string element = taken.element == ElementType::float32   ? "float"
                              : taken.element == ElementType::float64 ? "double"
                              : taken.element == ElementType::float16 ? "half"
                                                                      : std::string(to_string(taken.element));
  if (taken.lanes == 1 || !is_real(taken.element)) return element;
  const std::string vector = fmt::format("{}{}", element, taken.lanes);
  return described.lanes == 1 ? fmt::format("{}, or to {} if Size counts single numbers", vector, element) : vector;
}

/// The same for a value of the same size.
bool may_pass_as(const TypeShape& described, const TypeShape& taken) {
  const bool are_bits = is_real(described.element) != is_real(taken.element) && bytes_of(taken) == 2;
  return same_element(described.element, taken.element) || taken.lanes > 1 || are_bits;
}

std::string type_text(const Argument& argument, const std::optional<TypeShape>& shape) {
  if (!shape || shape_of_type(argument.type)) return argument.type;
  return fmt::format("{} ({}{})", argument.type, to_string(shape->element),
                     shape->lanes == 1 ? "" : fmt::format(", {} lanes", shape->lanes));
}

const char* role_text(Argument::Role role) {
  switch (role) {
    case Argument::Role::out:
      return "an output";
    case Argument::Role::inout:
      return "an input and output";
    case Argument::Role::scratch:
      return "scratch memory";
    default:
      return "an input";
  }
}

/// "`x` WHAT, but parameter 1 of the kernel is …: FIX"
struct Difference {
  std::string what, fix, key = {};
};

std::string value_directive(const Argument& argument) {
  return fmt::format("describe it with value({}, TYPE, E, ...), an expression for each member", argument.name);
}

/// Numbers stand for none of these. A null pointer may, and scratch memory is the kernel's own.
std::optional<Difference> opaque_difference(const Argument& argument, const std::optional<TypeShape>& shape,
                                            const ParameterType& parameter) {
  using Opaque = ParameterType::Opaque;
  switch (parameter.opaque) {
    case Opaque::no:
      return std::nullopt;
    case Opaque::pointers:
      if (argument.role == Argument::Role::scratch || may_be_null(argument, shape)) return std::nullopt;
      return Difference{"is described with numbers",
                        "they would be used as addresses, so give the kernel one buffer and offsets into it"};
    case Opaque::texture:
      return Difference{"is described with a number",
                        "a description makes no textures or surfaces, so read and write the array through a pointer, "
                        "where the program's way is behind a macro"};
    case Opaque::tensor_map:
      return Difference{"is described with a number",
                        "a description makes no tensor maps, so load the tile through a pointer, where the program's "
                        "way is behind a macro"};
    case Opaque::structure:
      return Difference{"is described with a number",
                        is_loose(argument) ? "a T1 file has no structures by value, so pass the members one by one, or "
                                             "describe the kernel with directives"
                                           : value_directive(argument)};
  }
  return std::nullopt;
}

/// A structure may hold the address of a buffer and nothing else: `view<float>`.
bool is_opaque(const Argument& argument, const ParameterType& parameter) {
  if (parameter.opaque != ParameterType::Opaque::structure) return parameter.opaque != ParameterType::Opaque::no;
  return argument.role == Argument::Role::scalar;
}

std::optional<Difference> scalar_difference(const Argument& argument, const std::optional<TypeShape>& shape,
                                            const ParameterType& parameter) {
  if (parameter.form == ParameterType::Form::pointer) {
    if (may_be_null(argument, shape)) return std::nullopt;
    return Difference{"is described as a scalar", is_loose(argument) ? "set its MemoryType to Vector"
                                                                     : "describe it with in, out, inout or scratch"};
  }
  if (!shape || (!parameter.shape && parameter.size == 0)) return std::nullopt;
  const std::uint64_t taken = parameter.shape ? bytes_of(*parameter.shape) : parameter.size;
  const bool only_size_counts = !parameter.shape || is_loose(argument);
  if (bytes_of(*shape) == taken && (only_size_counts || may_pass_as(*shape, *parameter.shape))) return std::nullopt;
  const bool is_vector = parameter.shape && parameter.shape->lanes > 1 && !is_loose(argument);
  return Difference{fmt::format("is described as a scalar of the type {}", type_text(argument, shape)),
                    is_vector ? value_directive(argument) : "give it the parameter's type"};
}

/// Which type it really is, the compiler says when the value is made.
std::optional<Difference> value_difference(const Argument& argument, const std::optional<TypeShape>& shape,
                                           const ParameterType& parameter) {
  if (parameter.form == ParameterType::Form::pointer)
    return Difference{"is described as a value", "describe it with in, out, inout or scratch"};
  const bool is_class = parameter.opaque == ParameterType::Opaque::structure;
  const bool differs =
      shape && (is_class || (parameter.shape && (!same_element(shape->element, parameter.shape->element) ||
                                                 shape->lanes != parameter.shape->lanes)));
  if (!differs) return std::nullopt;
  return Difference{fmt::format("is described as a value of the type {}", argument.type),
                    "give it the parameter's type"};
}

std::optional<Difference> t1_element_difference(const Argument& argument, const std::optional<TypeShape>& shape,
                                                const ParameterType& parameter) {
  if (!shape || !parameter.shape || parameter.is_raw || fits_loosely(*shape, *parameter.shape)) return std::nullopt;
  return Difference{fmt::format("is described with elements of the type {}", argument.type),
                    "set it to " + t1_type(*shape, *parameter.shape), ".Type"};
}

bool is_class_or_vector(const ParameterType& parameter) {
  return parameter.opaque == ParameterType::Opaque::structure || (parameter.shape && parameter.shape->lanes > 1);
}

std::optional<Difference> buffer_difference(const Argument& argument, const std::optional<TypeShape>& shape,
                                            const ParameterType& parameter) {
  if (parameter.form == ParameterType::Form::value) {
    const bool may_be_address = parameter.shape ? parameter.shape->element == ElementType::uint64
                                                : parameter.size == 0 || parameter.size == kPointerSize;
    if (may_be_address) return std::nullopt;
    return Difference{"is described as a buffer",
                      is_loose(argument) ? "set its MemoryType to Scalar"
                      : is_class_or_vector(parameter)
                          ? value_directive(argument)
                          : fmt::format("describe it with scalar({}, TYPE)", argument.name)};
  }
  if (is_t1(argument)) return t1_element_difference(argument, shape, parameter);
  if (is_loose(argument)) return std::nullopt;
  if (is_written(argument.role) && parameter.points_to_const)
    return Difference{fmt::format("is described as {}", role_text(argument.role)),
                      "the kernel cannot write through that, so describe it with in, or remove the const"};
  if (!shape || parameter.is_raw) return std::nullopt;
  const bool is_right = parameter.shape       ? fits(*shape, *parameter.shape)
                        : parameter.size == 0 ? true
                                              : parameter.size % bytes_of(*shape) == 0;
  if (is_right) return std::nullopt;
  return Difference{fmt::format("is described with elements of the type {}", type_text(argument, shape)),
                    "give it the parameter's type"};
}

std::string line_text(const Place& place) {
  return place.line == 0 ? "" : fmt::format(" ({}:{})", place.file, place.line);
}

std::string called(const DescribedCall& call) {
  return fmt::format("the {}kernel `{}`", call.is_reference ? "reference " : "", call.function);
}

/// Of arguments of which one is too many, the first that cannot stand for the parameter in its place.
const Argument* surplus(const DescribedCall& call, const Signature& signature) {
  const std::vector<ParameterType>& parameters = signature.parameters;
  if (call.arguments.size() == parameters.size() + 1) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto wanted =
          is_by_value(call.arguments[i]->role) ? ParameterType::Form::value : ParameterType::Form::pointer;
      if (parameters[i].form != ParameterType::Form::unknown && parameters[i].form != wanted) return call.arguments[i];
    }
  }
  return call.arguments[parameters.size()];
}

std::optional<SignatureMistake> count_mistake(const DescribedCall& call, const Signature& signature) {
  const std::size_t described = call.arguments.size(), taken = signature.parameters.size();
  if (described == taken || !signature.is_complete) return std::nullopt;
  SignatureMistake mistake;
  std::string which;
  if (described > taken) {
    mistake.argument = surplus(call, signature);
    which = fmt::format("`{}` is one too many", mistake.argument->name);
  } else {
    which = fmt::format("nothing is described for `{}`", signature.parameters[described].text);
  }
  const bool is_from_t1 = !call.arguments.empty() && is_loose(*call.arguments.front());
  const bool may_fill_array = is_from_t1 && described > taken && !call.empty_arrays.empty();
  const std::string way_out =
      call.is_reference ? "name what it takes in the order of its parameters: reference(NAME; args(...))"
      : may_fill_array  ? fmt::format(
                              "if it fills a `__constant__` array, set its Name to `{}` and its MemoryType to "
                               "Constant, otherwise remove it",
                              fmt::join(call.empty_arrays, "` or `"))
      : is_from_t1 ? fmt::format("{} it: Arguments must match its parameters in number and order",
                                 described > taken ? "remove" : "add")
                   : "the in, out, inout, scratch, scalar and value directives must match its "
                     "parameters in number and order";
  mistake.sentence = fmt::format("{} takes {} parameter{}{}, but {} argument{} described: {}; {}", called(call), taken,
                                 taken == 1 ? "" : "s", line_text(signature.place), described,
                                 described == 1 ? " is" : "s are", which, way_out);
  return mistake;
}

}  // namespace

ParameterType::Opaque opaque_type(std::string_view name) {
  for (const std::string_view handle : {"cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject"}) {
    if (name == handle) return ParameterType::Opaque::texture;
  }
  const bool is_map = name == "CUtensorMap" || name == "CUtensorMap_st";
  return is_map ? ParameterType::Opaque::tensor_map : ParameterType::Opaque::no;
}

bool is_t1(const Argument& argument) {
  return is_loose(argument) && !argument.place.file.empty();
}

DescribedCall kernel_call(const KernelDescription& description) {
  DescribedCall call;
  call.function = description.kernel;
  for (const Argument& argument : description.arguments) {
    if (is_parameter(argument.role)) call.arguments.push_back(&argument);
  }
  return call;
}

std::optional<DescribedCall> reference_call(const KernelDescription& description) {
  const ReferenceDescription& reference = description.reference;
  if (!reference.is_named()) return std::nullopt;
  DescribedCall call = kernel_call(description);
  call.function = reference.kernel;
  call.is_reference = true;
  if (!reference.arguments) return call;
  call.arguments.clear();
  for (const std::string& name : *reference.arguments) {
    const auto same = std::find_if(description.arguments.begin(), description.arguments.end(),
                                   [&](const Argument& argument) { return argument.name == name; });
    if (same != description.arguments.end()) call.arguments.push_back(&*same);
  }
  return call;
}

std::vector<SignatureMistake> compare(const DescribedCall& call, const ArgumentShapes& shapes,
                                      const Signature& signature) {
  if (auto mistake = count_mistake(call, signature)) return {std::move(*mistake)};
  std::vector<SignatureMistake> mistakes;
  if (!signature.is_complete) return mistakes;  // whose place is whose is not known
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Argument& argument = *call.arguments[i];
    const ParameterType& parameter = signature.parameters[i];
    if (parameter.form == ParameterType::Form::unknown) continue;
    const std::optional<Difference> found =
        is_opaque(argument, parameter)            ? opaque_difference(argument, shapes[i], parameter)
        : argument.role == Argument::Role::scalar ? scalar_difference(argument, shapes[i], parameter)
        : argument.role == Argument::Role::value  ? value_difference(argument, shapes[i], parameter)
                                                  : buffer_difference(argument, shapes[i], parameter);
    if (!found) continue;
    mistakes.push_back(
        {&argument,
         fmt::format("`{}` {}, but parameter {} of {} is `{}`{}: {}, or put the {} in the order of the "
                     "parameters",
                     argument.name, found->what, i + 1, called(call), parameter.text, line_text(parameter.place),
                     found->fix, is_loose(argument) ? "Arguments" : "directives"),
         found->key});
  }
  return mistakes;
}

std::optional<SignatureMistake> compare_array(const Argument& argument, const std::optional<TypeShape>& shape,
                                              const ParameterType& array) {
  if (!shape || !array.shape) return std::nullopt;
  const bool is_from_t1 = is_t1(argument);
  if (is_from_t1 ? fits_loosely(*shape, *array.shape) : is_loose(argument) || fits(*shape, *array.shape)) {
    return std::nullopt;
  }
  return SignatureMistake{
      &argument,
      fmt::format("`{}` is described with elements of the type {}, but the array is `{}`{}: {}", argument.name,
                  type_text(argument, shape), array.text, line_text(array.place),
                  is_from_t1 ? "set it to " + t1_type(*shape, *array.shape) : "give it the array's type"),
      is_from_t1 ? ".Type" : ""};
}

}  // namespace tuner
