#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/signature/signature.hpp"

namespace tuner {

/// What a function is called, and its parameters as they are declared; both empty where that is not seen.
struct PlainHead {
  std::string name;
  std::vector<std::string> parameters;
};

/// A function with a body, as offsets into the source.
struct PlainFunction {
  enum class Kind { kernel, device, host };
  Kind kind = Kind::host;
  std::string name;                              ///< of a kernel, with its namespaces: "v2::scale"
  std::vector<std::string> template_parameters;  ///< "typename T", "int BLOCK = 256"
  PlainHead head;
  std::size_t begin = 0;  ///< of the declaration, `template` included
  std::size_t body = 0;   ///< of the `{`
  std::size_t end = 0;    ///< behind the `}`
  Signature signature;    ///< of a kernel
};

/// `scale<float, 256><<<grid, block>>>(x, y, n)`
struct PlainLaunch {
  std::string kernel;  ///< "scale"
  std::vector<std::string> template_arguments, configuration, arguments;
  std::size_t begin = 0;
  std::size_t host_begin = 0;  ///< of the body of the function that it stands in
};

/// An integer with a name: `#define TILE 16`, `constexpr int TILE = 16;`.
struct PlainConstant {
  std::string name;
  std::int64_t value = 0;
  std::size_t begin = 0, end = 0;  ///< of the line or the statement
  bool is_guarded = false;         ///< by `#ifndef`
  bool is_unique = true;           ///< nothing else in the source is declared by that name
  bool is_own = true;              ///< of the file that is proposed for, not of one beside it
};

/// A constant that is computed: `constexpr int CELLS = TILE * TILE;`
struct DerivedConstant {
  std::string name, expression;
};

/// A CUDA source that says nothing of how it is tuned, as far as its text shows.
struct PlainSource {
  std::string text;
  CodeText code;
  std::vector<PlainFunction> functions;
  std::vector<PlainLaunch> launches;
  std::vector<PlainConstant> constants;
  std::vector<DerivedConstant> derived;

  std::string_view body(const PlainFunction& function) const {
    return std::string_view(code.code).substr(function.body, function.end - function.body);
  }
  const PlainConstant* constant(std::string_view name) const;
  /// The launch of a kernel of that name; null if there is none.
  const PlainLaunch* launch(std::string_view kernel) const;
};

/// Everything but the constants, which `find_constants` adds. Reads any text without failing.
PlainSource read_plain_source(std::string text);

struct PlainCall {
  std::vector<std::string> template_arguments, arguments;
};

/// The call of a function whose name ends at `at`; nothing if none is called there.
std::optional<PlainCall> call_behind(std::string_view code, std::size_t at);

/// The last word of a declaration, "x" of "const float* x = nullptr"; empty if there is none.
std::string declared_name(std::string_view declaration);

/// The parts between commas outside brackets, trimmed.
std::vector<std::string> comma_parts(std::string_view text);

}  // namespace tuner
