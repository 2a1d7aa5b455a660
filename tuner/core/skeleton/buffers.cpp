// The arguments of a kernel: what it reads and writes, and how long its buffers are.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/core/skeleton/launching_code.hpp"

namespace tuner {
namespace {

struct Length {
  std::string text;
  bool is_guess = false;
};

/// In brackets unless it is a product.
std::string as_factor(const std::string& text) {
  return text.find_first_of("+-/%") == std::string::npos ? text : "(" + text + ")";
}

/// `count` of the kernel's elements, in elements of the description.
std::string in_elements(const PlainArgument& argument, const std::string& count) {
  if (argument.elements == 1) return count;
  if (count == "1") return std::to_string(argument.elements);
  return fmt::format("{} * {}", argument.elements, as_factor(count));
}

bool names_one_of(const std::string& text, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return has_word(text, name); });
}

std::vector<std::string> parameters_in(const KernelSkeleton& skeleton, const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [name, value] : skeleton.parameters) {
    if (names_one_of(text, {name})) names.push_back(name);
  }
  return names;
}

/// Whether a buffer of so many elements is longer than an expression of sizes, as the launch passes them.
bool is_longer(const KernelSkeleton& skeleton, const LaunchingCode& host, const std::string& elements,
               const std::string& seen) {
  const auto number = literal_value(elements);
  const auto parsed = parse_host_expression(seen);
  if (!number || !parsed) return false;
  if (parsed->kind == HostExpression::Kind::call) return true;  // of a part of a size
  const auto value = integer_of(*parsed, [&](const std::string& name) -> std::optional<std::int64_t> {
    for (const PlainArgument& argument : skeleton.arguments) {
      if (argument.name == name) return host.passed_integer(argument);
    }
    return std::nullopt;
  });
  return value && *number > *value;
}

/// A product with the first of them in place of each of several sizes, its factors sorted: `n * n` of `rows * columns`
/// where the program passes one variable for both.
std::vector<std::string> factors_of(std::string_view product, const std::set<std::vector<std::string>>& undecided) {
  constexpr std::string_view kTimes = " * ";
  std::vector<std::string> factors;
  while (!product.empty()) {
    const std::size_t end = std::min(product.find(kTimes), product.size());
    std::string factor(product.substr(0, end));
    product.remove_prefix(std::min(end + kTimes.size(), product.size()));
    for (const std::vector<std::string>& sizes : undecided) {
      if (std::find(sizes.begin(), sizes.end(), factor) != sizes.end()) factor = sizes.front();
    }
    factors.push_back(std::move(factor));
  }
  std::sort(factors.begin(), factors.end());
  return factors;
}

/// Whether a product has the number that the launch passes for a size in its place: `8 * 4 * C` for `C * N`.
bool has_number_for_size(const KernelSkeleton& skeleton, const LaunchingCode& host, const std::string& length,
                         const std::string& seen) {
  std::int64_t number = 1;
  for (const std::string& factor : factors_of(length, {})) {
    const PlainConstant* const constant = skeleton.source.constant(factor);
    const std::int64_t value = constant != nullptr ? constant->value : literal_value(factor).value_or(1);
    if (__builtin_mul_overflow(number, value, &number)) return false;
  }
  return std::any_of(skeleton.arguments.begin(), skeleton.arguments.end(), [&](const PlainArgument& argument) {
    if (!has_word(seen, argument.name) || has_word(length, argument.name)) return false;
    const std::int64_t passed = host.passed_integer(argument).value_or(1);
    return passed > 1 && number % passed == 0;
  });
}

/// How many elements the host allocates or fills.
LaunchingCode::Allocation allocation_of(KernelSkeleton& skeleton, const LaunchingCode& host,
                                        const PlainArgument& argument, std::set<std::string>& constants) {
  LaunchingCode::Allocation allocation = host.allocation(argument, constants);
  if (allocation.length.empty()) {
    if (const auto filling = host.filling(argument, constants)) allocation.length = filling->length;
  }
  skeleton.undecided.insert(host.undecided().begin(), host.undecided().end());
  return allocation;
}

