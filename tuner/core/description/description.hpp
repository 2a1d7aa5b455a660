#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/expression.hpp"
#include "search/expression/value.hpp"
#include "search/space/space.hpp"
#include "tuner/header.hpp"

namespace tuner {

/// Where something stands in a kernel file: for messages. Line and column count from 1; 0 means "not from a file". What
/// a T1 file says has no line: `file` is its name and the JSON path, "kernel.json: KernelSpecification.Arguments[0]".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// A problem property: what the user gives, as opposed to what is tuned.
struct ProblemProperty {
  enum class Kind {
    size,      ///< run-time number; a decision for a near value may be used
    exact,     ///< run-time number that must match exactly
    constant,  ///< becomes a `#define`, part of the binary's key, must match; may be a type name
  };
  std::string name;
  Kind kind = Kind::size;
  std::optional<search::Value> default_value;
  Place place;
};

/// How a tunable parameter reaches the compiler.
enum class ParameterForm {
  macro,     ///< `#define NAME value`; a named value as an integer, `#define NAME NAME_value`
  argument,  ///< only through the kernel's template arguments, `kernel(name<BLOCKDIMX, TYPE>)`: no `#define`
  text,      ///< `#define NAME value`, the value word for word
  option,    ///< its value is a compiler option such as `--fmad=false`; an empty value adds none
};

struct ParameterDescription {
  search::Parameter parameter;
  ParameterForm form = ParameterForm::macro;
  Place place;
};

/// `let` (only for expressions) or `define` (also a `#define` for the compiler).
struct NamedExpression {
  std::string name;
  search::Expression expression;
  bool is_macro = false;
  Place place;
  bool is_implied = false;  ///< a let that another directive brings with it, as offsets(...) does
};

/// How a buffer is filled before a run. Deterministic from the seed, bit-identical on host and device; or, for every
/// seed, what a file holds.
struct Generator {
  enum class Kind { constant, iota, uniform, normal, index, file, permutation, offsets };
  Kind kind = Kind::uniform;
  /// constant(value) · iota(start, step) · uniform(low, high) · normal(mean, deviation) · index(count): integers in [0,
  /// count) · permutation(count): each of them once · offsets(rows, mean, spread). Missing ones are filled by the
  /// parser: iota(0, 1), uniform(0, 1), normal(0, 1).
  std::vector<search::Expression> parameters;
  std::string
      file;  ///< file("x.npy"): as it is written; a relative one belongs to the folder of the description's file
  bool is_sorted = false;  ///< sorted(...): its elements in ascending order
};

/// One expression of value(...), with the braces before and behind it.
struct ValueMember {
  int opening = 0;
  search::Expression value;
  int closing = 0;
};

/// A kernel argument, in signature order; or, among them, an array in constant memory.
struct Argument {
  enum class Role {
    in,
    out,
    inout,
    scratch,
    scalar,
    constant,  ///< a `__constant__` array of the source called `name`: filled as an input is, and no kernel parameter
    value,     ///< a vector, a structure or another type that the compiler knows, made of `members`
  };
  std::string name;
  Role role = Role::in;
  /// Element type: `float`, `int32`, …, or the name of a `constant` problem property that holds one. Of a value: any
  /// type of the source, as the compiler is to read it.
  std::string type;
  std::optional<search::Expression> length;  ///< buffers: elements. Only scratch may use tuned parameters
  /// in, inout, constant: one for all elements, or one a lane. Empty: uniform(0, 1) for reals, iota(0, 1) for integers,
  /// index(2) for booleans.
  std::vector<Generator> generators;
  std::optional<search::Expression> rtol, atol;  ///< out and inout, not negative; by type if absent
  std::optional<search::Expression> may_differ;  ///< out and inout: elements that may differ by more; none if absent
  bool is_partial = false;                       ///< out: what the reference leaves unwritten, candidates may write
  bool is_trivial = false;    ///< out, inout: the right result may be one value throughout, or what was there before
  bool is_unordered = false;  ///< out, inout: its elements may stand in any order
  std::string counted_by;     ///< then: the integer output that says how many of them there are; empty: all
  std::optional<std::string> expected;      ///< out, inout: file of what is right, named as Generator::file is
  std::optional<search::Expression> value;  ///< scalars: the value; the problem property of the same name if absent
  std::vector<ValueMember> members;         ///< values: what initialises the type, in order; empty: nothing does
  std::string bytes;                        ///< values: in their place the whole object, in hexadecimal digits
  std::optional<std::int64_t> alignment;    ///< declared alignment of the buffer in bytes; natural if absent
  std::optional<std::int64_t> padding;      ///< bytes on either side of the buffer that may be read, not written
  Place place;
};

/// Whether the kernel's signature has a place for it.
constexpr bool is_parameter(Argument::Role role) {
  return role != Argument::Role::constant;
}
/// Whether the launch passes it itself, and no address.
constexpr bool is_by_value(Argument::Role role) {
  return role == Argument::Role::scalar || role == Argument::Role::value;
}
/// Whether it is memory of its own, with something before and behind it.
constexpr bool has_surroundings(Argument::Role role) {
  return !is_by_value(role) && role != Argument::Role::constant;
}
/// Whether it is compared after a launch.
constexpr bool is_compared(Argument::Role role) {
  return role == Argument::Role::out || role == Argument::Role::inout;
}
/// Whether it has a content that the kernel reads.
constexpr bool is_filled(Argument::Role role) {
  return role == Argument::Role::in || role == Argument::Role::inout || role == Argument::Role::constant;
}

// How directives and identities spell the values of these enums, in their order.
inline constexpr std::array<std::string_view, 3> kProblemKinds{"size", "exact", "constant"};
inline constexpr std::array<std::string_view, 8> kGenerators{"constant", "iota", "uniform",     "normal",
                                                             "index",    "file", "permutation", "offsets"};
inline constexpr std::array<std::string_view, 7> kRoles{"in", "out", "inout", "scratch", "scalar", "constant", "value"};

constexpr std::string_view role_word(Argument::Role role) {
  return kRoles[static_cast<std::size_t>(role)];
}

/// The kernel that computes what is right, where the description names one. What it does not say of its launch and
/// macros is the baseline's; tuned parameters stand for their defaults in it.
struct ReferenceDescription {
  std::string kernel;                    ///< function name; empty: the baseline configuration is the reference
  std::vector<search::Expression> grid;  ///< as those of the kernel; empty: the baseline's
  std::vector<search::Expression> block;
  std::optional<search::Expression> shared_bytes;
  /// What it takes, by the names of arguments in the order of its own signature; absent: all parameters.
  std::optional<std::vector<std::string>> arguments;
  std::vector<NamedExpression> constants;  ///< macros of its own, which may replace those of the kernel
  Place place;

