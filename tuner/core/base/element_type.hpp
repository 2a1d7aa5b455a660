#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// How an element is represented. The type names of descriptions are mapped onto these.
enum class ElementType {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};
std::string_view to_string(ElementType type);
std::size_t size_of(ElementType type);

/// What a type name of a description stands for: `float4` is four lanes of float32.
struct TypeShape {
  ElementType element = ElementType::float32;
  int lanes = 1;
};

/// The shape of a CUDA C++ or short type name (`double`, `int32_t`, `u8`, `half2`, `unsigned int`, ...); nothing if it
/// is none.
std::optional<TypeShape> shape_of_type(std::string_view name);

/// The type as the compiler knows it: `int32` becomes `int`, other names stay.
std::string compiler_spelling(std::string_view name);

/// The names that shape_of_type knows, for suggestions.
std::vector<std::string> type_names();

bool is_real(ElementType type);

/// Least and greatest integer of an integral or boolean type, as reals (exact but for the 64-bit maxima).
double least_value(ElementType type);
double greatest_value(ElementType type);

/// Tolerances where the description gives none: see docs/directives.md. Changing one changes what a verified trial
/// means: the format name in reuse_hash must change with it.
double default_rtol(ElementType type);
double default_atol(ElementType type);

}  // namespace tuner