/// As long as it is allocated or filled, else as its indices or the grid show.
Length length_of(KernelSkeleton& skeleton, const PlainArgument& argument, const PointerUse& use) {
  std::set<std::string> constants;
  const LaunchingCode host(skeleton);
  const LaunchingCode::Allocation allocation = allocation_of(skeleton, host, argument, constants);
  const bool is_partial = has_element_a_block(skeleton, argument);
  const std::string seen = skeleton.use.length(use.indices);
  if (!host.undecided().empty() && !seen.empty()) {
    const bool is_same = argument.question.empty() &&
                         factors_of(seen, host.undecided()) == factors_of(allocation.length, host.undecided());
    return {in_elements(argument, seen), !is_same};
  }
  // A number of elements where the indices have sizes holds for one problem only.
  const bool is_fixed = !allocation.length.empty() && parameters_in(skeleton, allocation.length).empty();
  const bool has_sizes = names_one_of(allocation.length, skeleton.sizes);
  const bool lacks_one = has_sizes && has_number_for_size(skeleton, host, allocation.length, seen);
  const bool is_known =
      is_fixed && argument.question.empty() && (is_partial || seen.empty() || (has_sizes && !lacks_one));
  if (is_known) {
    skeleton.declare(constants);
    return {in_elements(argument, allocation.length)};
  }
  if (is_partial && skeleton.grid.size() == 1 && parameters_in(skeleton, skeleton.grid.front()).empty()) {
    return {in_elements(argument, skeleton.grid.front())};
  }
  const bool is_one = seen.empty() && !use.indices.empty() && !use.is_unclear &&
                      std::all_of(use.indices.begin(), use.indices.end(), [](const ElementIndex& index) {
                        return index.expression.kind == HostExpression::Kind::number && index.expression.text == "0";
                      });
  if (is_one) return {in_elements(argument, "1")};
  const bool is_guess = seen.empty() || skeleton.use.reach_further(use.indices) || (allocation.is_there && !is_fixed) ||
                        lacks_one || is_longer(skeleton, host, allocation.length, seen);
  return {in_elements(argument, seen.empty() ? fmt::format("{}", fmt::join(skeleton.sizes, " * ")) : seen), is_guess};
}

/// What a block's elements of partial results depend on: parameters in what its index is multiplied with.
std::vector<std::string> parameters_of_blocks(const KernelSkeleton& skeleton) {
  const auto each = skeleton.use.elements_per_block("blockIdx.x");
  return parameters_in(skeleton, each ? skeleton.expression(*each).value_or("") : "");
}

/// The number that an element is whose bytes are all this; empty if the type is not known, or it is none.
std::string number_of_bytes(std::uint8_t byte, const std::string& type) {
  if (byte == 0) return "0";
  const auto shape = shape_of_type(type);
  if (!shape || shape->element == ElementType::boolean) return {};
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size_of(shape->element); ++i) bits = bits << 8 | byte;
  switch (shape->element) {
    case ElementType::int8:
      return std::to_string(static_cast<std::int8_t>(bits));
    case ElementType::int16:
      return std::to_string(static_cast<std::int16_t>(bits));
    case ElementType::int32:
      return std::to_string(static_cast<std::int32_t>(bits));
    case ElementType::int64:
      return std::to_string(static_cast<std::int64_t>(bits));
    case ElementType::float32: {
      const auto real = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      return std::isfinite(real) ? fmt::format("{}", real) : std::string();
    }
    case ElementType::float64: {
      const auto real = std::bit_cast<double>(bits);
      return std::isfinite(real) ? fmt::format("{}", real) : std::string();
    }
    default:
      return is_real(shape->element) ? std::string() : std::to_string(bits);
  }
}

/// ", constant(0)" for what the host fills; asks where it does not say what a buffer of integers holds.
std::string content_of(KernelSkeleton& skeleton, const PlainArgument& argument, bool is_read) {
  std::set<std::string> constants;
  const auto filling = LaunchingCode(skeleton).filling(argument, constants);
  if (!filling) {
    if (is_read && argument.is_integer)
      skeleton.ask(
          fmt::format("What does `{}` contain? Without a generator its integers count up from 0.", argument.name));
    return {};
  }
  const auto given = skeleton.given_types.find(argument.type);
  const std::string number =
      number_of_bytes(filling->byte, given == skeleton.given_types.end() ? argument.type : given->second);
  if (!number.empty()) return fmt::format(", constant({})", number);
  skeleton.ask(
      fmt::format("Every byte of `{}` is {:#04x} before the launch. Which number is that? Say so: constant(V).",
                  argument.name, filling->byte));
  return {};
}

std::string role_of(const PlainArgument& argument, const PointerUse& use) {
  if (argument.is_const || (use.is_read && !use.is_written && !use.is_unclear)) return "in";
  return use.is_written && !use.is_read && !use.is_unclear ? "out" : "inout";
}

