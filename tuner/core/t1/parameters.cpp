#include "tuner/core/t1/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/description/parameter_values.hpp"
#include "tuner/core/t1/values.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

const std::vector<std::string>& known_types() {
  static const std::vector<std::string> types{"int", "uint", "float", "bool", "string"};
  return types;
}

std::vector<search::Value> values_of(const T1Node& node) {
  std::vector<search::Value> values;
  if (node.is_array()) {
    for (const T1Node& element : node.elements()) values.push_back(element.value());
  } else {
    try {
      values = python_list(node.string());
    } catch (const Error& error) {
      node.fail(error.what());
    }
  }
  if (values.empty()) node.fail("has no value; a parameter needs at least one");
  return values;
}

bool is_whole(const search::Value& value) {
  if (value.is_name()) return false;
  const double real = value.as_real();
  return !value.is_real() || (real == std::floor(real) && std::abs(real) < 0x1p63);
}

/// Each value once, as expressions tell them apart: 1, 1.0 and True are one.
std::vector<search::Value> unique(const T1Node& node, const std::vector<search::Value>& given) {
  std::vector<search::Value> values;
  std::set<std::string> seen;
  for (const search::Value& value : given) {
    if (seen.insert(equality_text(value)).second) values.push_back(value);
  }
  if (values.size() < given.size()) {
    node.warn("{} of the values occur{} in the list more than once and {} used once.", given.size() - values.size(),
              given.size() - values.size() == 1 ? "s" : "", given.size() - values.size() == 1 ? "is" : "are");
  }
  return values;
}

void check_type(const T1Node& parameter, const T1Node& values_node, const std::vector<search::Value>& values) {
  const T1Node node = parameter.need("Type");
  const std::string& type = node.string();
  if (std::ranges::find(known_types(), type) == known_types().end()) {
    node.fail("unknown type `{}`{}", type,
              suggestion(type, known_types(), "; valid types are " + alternatives(known_types())));
  }
  const auto strings = std::count_if(values.begin(), values.end(), [](const auto& value) { return value.is_name(); });
  if (strings > 0 && static_cast<std::size_t>(strings) < values.size()) {
    values_node.fail("the values are partly strings and partly numbers; use one kind");
  }
  for (const search::Value& value : values) {
    const bool fits = type == "string"                  ? true
                      : type == "int" || type == "uint" ? is_whole(value) && !(type == "uint" && value.as_real() < 0)
                      : type == "bool"                  ? value == search::Value(0) || value == search::Value(1)
                                                        : !value.is_name();
    if (!fits) values_node.fail("the value {} does not have the Type {}", value.text(), type);
  }
}

/// The default as it stands in the file, which need not be among the values.
std::optional<search::Value> given_default(const T1Node& parameter, bool is_string) {
  const auto node = parameter.find("Default");
  if (!node) return std::nullopt;
  if (node->is_array()) {
    const std::vector<T1Node> elements = node->elements();
    if (elements.size() != 1) node->fail("must be one value");
    return elements.front().value();
  }
  const search::Value value = node->value();
  if (!value.is_name() || is_string) return value;
  try {
    return search::Expression::parse(value.as_name()).evaluate(search::Scope());
  } catch (const Error& error) {
    node->fail(error.what());
  }
}

T1Parameter read_parameter(const T1Node& node) {
  T1Parameter parameter;
  parameter.path = node.path();
  parameter.name = node.need("Name").string();
  const T1Node values = node.need("Values");
  parameter.values = unique(values, values_of(values));
  check_type(node, values, parameter.values);
  parameter.default_value = parameter.values.front();
  if (const auto wanted = given_default(node, parameter.values.front().is_name())) {
    const auto found = std::find(parameter.values.begin(), parameter.values.end(), *wanted);
    parameter.has_default = found != parameter.values.end();
    if (parameter.has_default) {
      parameter.default_value = *found;
    } else {
      node.need("Default").warn("{} is not among the values of `{}`; {} is used.", wanted->text(), parameter.name,
                                parameter.default_value.text());
    }
  }
  return parameter;
}

std::string value_text(const search::Value& value) {
  return value.is_name() ? search::quote(value.as_name()) : value.text();
}

/// Element types that are spelled as the compiler spells them can be used in sizeof, too.
bool are_plain_types(const std::vector<search::Value>& values) {
  return std::all_of(values.begin(), values.end(), [](const search::Value& value) {
    return value.is_name() && shape_of_type(value.as_name()) && compiler_spelling(value.as_name()) == value.as_name();
  });
}

}  // namespace

T1Line T1Parameter::line(bool is_argument) const {
  std::string text = "param(" + name;
  for (const search::Value& value : values) text += ", " + value_text(value);
  text += "; default " + value_text(default_value);
  if (is_argument) {
    text += "; argument";
  } else if (values.front().is_name() && !are_plain_types(values)) {
    text += "; text";
  }
  return {text + ")", path};
}

std::vector<T1Parameter> read_t1_parameters(const T1Node& space) {
  std::vector<T1Parameter> parameters;
  for (const T1Node& node : space.need("TuningParameters").elements()) {
    T1Parameter parameter = read_parameter(node);
    for (const T1Parameter& other : parameters) {
      if (other.name == parameter.name) {
        node.need("Name").fail("the parameter `{}` is described already, in {}", other.name, other.path);
      }
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

std::vector<T1Line> read_t1_conditions(const T1Node& space, const T1Names& names) {
  std::vector<T1Line> lines;
  if (const auto other = space.find("Constraints"); other && !(other->is_array() && other->elements().empty())) {
    other->fail("is not read, but the space would be another one without it: T1 calls it Conditions");
  }
  const auto list = space.find("Conditions");
  if (!list) return lines;
  std::vector<std::string> known;
  for (const auto& [name, values] : names.parameters) known.push_back(name);
  for (const T1Node& condition : list->elements()) {
    const T1Node expression = condition.need("Expression");
    expression.string();
    if (const auto parameters = condition.find("Parameters")) {
      for (const T1Node& name : parameters->elements()) {
        if (names.parameters.contains(name.string())) continue;
        name.warn("there is no parameter `{}`{}", name.string(), suggestion(name.string(), known, "."));
      }
    }
    lines.push_back(
        {fmt::format("constraint({})", t1_expression(expression, names, T1Use::configuration)), expression.path()});
  }
  return lines;
}

}  // namespace tuner
