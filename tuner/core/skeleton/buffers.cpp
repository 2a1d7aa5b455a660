// The arguments of a kernel: what it reads and writes, and how long its buffers are.
#include <fmt/format.h>

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"

namespace tuner {
namespace {

std::string plain_length(const KernelSkeleton& skeleton, const PlainArgument& argument, const PointerUse& use,
                         bool& is_guess) {
  std::string length = skeleton.use.length(use.indices);
  is_guess = length.empty();
  const bool is_one = is_guess && !use.indices.empty() && !use.is_unclear &&
                      std::all_of(use.indices.begin(), use.indices.end(), [](const HostExpression& index) {
                        return index.kind == HostExpression::Kind::number && index.text == "0";
                      });
  if (is_one) {
    is_guess = false;
    return std::to_string(argument.elements);
  }
  if (is_guess) length = fmt::format("{}", fmt::join(skeleton.sizes, " * "));
  if (argument.elements == 1) return length;
  const bool is_sum = length.find('+') != std::string::npos;
  return is_sum ? fmt::format("{} * ({})", argument.elements, length)
                : fmt::format("{} * {}", argument.elements, length);
}

/// Whether every element's place depends on the block alone, as partial results do.
bool is_one_a_block(const PointerUse& use) {
  return !use.indices.empty() && std::all_of(use.indices.begin(), use.indices.end(), [](const HostExpression& index) {
    return index.kind == HostExpression::Kind::name && index.text.starts_with("blockIdx.");
  });
}

void propose_buffer(KernelSkeleton& skeleton, const PlainArgument& argument) {
  const PointerUse use = skeleton.use.pointer(argument.own_name);
  std::string role = "inout";
  if (argument.is_const || (use.is_read && !use.is_written && !use.is_unclear))
    role = "in";
  else if (use.is_written && !use.is_read && !use.is_unclear)
    role = "out";
  if (!argument.question.empty()) skeleton.ask(argument.question);
  if (!argument.is_const && use.is_unclear) {
    skeleton.ask(fmt::format("Is `{}` an output only? Then it is out(...). Or input only: in(...).", argument.name));
  }
  bool is_guess = false;
  const std::string length = plain_length(skeleton, argument, use, is_guess);
  const auto extent = skeleton.use.extent_of("blockIdx.x");
  if (role != "in" && is_one_a_block(use) && extent && skeleton.grid.front() != *extent) {
    skeleton.ask(
        fmt::format("`{}` has an element for each block, so it changes with the block: fix what it depends on, "
                    "or make it scratch(...) and let the kernel complete the result.",
                    argument.name));
  } else if (is_guess) {
    skeleton.ask(fmt::format("How many elements does `{}` have? The length is a guess.", argument.name));
  }
  skeleton.lines.push_back(fmt::format("{}({}, {}, {})", role, argument.name, argument.type, length));
}

void propose_scalar(KernelSkeleton& skeleton, const PlainArgument& argument) {
  const bool is_size = std::find(skeleton.sizes.begin(), skeleton.sizes.end(), argument.name) != skeleton.sizes.end();
  if (is_size) {
    skeleton.lines.push_back(fmt::format("scalar({}, {})", argument.name, argument.type));
    return;
  }
  if (!argument.question.empty()) {
    skeleton.ask(argument.question);
    skeleton.lines.push_back(fmt::format("scalar({}, {}, value 0)", argument.name, argument.type));
    return;
  }
  const bool is_boolean = argument.type == "bool";
  skeleton.ask(fmt::format("Which value of `{}` is usual? {} is a guess.", argument.name, is_boolean ? "true" : "1"));
  skeleton.lines.push_back(
      fmt::format("scalar({}, {}, value {})", argument.name, argument.type, is_boolean ? "true" : "1"));
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
    const auto length = parsed ? skeleton.expression(*parsed) : std::nullopt;
    if (declaration.find('=') != std::string_view::npos) continue;  // it has its values
    const bool is_tuned = length && std::any_of(skeleton.parameters.begin(), skeleton.parameters.end(), [&](auto& p) {
                            return find_word(*length, p.first) != std::string_view::npos;
                          });
    if (!length || is_tuned || !shape_of_type(type) || declaration.find('[', close) != std::string_view::npos) {
      skeleton.ask(
          fmt::format("The array `{}` in constant memory must be filled: constant({}, TYPE, LENGTH).", name, name));
      continue;
    }
    skeleton.lines.push_back(fmt::format("constant({}, {}, {})", name, type, *length));
  }
}

}  // namespace

void propose_arguments(KernelSkeleton& skeleton) {
  for (const PlainArgument& argument : skeleton.arguments) {
    if (argument.is_pointer)
      propose_buffer(skeleton, argument);
    else
      propose_scalar(skeleton, argument);
  }
  propose_constant_arrays(skeleton);
}

}  // namespace tuner