/// Whether each element is read or written once, as far as the text shows: what `work` counts.
bool is_used_once(const KernelSkeleton& skeleton, const PlainArgument& argument, const PointerUse& use,
                  const Length& length) {
  if (length.is_guess || !argument.question.empty() || argument.elements != 1) return false;
  if (use.is_unclear || use.is_read == use.is_written || use.indices.size() != 1) return false;
  const std::string seen = skeleton.use.length(use.indices);
  if (seen.empty() || is_digit(seen.front()) || seen.starts_with("ceil_div"))
    return false;  // `x[i * 4]` leaves three out
  return std::none_of(skeleton.sizes.begin(), skeleton.sizes.end(), [&](const std::string& size) {
    const bool is_bounded = skeleton.use.bounds_something(size) || skeleton.guarded.contains(size);
    return skeleton.use.loops_to(size) || (names_one_of(length.text, {size}) && !is_bounded);
  });
}

/// Bytes of buffers, those of the same length together: from (size of an element or `sizeof(TYPE)`, length).
class Traffic {
 public:
  void add(const KernelSkeleton& skeleton, const std::string& type, const std::string& length) {
    const bool is_property = skeleton.given_types.contains(type);
    const auto shape = shape_of_type(type);
    if (!is_property && !shape) return;
    const std::string unit = is_property ? fmt::format("sizeof({}) * ", type) : std::string();
    const std::size_t bytes = is_property ? 1 : size_of(shape->element) * static_cast<std::size_t>(shape->lanes);
    const auto same = std::find_if(terms_.begin(), terms_.end(),
                                   [&](const Term& term) { return term.unit == unit && term.length == length; });
    if (same == terms_.end())
      terms_.push_back({unit, length, bytes});
    else
      same->factor += bytes;
  }

  std::string text() const {
    std::string sum;
    for (const Term& term : terms_) {
      sum += fmt::format("{}{}{}{}", sum.empty() ? "" : " + ",
                         term.factor == 1 && !term.unit.empty() ? "" : fmt::format("{} * ", term.factor), term.unit,
                         as_factor(term.length));
    }
    return sum;
  }

 private:
  struct Term {
    std::string unit, length;
    std::size_t factor = 0;
  };
  std::vector<Term> terms_;
};

/// How the kernel uses it. Where the text shows no output at all, each pointer may be one.
PointerUse use_of(const KernelSkeleton& skeleton, const PlainArgument& argument) {
  PointerUse use = skeleton.use.pointer(argument.own_name);
  const bool has_output = std::any_of(skeleton.arguments.begin(), skeleton.arguments.end(), [&](const auto& other) {
    return other.is_pointer && role_of(other, skeleton.use.pointer(other.own_name)) != "in";
  });
  use.is_unclear = use.is_unclear || !has_output;
  return use;
}

/// Adds what the buffer moves; returns whether that is known.
bool propose_buffer(KernelSkeleton& skeleton, const PlainArgument& argument, Traffic& traffic) {
  const PointerUse use = use_of(skeleton, argument);
  if (!argument.question.empty()) skeleton.ask(argument.question);
  std::string role = role_of(argument, use);
  const std::string content = content_of(skeleton, argument, role != "out");
  if (role == "out" && !content.empty()) role = "inout";  // the kernel may leave parts of it as they are
  const bool is_seen = use.is_read || use.is_written;
  if (!argument.is_const && (use.is_unclear || !is_seen) && content.empty()) {
    skeleton.ask(fmt::format("Is `{}` an output only? Then it is out(...). Or input only: in(...).", argument.name));
  }
  const std::vector<std::string> varying = parameters_of_blocks(skeleton);
  const Length length = length_of(skeleton, argument, use);
  if (has_element_a_block(skeleton, argument) && !varying.empty()) {
    skeleton.ask(
        fmt::format("The values of `{}` depend on {}, so other values of it will be reported as wrong: give each "
                    "block a fixed part of the input, or write one result to an out(...) and make this a scratch(...).",
                    argument.name, fmt::join(varying, ", ")));
  } else if (length.is_guess) {
    skeleton.ask(fmt::format("How many elements does `{}` have? The length is a guess.", argument.name));
  }
  skeleton.lines.push_back(fmt::format("{}({}, {}, {}{})", role, argument.name, argument.type, length.text, content));
  traffic.add(skeleton, argument.type, length.text);
  return is_used_once(skeleton, argument, use, length);
}

