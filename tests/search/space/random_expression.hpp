#pragma once

#include <string>
#include <vector>

#include "search/space/space.hpp"
#include "search/strategy/prng.hpp"

namespace tuner::search::test {

/// Random parameters, and random expressions over them that use everything the language has. Many cannot be evaluated
/// for some values.
class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t seed) : prng_(seed) {}

  std::vector<Parameter> parameters(std::uint64_t count, std::uint64_t most_values) {
    std::vector<Parameter> result;
    for (std::uint64_t i = 0; i < count; ++i) {
      Parameter parameter{std::string(1, static_cast<char>('a' + i)), {}, {}};
      for (std::uint64_t j = 0, values = 1 + prng_.below(most_values); j < values; ++j) {
        const Value candidate = value();
        bool known = false;
        for (const Value& each : parameter.values) known = known || each.text() == candidate.text();
        if (!known) parameter.values.push_back(candidate);
      }
      parameter.default_value = parameter.values.front();
      result.push_back(std::move(parameter));
    }
    return result;
  }

  /// Over the parameters with these names.
  std::string condition(const std::string& names, int depth) {
    const std::uint64_t kind = prng_.below(depth > 0 ? 11 : 3);
    if (kind < 3)
      return number(names, depth) + pick({" <= ", " < ", " != ", " >= ", " == ", " > "}) + number(names, depth);
    if (kind == 3) return "(" + condition(names, depth - 1) + " or " + condition(names, depth - 1) + ")";
    if (kind == 4)
      return "(" + condition(names, depth - 1) + " and " + condition(names, depth - 1) + " and " +
             condition(names, depth - 1) + ")";
    if (kind == 5) return "not (" + condition(names, depth - 1) + ")";
    if (kind == 6)
      return number(names, depth - 1) + " <= " + number(names, depth - 1) + " < " + number(names, depth - 1);
    if (kind == 7)
      return number(names, depth - 1) + pick({" in (", " not in ("}) + number(names, depth - 1) + ", 2, none)";
    if (kind == 8) return "is_pow2(" + number(names, depth - 1) + ")";
    if (kind == 9)
      return "(" + number(names, depth - 1) + " == 1.5 if " + condition(names, depth - 1) + " else " +
             condition(names, depth - 1) + ")";
    return "!(" + number(names, depth - 1) + ")";
  }

  std::string number(const std::string& names, int depth) {
    const std::uint64_t kind = prng_.below(depth > 0 ? 14 : 4);
    if (kind == 0) return pick({"0", "1", "2", "3", "7", "-2", "0.5", "4611686018427387904", "true"});
    if (kind < 4) return std::string(1, names[prng_.below(names.size())]);
    if (kind == 4) return pick({"min(", "max("}) + number(names, depth - 1) + ", " + number(names, depth - 1) + ", 3)";
    if (kind == 5)
      return "(" + number(names, depth - 1) + " if " + condition(names, depth - 1) + " else " +
             number(names, depth - 1) + ")";
    if (kind == 6)
      return pick({"ceil_div(", "round_up("}) + number(names, depth - 1) + ", " + number(names, depth - 1) + ")";
    if (kind == 7)
      return pick({"abs(", "-(", "+(", "~(", "next_pow2(", "floor(", "ceil(", "int(", "float(", "bool(", "sqrt(",
                   "log2("}) +
             number(names, depth - 1) + ")";
    if (kind == 8)
      return "(" + number(names, depth - 1) + pick({" << ", " >> ", " & ", " | ", " ^ ", " ** "}) +
             number(names, depth - 1) + ")";
    return "(" + number(names, depth - 1) + pick({" + ", " - ", " * ", " / ", " // ", " % "}) +
           number(names, depth - 1) + ")";
  }

  std::uint64_t below(std::uint64_t count) { return prng_.below(count); }

 private:
  Value value() {
    const auto small = static_cast<std::int64_t>(prng_.below(12)) - 3;
    const std::uint64_t kind = prng_.below(24);
    if (kind == 0) return static_cast<double>(small) / 2;
    if (kind == 1) return small > 0;
    if (kind == 2) return "none";
    if (kind == 3) return std::int64_t{1} << 62;
    return small;
  }

  std::string pick(std::initializer_list<const char*> of) { return *(of.begin() + prng_.below(of.size())); }

  Prng prng_;
};

}  // namespace tuner::search::test
