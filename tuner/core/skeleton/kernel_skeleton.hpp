#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/skeleton/kernel_use.hpp"
#include "tuner/core/skeleton/plain_constants.hpp"
#include "tuner/core/skeleton/plain_source.hpp"

namespace tuner {

/// A parameter of a kernel as it is to be described.
struct PlainArgument {
  std::string name, type;          ///< as directives have them
  std::string own_name, own_type;  ///< in the source; descriptions cannot have every name
  bool is_object = false;          ///< a structure or a vector that is passed by value
  std::int64_t elements = 1;       ///< of that type in one of the kernel's: fields of a structure
  bool is_pointer = false, is_const = false, is_integer = false;
  std::string text;      ///< "const Point* p"
  std::string question;  ///< of its type
};

/// What one kernel's directives are made of, gathered step by step by the functions below, each of which adds its lines
/// and uses what those before it have found.
struct KernelSkeleton {
  KernelSkeleton(const PlainSource& plain, const PlainFunction& function, std::int64_t most = std::int64_t{1} << 40)
      : most_usual(most),
        source(plain),
        kernel(function),
        use(plain.body(function)),
        launch(plain.launch(function.name)) {}

  const std::int64_t most_usual;  ///< what sizes are guessed to be at most
  const PlainSource& source;
  const PlainFunction& kernel;
  KernelUse use;
  const PlainLaunch* launch;

  std::vector<PlainArgument> arguments;
  std::vector<std::string> sizes;                  ///< of the problem, constants included
  std::map<std::string, std::int64_t> parameters;  ///< with their defaults
  std::map<std::string, std::string> names;        ///< of the source, and what expressions have in their place
  std::map<std::string, std::string> given_types;  ///< of constants that are types: what the launch gives for them
  /// Constants of the source that are a dimension of the block, and the parameters in their place.
  std::map<std::string, std::string> block_constants;
  std::set<std::string> lets;                   ///< constants of the source that expressions name
  std::set<std::string> fixed;                  ///< constants that cannot be tuned, as lengths depend on them
  std::set<std::string> guarded;                ///< constants that became macros of the tuner
  std::vector<std::string> template_arguments;  ///< of kernel(...)
  std::vector<std::string> block, grid;         ///< expressions, one a dimension
  std::string shared_bytes;
  std::set<std::vector<std::string>> undecided;  ///< sizes for which the program passes one variable
  std::vector<SourceInsertion> insertions;
  std::vector<std::pair<std::size_t, std::size_t>> removals;  ///< [begin, end) of the source

  std::vector<std::string> lines;  ///< directives without `#pragma tuner`, and questions that begin with `//`

  /// In one line.
  void ask(const std::string& question);
  /// Adds a parameter with values around its default.
  void tune(const std::string& name, std::int64_t value, const std::vector<std::int64_t>& values,
            const char* clause = "");
  /// Adds a `let` for each of these constants of the source that has none yet.
  void declare(const std::set<std::string>& constants);
  /// A name that nothing in the source has, and no parameter: one of the candidates, or the first with a number.
  std::string free_name(std::initializer_list<const char*> candidates) const;
  /// An expression of the source as descriptions write it; nothing if it has names without a meaning there. Constants
  /// of the source are numbers, or are named if `constants` is not null, which gets the names to be declared.
  std::optional<std::string> expression(const HostExpression& of_source,
                                        std::set<std::string>* constants = nullptr) const;
};

/// "const unsigned int* __restrict__ x" without its name → "unsigned int".
std::string plain_type(std::string_view declaration, std::string_view name);
/// What `using real = float;`, `typedef float real;` or `#define real float` says; the name itself otherwise.
std::string without_alias(const PlainSource& source, const std::string& name);
/// Reads the types of the kernel's parameters. Returns why it cannot be described, or nothing.
std::string read_arguments(KernelSkeleton& skeleton);
/// What varies, what the kernel takes, and its sizes. Returns why it cannot be described, or nothing.
std::string propose_problem(KernelSkeleton& skeleton);
/// Template parameters, `problem` and `param` lines of what the source has as constants.
void propose_parameters(KernelSkeleton& skeleton);
/// Why there is nothing to compare, or nothing: a kernel that takes no pointer that it could write through.
std::string why_no_output(const KernelSkeleton& skeleton);
/// `block`, `grid` and `shared`.
void propose_launch(KernelSkeleton& skeleton);
/// `in`, `out`, `inout`, `scalar`, `constant`, and `work` if they say what it is.
void propose_arguments(KernelSkeleton& skeleton);
/// Whether the kernel, or what it may call, has the word in its text.
bool may_use(const KernelSkeleton& skeleton, std::string_view word);
/// Asks which other constants of the source may vary.
void ask_about_constants(KernelSkeleton& skeleton);
/// Whether a buffer that the kernel writes has one element for each block, as partial results do.
bool has_element_a_block(const KernelSkeleton& skeleton, const PlainArgument& argument);

}  // namespace tuner
