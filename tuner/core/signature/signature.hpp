#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/description/description.hpp"

namespace tuner {

/// What is known of a parameter of a kernel, or of an array in constant memory.
struct ParameterType {
  enum class Form { unknown, value, pointer };
  std::string text;  ///< "const float* x", for messages
  Place place;       ///< line 0: not known
  Form form = Form::unknown;
  bool points_to_const = false;
  std::optional<TypeShape> shape;  ///< of the value or of what is pointed to, where descriptions know such a type
  std::uint64_t size = 0;          ///< of the same, in bytes; 0: not known
  bool is_raw = false;             ///< points to void or characters: to whatever bytes
  /// What no description can give.
  enum class Opaque { no, pointers, texture, tensor_map, structure };
  Opaque opaque = Opaque::no;
};

struct Signature {
  std::vector<ParameterType> parameters;
  bool is_complete = true;  ///< there are no more of them than that
  Place place;              ///< of the function's name; line 0: not known
};

/// Of the types of CUDA's that are handles or maps, which a program makes through its API.
ParameterType::Opaque opaque_type(std::string_view name);

/// A function and what a description gives it, in order.
struct DescribedCall {
  std::string function;  ///< "scale", "v2::scale"
  std::vector<const Argument*> arguments;
  bool is_reference = false;
  /// Of constant memory, without a content in the source or in the description.
  std::vector<std::string> empty_arrays = {};
};

/// The kernel's own call. It points into the description.
DescribedCall kernel_call(const KernelDescription& description);
/// That of the kernel that computes the reference; nothing if none is named.
std::optional<DescribedCall> reference_call(const KernelDescription& description);

/// Whether a T1 file says it.
bool is_t1(const Argument& argument);

/// Something that a description says of a source and that is not so.
struct SignatureMistake {
  const Argument* argument = nullptr;  ///< that it is about; null: the function
  std::string sentence;
  std::string key = {};  ///< of a T1 file's argument, that is to be changed: ".Type"
};

/// The types of the arguments, in their order; nothing where they are not known.
using ArgumentShapes = std::vector<std::optional<TypeShape>>;

/// What is certainly wrong with the call. Types that are the same to a kernel are none: integers of one size whatever
/// their sign, raw bytes, structures that a whole number of elements fits into; docs/directives.md has the rules. T1
/// files tune as they are: of them only what could not be launched is wrong, and elements that are read as others.
std::vector<SignatureMistake> compare(const DescribedCall& call, const ArgumentShapes& shapes,
                                      const Signature& signature);

/// The same for one array in constant memory.
std::optional<SignatureMistake> compare_array(const Argument& argument, const std::optional<TypeShape>& shape,
                                              const ParameterType& array);

}  // namespace tuner