void propose_scalar(KernelSkeleton& skeleton, const PlainArgument& argument) {
  const bool is_size = std::find(skeleton.sizes.begin(), skeleton.sizes.end(), argument.name) != skeleton.sizes.end();
  if (is_size) {
    skeleton.lines.push_back(fmt::format("scalar({}, {})", argument.name, argument.type));
    return;
  }
  if (argument.is_object) {
    const auto shape = shape_of_type(argument.type);
    std::string members;
    for (int i = 0; shape && i < shape->lanes; ++i) members += ", 1";
    if (shape)
      skeleton.ask(fmt::format("Which numbers does `{}` hold? Ones are a guess.", argument.name));
    else
      skeleton.ask(fmt::format("Which values do the members of `{0}` have? value({0}, {1}) is `{1}{{}}`.",
                               argument.name, argument.type));
    skeleton.lines.push_back(fmt::format("value({}, {}{})", argument.name, argument.type, members));
    return;
  }
  if (!argument.question.empty()) {
    skeleton.ask(argument.question);
    skeleton.lines.push_back(fmt::format("scalar({}, {}, value 0)", argument.name, argument.type));
    return;
  }
  const auto passed = LaunchingCode(skeleton).passed_value(argument);
  const std::string value = passed ? *passed : argument.type == "bool" ? "true" : "1";
  if (!passed) skeleton.ask(fmt::format("What is a typical value of `{}`? {} is a guess.", argument.name, value));
  skeleton.lines.push_back(fmt::format("scalar({}, {}, value {})", argument.name, argument.type, value));
}

/// `__constant__ float weights[49];`
void propose_constant_arrays(KernelSkeleton& skeleton) {
  const std::string_view code = skeleton.source.code.code;
  for (std::size_t at = find_word(code, "__constant__"); at != std::string_view::npos;
       at = find_word(code, "__constant__", at + 1)) {
    const std::size_t end = std::min(code.find(';', at), code.size());
    const std::string_view declaration = code.substr(at + 12, end - at - 12);
    const std::string name = declared_name(declaration);
    const std::size_t open = declaration.find('['), close = declaration.find(']');
    if (name.empty() || !skeleton.use.mentions(name) || open == std::string_view::npos || close < open) continue;
    const std::string type(search::trimmed(declaration.substr(0, declaration.find(name))));
    const auto parsed = parse_host_expression(declaration.substr(open + 1, close - open - 1));
    std::set<std::string> constants;
    const auto length = parsed ? skeleton.expression(*parsed, &constants) : std::nullopt;
    skeleton.fixed.insert(constants.begin(), constants.end());
    if (declaration.find('=') != std::string_view::npos) continue;  // it has its values
    const bool is_tuned = length && std::any_of(skeleton.parameters.begin(), skeleton.parameters.end(),
                                                [&](auto& p) { return has_word(*length, p.first); });
    if (!length || is_tuned || !shape_of_type(type) || declaration.find('[', close) != std::string_view::npos) {
      skeleton.ask(
          fmt::format("The array `{}` in constant memory must be filled: constant({}, TYPE, LENGTH).", name, name));
      continue;
    }
    skeleton.declare(constants);
    skeleton.lines.push_back(fmt::format("constant({}, {}, {})", name, type, *length));
  }
}

}  // namespace

bool has_element_a_block(const KernelSkeleton& skeleton, const PlainArgument& argument) {
  if (!argument.is_pointer || argument.is_const) return false;
  const PointerUse use = skeleton.use.pointer(argument.own_name);
  return use.is_written && !use.indices.empty() &&
         std::all_of(use.indices.begin(), use.indices.end(),
                     [&](const ElementIndex& index) { return skeleton.use.is_block_index(index.expression); });
}

void propose_arguments(KernelSkeleton& skeleton) {
  Traffic traffic;
  bool is_traffic_known = true;
  for (const PlainArgument& argument : skeleton.arguments) {
    if (!argument.is_pointer)
      propose_scalar(skeleton, argument);
    else if (!propose_buffer(skeleton, argument, traffic))
      is_traffic_known = false;
  }
  propose_constant_arrays(skeleton);
  if (is_traffic_known)
    skeleton.lines.push_back(fmt::format("work(bytes = {})", traffic.text()));
  else
    skeleton.ask("What is the least that the job needs, for the report? Say so: work(bytes = ..., flops = ...).");
}

}  // namespace tuner
