#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/skeleton/kernel_use.hpp"
#include "tuner/core/skeleton/plain_constants.hpp"
#include "tuner/core/skeleton/plain_source.hpp"

namespace tuner {

/// A parameter of a kernel as it is to be described.
struct PlainArgument {
  std::string name, type;     ///< as directives have them
  std::string own_name;       ///< in the source; descriptions cannot have every name
  std::int64_t elements = 1;  ///< of that type in one of the kernel's: fields of a structure
  bool is_pointer = false, is_const = false, is_integer = false;
  std::string text;      ///< "const Point* p"
  std::string question;  ///< of its type
};

/// What one kernel's directives are made of, gathered step by step by the functions below, each of which adds its lines
/// and uses what those before it have found.
struct KernelSkeleton {
  KernelSkeleton(const PlainSource& plain, const PlainFunction& function)
      : source(plain), kernel(function), use(plain.body(function)), launch(plain.launch(function.name)) {}

  const PlainSource& source;
  const PlainFunction& kernel;
  KernelUse use;
  const PlainLaunch* launch;

  std::vector<PlainArgument> arguments;
  std::vector<std::string> sizes;                  ///< of the problem, constants included
  std::map<std::string, std::int64_t> parameters;  ///< with their defaults
  std::map<std::string, std::string> names;        ///< of the source, and what expressions have in their place
  std::set<std::string> guarded;                   ///< constants that became macros of the tuner
  std::vector<std::string> template_arguments;     ///< of kernel(...)
  std::vector<std::string> block, grid;            ///< expressions, one a dimension
  std::string shared_bytes;
  std::vector<SourceInsertion> insertions;
  std::vector<std::pair<std::size_t, std::size_t>> removals;  ///< [begin, end) of the source

  std::vector<std::string> lines;  ///< directives without `#pragma tuner`, and questions that begin with `//`

  void ask(const std::string& question) { lines.push_back("// ? " + question); }
  /// Adds a parameter with values around its default.
  void tune(const std::string& name, std::int64_t value, const std::vector<std::int64_t>& values,
            const char* clause = "");
  /// A name that nothing in the source has, and no parameter: one of the candidates, or the first with a number.
  std::string free_name(std::initializer_list<const char*> candidates) const;
  /// An expression of the source as descriptions write it; nothing if it has names without a meaning there.
  std::optional<std::string> expression(const HostExpression& of_source) const;
};

/// Reads the types of the kernel's parameters. Returns why it cannot be described, or nothing.
std::string read_arguments(KernelSkeleton& skeleton);
/// Template parameters, `problem` and `param` lines of what the source has as constants.
void propose_parameters(KernelSkeleton& skeleton);
/// `block`, `grid` and `shared`.
void propose_launch(KernelSkeleton& skeleton);
/// `in`, `out`, `inout`, `scalar`, `constant`.
void propose_arguments(KernelSkeleton& skeleton);

}  // namespace tuner
