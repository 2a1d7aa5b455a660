#include "tuner/core/t1/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/core/t1/signature.hpp"

namespace tuner {

std::string t1_memory(const T1Node& argument) {
  const auto node = argument.find("MemoryType");
  return node ? node->string() : std::string("Vector");
}

bool is_t1_symbol(const T1Node& argument) {
  const std::string type = t1_memory(argument);
  return type == "Symbol" || type == "Constant";
}

bool is_t1_constant(const T1Node& argument) {
  const auto mem_type = argument.find("MemType");
  const bool is_told = mem_type && mem_type->is_string() && mem_type->string() == "Constant";
  return is_t1_symbol(argument) || (is_told && t1_memory(argument) == "Vector");
}

T1Pairing pair_t1_arguments(const std::vector<T1Node>& arguments, const T1Surroundings& around) {
  T1Pairing pairing;
  pairing.parameters.resize(arguments.size());
  const auto parameters = kernel_parameters(around.code.code, around.kernel);
  if (!parameters) return pairing;
  // Some tuners pass what they copy to constant memory as an argument as well.
  const auto count = [&](auto is_passed) {
    return static_cast<std::size_t>(std::count_if(arguments.begin(), arguments.end(), is_passed)) == parameters->size();
  };
  const auto is_local = [](const T1Node& node) { return t1_memory(node) == "Local"; };
  const auto may_be_passed = [&](const T1Node& node) { return !is_local(node) && !is_t1_symbol(node); };
  const auto is_surely_passed = [&](const T1Node& node) { return !is_local(node) && !is_t1_constant(node); };
  pairing.constants_are_passed = count(may_be_passed);
  if (!pairing.constants_are_passed && !count(is_surely_passed)) return pairing;
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (pairing.constants_are_passed ? may_be_passed(arguments[i]) : is_surely_passed(arguments[i])) {
      pairing.parameters[i] = parameters->at(next++);
    }
  }
  return pairing;
}

void refuse_no_t1_arguments(const T1Node& arguments, const T1Surroundings& around) {
  const auto parameters = kernel_parameters(around.code.code, around.kernel);
  if (!parameters) arguments.fail("is empty: describe what the kernel takes, in the order of its parameters");
  if (parameters->empty()) return;
  std::string list;
  for (const std::string_view parameter : *parameters)
    list += fmt::format("{}`{}`", list.empty() ? "" : ", ", parameter);
  arguments.fail("is empty, but the kernel `{}` takes {}: describe each of them, in this order", around.kernel, list);
}

void refuse_without_t1_output(const T1Node& arguments, const T1Pairing& pairing) {
  constexpr const char* kNone = "no argument is written, and without an output no configuration can be checked";
  constexpr const char* kEdit = "to WriteOnly, or to ReadWrite if it is read too";
  std::vector<std::string> candidates, to_const;
  std::optional<T1Node> last;
  const std::vector<T1Node> nodes = arguments.elements();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string_view parameter = pairing.parameters[i];
    const auto access = nodes[i].find("AccessType");
    const bool is_input = access && access->string() == "ReadOnly";
    if (!is_input && is_to_const(parameter)) to_const.push_back(fmt::format("`{}`", parameter));
    if (!is_input || is_t1_constant(nodes[i]) || !may_write_through(parameter)) continue;
    candidates.push_back(fmt::format("`{}`", parameter));
    last = access;
  }
  if (candidates.size() == 1) {
    last->fail("{}; the kernel can write through {}: set it {}", kNone, candidates.front(), kEdit);
  }
  if (candidates.size() > 1) {
    arguments.fail("{}; the kernel can write through {}: set the AccessType of what it writes {}", kNone,
                   fmt::join(candidates, ", "), kEdit);
  }
  if (!to_const.empty()) {
    arguments.fail(
        "{}; the kernel cannot write through {}: remove that const from the kernel, or describe another output", kNone,
        fmt::join(to_const, ", "));
  }
  arguments.fail("{}: set the AccessType of what the kernel writes {}", kNone, kEdit);
}

}  // namespace tuner