  bool is_named() const { return !kernel.empty(); }
};

/// The fewest bytes or operations the job needs, for "how close to the peak". Either may be absent.
struct WorkDescription {
  std::optional<search::Expression> bytes;
  std::optional<search::Expression> flops;
  std::string type;  ///< of the operations, as Argument::type; empty: not given
};

/// Everything known about one tunable kernel before a problem and a device are given: what the directives of an
/// annotated source say, or what is built in code. A value; immutable by convention once parsed.
struct KernelDescription {
  std::filesystem::path file;  ///< as the user named it
  std::string source;          ///< the whole file, directives included
  /// The same with directive lines and host code (host_code.hpp) blank, line count unchanged: what NVRTC receives.
  std::string blanked_source;
  bool is_program = false;  ///< it has host code
  std::string chosen_by;    ///< its chosen_name() in the source; empty: it is the only one there
  std::string kernel;       ///< function name
  Place place;              ///< of that name, if a T1 file says it; directives are looked up when they are needed
  std::vector<std::string>
      template_arguments;  ///< texts between `<` and `>` of kernel(…); may name parameters, constants, types
  ReferenceDescription reference;
  std::vector<ProblemProperty> problem;
  std::vector<ParameterDescription> parameters;
  std::vector<NamedExpression> names;
  std::vector<search::Constraint> constraints;
  std::vector<search::Constraint> problem_constraints;
  std::vector<search::Expression> grid;            ///< 1 to 3
  std::vector<search::Expression> block;           ///< 1 to 3
  std::optional<search::Expression> shared_bytes;  ///< dynamic shared memory
  std::vector<Argument> arguments;
  std::vector<Header> given_headers;  ///< come before those on disk; for sources that are no file
  std::vector<std::string> options;   ///< compiler options that are always passed
  WorkDescription work;
  bool deterministic = false;  ///< outputs must be bit-identical from run to run
  bool is_altered = false;     ///< it says something else than its source, which must not stand for it
  /// Stands for the hash of the source: of a kernel known from a recording only, or computed before.
  std::string known_identity;
  /// Of a kernel known from a recording that does not say its constraints: the configurations there are, in ascending
  /// order. Null: what the constraints allow.
  std::shared_ptr<const std::vector<search::Configuration>> known_rows;

  bool is_from_t1() const { return !place.file.empty(); }
};

}  // namespace tuner
