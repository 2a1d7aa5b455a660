#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/core/description/directives.hpp"

namespace tuner {

/// Every name of one description and every place that uses one. Expressions are checked at the end, so that directives
/// may come in any order; only a `let` or `define` must come after the ones it uses.
class NameTable {
 public:
  enum class Kind { parameter, problem, expression };

  /// Throws (through `name`) for what is no identifier, is reserved, or is declared already.
  void declare(const Span& name, Kind kind);
  /// The same for a name that does not stand there itself; `owner` is where it comes from.
  void declare_implied(const Span& owner, const std::string& name, Kind kind);
  /// A name the compiler sees as a macro that belongs to `owner`: `STRATEGY_none`.
  void declare_named_value(const Span& owner, const std::string& parameter, const std::string& value);

  /// Remembers that `expression`, written at `span`, is used. `fixed_thing` names what must be the same for every
  /// configuration ("the length of `values`"); empty where tuned parameters may be used. `also_known` are names that
  /// mean something of their own there.
  void use(const search::Expression& expression, const Span& span, std::string fixed_thing = {},
           std::set<std::string> also_known = {});
  /// The same for a `let` or `define`, which must be declared after this call.
  void use_in_definition(const search::Expression& expression, const Span& span, const std::string& name);

  /// Throws at the first use of a name that does not exist or may not be used there.
  void check() const;

  bool is_problem(const std::string& name) const;
  /// All names that expressions may use, for suggestions.
  std::vector<std::string> candidates() const;
  /// The declared names for a message, if they are few.
  std::string own_names() const;

 private:
  struct Declaration {
    Kind kind;
    int line;
  };
  struct Use {
    search::Expression expression;
    Span span;
    std::string fixed_thing;
    std::string definition;  ///< the let or define that this is; empty for other uses
    std::set<std::string> also_known;
  };
  struct NamedValue {
    Span owner;
    std::string parameter;
    std::string value;
  };

  void check_use(const Use& use, std::map<std::string, std::string>& tuned) const;
  void check_named_values() const;

  std::map<std::string, Declaration> declared_;
  std::vector<NamedValue> named_values_;
  std::set<std::string> values_;
  std::vector<Use> uses_;
};

/// Throws where `name` is not an identifier that may be declared in a kernel file.
void check_identifier(const Span& name, std::string_view what);

/// Whether a parameter or problem property may be called so: an identifier that is no reserved word, no function of
/// expressions, no type and no attribute of devices.
bool is_declarable(std::string_view name);

}  // namespace tuner
