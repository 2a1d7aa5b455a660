#include "tuner/core/t1/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/t1/content.hpp"
#include "tuner/core/t1/pairing.hpp"
#include "tuner/core/t1/signature.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

struct Tolerance {
  std::optional<double> relative, absolute;
};

/// Vectors that OpenCL has and CUDA has not. `float16` must not be taken for the half that descriptions call so.
bool is_wide_vector(std::string_view type) {
  for (const std::string_view element : {"half", "float", "double"}) {
    if (!type.starts_with(element)) continue;
    const std::string_view lanes = type.substr(element.size());
    return lanes == "8" || lanes == "16" || (lanes == "4" && element == "half");
  }
  return false;
}

std::string type_of(const T1Node& argument) {
  const T1Node node = argument.need("Type");
  const std::string& type = node.string();
  if (type == "custom") {
    node.fail(
        "arguments of a custom type cannot be filled or compared; describe them as arrays of numbers, for example "
        "float with four times the Size");
  }
  if (is_wide_vector(type)) {
    node.fail("`{}` is a vector that CUDA does not have; describe it as its numbers, with a greater Size", type);
  }
  const auto shape = shape_of_type(type);
  if (!shape) {
    node.fail(
        "unknown type `{}`{}", type,
        suggestion(
            type, type_names(),
            "; valid types are bool, int8 to int64, uint8 to uint64, half, float, double and CUDA's vectors of them"));
  }
  argument.find("TypeSize");
  return type;
}

/// All at once: who has one wrong has most of them wrong.
void check_type_sizes(const std::vector<T1Node>& arguments) {
  std::optional<T1Node> first;
  std::string sentence;
  for (const T1Node& argument : arguments) {
    const auto type = argument.find("Type"), size = argument.find("TypeSize");
    const auto shape = type && type->is_string() ? shape_of_type(type->string()) : std::nullopt;
    if (!shape || !size || is_wide_vector(type->string())) continue;
    const auto bytes = static_cast<std::int64_t>(size_of(shape->element)) * shape->lanes;
    if (size->integer() == bytes) continue;
    sentence += first ? fmt::format("; {} in {}", bytes, size->path())
                      : fmt::format("`{}` has {} bytes, not {}: write {}, or correct the Type", type->string(), bytes,
                                    size->integer(), bytes);
    if (!first) first = size;
  }
  if (first) first->fail(sentence);
}

/// A string of digits, which some writers of T1 files put in quotes.
std::optional<search::Value> number_in_quotes(const T1Node& node) {
  if (!node.is_string()) return std::nullopt;
  constexpr std::size_t kMostDigits = 18;  // fit in 64 bits
  const std::string_view text = node.string();
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.size() > kMostDigits || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(std::stoll(node.string()));
}

class ArgumentReader {
 public:
  ArgumentReader(const T1Surroundings& around, std::vector<T1Property>& properties)
      : around_(around), properties_(properties) {}

  T1Arguments read(const T1Node& specification) {
    const T1Node list = specification.need("Arguments");
    read_references(specification);
    const std::vector<T1Node> nodes = list.elements();
    if (nodes.empty()) refuse_no_t1_arguments(list, around_);
    check_type_sizes(nodes);
    pairing_ = pair_t1_arguments(nodes, around_);
    for (std::size_t i = 0; i < nodes.size(); ++i) read_argument(nodes[i], i);
    if (!to_write_.empty()) refuse_t1_contents(to_write_);
    if (!any_output_) refuse_without_t1_output(list, pairing_);
    warn_of_t1_views(filled_);
    for (const auto& [name, reference] : references_) {
      if (!names_.contains(name)) reference.second.fail("there is no argument `{}`", name);
    }
    return std::move(result_);
  }

 private:
  /// False, with a warning, for a pointer to const.
  bool can_be_written(const T1Node& argument, std::size_t index) const {
    const std::string_view parameter = pairing_.parameters[index];
    if (!is_to_const(parameter)) return true;
    argument.warn("the kernel cannot write through `{}`: set its AccessType to ReadOnly.", parameter);
    return false;
  }

  void add(std::string directive, const T1Node& node) { result_.lines.push_back({std::move(directive), node.path()}); }

  /// KTT's ReferenceArguments: only how exactly is of use, since outputs are compared with the baseline's.
  void read_references(const T1Node& specification) {
    const auto list = specification.find("ReferenceArguments");
    if (!list) return;
    list->warn(
        "outputs are compared with what the baseline computes, not with these references; only their thresholds "
        "are used.");
    for (const T1Node& reference : list->elements()) {
      const T1Node target = reference.need("TargetName");
      for (const char* key : {"Name", "FillType", "FillValue", "DataSource", "RandomSeed"}) reference.find(key);
      Tolerance tolerance;
      const auto method = reference.find("ValidationMethod");
      const auto threshold = reference.find("ValidationThreshold");
      const std::string how = method ? method->string() : std::string();
      if (how == "SideBySideComparison") tolerance = {0.0, threshold ? std::optional(real(*threshold)) : std::nullopt};
      if (how == "SideBySideRelativeComparison") {
        tolerance = {threshold ? std::optional(real(*threshold)) : std::nullopt, std::nullopt};
      }
      if (how == "AbsoluteDifference")
        method->warn("a threshold for the sum of differences is not used; each element is compared.");
      if (method && how != "AbsoluteDifference" && !how.starts_with("SideBySide")) {
        method->fail("unknown method `{}`", how);
      }
      references_.insert_or_assign(target.string(), std::make_pair(tolerance, target));
    }
  }

  static double real(const T1Node& node) {
    const search::Value value = node.value();
    if (!value.is_number() || !(value.as_real() >= 0)) node.fail("a tolerance must be a number that is not negative");
    return value.as_real();
  }

  /// The argument's name as an identifier. It is no more than a label, unless it is that of an array in constant
  /// memory.
  std::string name_of(const T1Node& argument, std::size_t index, bool is_array_of_source) {
    const auto node = argument.find("Name");
    std::string name = node ? node->string() : fmt::format("argument_{}", index);
    const std::string wanted = name;
    if (is_array_of_source && (!node || !is_identifier(name))) {
      argument.fail("needs the Name of the `__constant__` array in the kernel's source");
    }
    for (char& c : name) {
      if (!is_word_character(c)) c = '_';
    }
    if (!is_array_of_source && !is_declarable(name)) name = "argument_" + name;
    while (name.find("__") != std::string::npos && !is_array_of_source) name.erase(name.find("__"), 1);
    if (name != wanted) node->warn("is called `{}` here, because `{}` cannot be a name.", name, wanted);
    if (!names_.insert(wanted).second || (name != wanted && !names_.insert(name).second)) {
      argument.fail("the argument `{}` is described twice", wanted);
    }
    return name;
  }

  void read_argument(const T1Node& argument, std::size_t index) {
    const std::string memory = t1_memory(argument);
    const auto mem_type = argument.find("MemType");
    bool constant = is_t1_constant(argument);
    if (mem_type && mem_type->string() != "Constant" && mem_type->string() != "Global" &&
        mem_type->string() != "Vector") {
      mem_type->fail("`{}` memory is not supported; valid are Constant and Global", mem_type->string());
    }
    if (constant && memory == "Vector" && pairing_.constants_are_passed && !may_have_array(argument)) {
      mem_type->warn(
          "is not honoured: the source declares no __constant__ array of that name, and the kernel has a parameter for "
          "it, so it is an ordinary buffer.");
      constant = false;
    }
    if (memory == "Scalar") {
      read_scalar(argument, index);
    } else if (memory == "Local") {
      read_local(argument);
    } else if (constant) {
      read_constant(argument, index, !is_t1_symbol(argument) && pairing_.constants_are_passed);
    } else if (memory == "Vector") {
      read_vector(argument, index);
    } else {
      argument.need("MemoryType")
          .fail("`{}` memory is not supported; valid are Scalar, Vector, Constant, Symbol and Local", memory);
    }
  }

  /// A header that was not found may declare what the others do not.
  bool may_have_array(const T1Node& argument) const {
    const auto name = argument.find("Name");
    return !name || around_.written.may_have_array(name->string()) || around_.written.lacks_headers();
  }

  void read_scalar(const T1Node& argument, std::size_t index) {
    const std::string name = name_of(argument, index, false);
    const std::string type = type_of(argument);
    if (shape_of_type(type)->lanes != 1) argument.need("Type").fail("a scalar has a plain type, not `{}`", type);
    if (const auto access = argument.find("AccessType"); access && access->string() != "ReadOnly") {
      access->fail("a scalar is ReadOnly");
    }
    for (const char* key : {"Size", "Output"}) argument.find(key);
    if (const auto fill = argument.find("FillType"); fill && fill->string() != "Constant") {
      fill->fail("a scalar is one value, given by FillValue, and cannot be filled by `{}`", fill->string());
    }
    const T1Node node = argument.need("FillValue");
    const std::string value = t1_expression(node, around_.names, T1Use::fixed);
    refuse_t1_parameters(node, value, around_.names);
    const bool taken =
        around_.names.parameters.contains(name) ||
        std::any_of(properties_.begin(), properties_.end(), [&](const auto& p) { return p.name == name; });
    const std::optional<search::Value> quoted = number_in_quotes(node);
    if ((node.is_string() && !quoted) || taken || !is_declarable(name)) {
      add(fmt::format("scalar({}, {}, value {})", name, type, value), argument);
      return;
    }
    properties_.push_back({name, quoted ? *quoted : node.value(), argument.path()});
    add(fmt::format("scalar({}, {})", name, type), argument);
  }

  /// OpenCL's local memory as an argument: dynamic shared memory here.
  void read_local(const T1Node& argument) {
    const std::string type = type_of(argument);
    for (const char* key : {"Name", "AccessType", "FillType", "FillValue"}) argument.find(key);
    const T1Node node = argument.need("Size");
    const auto shape = shape_of_type(type);
    result_.shared_bytes.push_back(fmt::format("({}) * {}",
                                               t1_whole(t1_expression(node, around_.names, T1Use::configuration)),
                                               size_of(shape->element) * static_cast<std::size_t>(shape->lanes)));
  }

  void read_constant(const T1Node& argument, std::size_t index, bool is_passed) {
    const std::string name = name_of(argument, index, true);
    const std::string type = type_of(argument);
    if (const auto access = argument.find("AccessType"); access && access->string() != "ReadOnly") {
      access->fail("constant memory is ReadOnly");
    }
    argument.find("Output");
    const T1Filled buffer = buffer_of(argument, name, type);
    const std::string& length = buffer.length;
    const std::string content = content_of(buffer, is_passed);
    filled_.push_back(buffer);
    add(fmt::format("constant({}, {}, {}{})", name, type, length, content), argument);
    if (!is_passed) return;
    argument.warn("is passed as an argument as well, because the kernel has a parameter for it.");
    add(fmt::format("in({}_argument, {}, {}{})", name, type, length, content), argument);
  }

  void read_vector(const T1Node& argument, std::size_t index) {
    const std::string name = name_of(argument, index, false);
    const std::string type = type_of(argument);
    const auto access_node = argument.find("AccessType");
    std::string access = access_node ? access_node->string() : std::string("ReadWrite");
    if (access != "ReadOnly" && access != "WriteOnly" && access != "ReadWrite") {
      access_node->fail("unknown access `{}`; valid are ReadOnly, WriteOnly and ReadWrite", access);
    }
    const auto output = argument.find("Output");
    const bool is_output = output && output->flag();
    const bool is_none = output && !is_output;
    const bool has_content = argument.find("FillType") || argument.find("FillValue");
    if (access == "ReadOnly" && is_output) {
      output->warn("a ReadOnly argument that is an output is treated as ReadWrite.");
      access = "ReadWrite";
    }
    if (access != "ReadOnly" && is_none && (access == "WriteOnly" || !has_content)) {
      for (const char* key : {"FillType", "FillValue", "DataSource"}) argument.find(key);
      add(fmt::format("scratch({}, {}, {}{})", name, type, scratch_length(argument), padding(argument)), argument);
      return;
    }
    if (access == "ReadWrite" && is_none) {
      output->warn(
          "is compared nevertheless: a buffer that has a content and that the kernel may change is restored before "
          "each run and compared after it.");
    }
    const T1Filled buffer = buffer_of(argument, name, type);
    std::string content;
    if (access == "WriteOnly") {
      for (const char* key : {"FillType", "FillValue", "DataSource"}) argument.find(key);
    } else {
      content = content_of(buffer, false);
      filled_.push_back(buffer);
    }
    if (access != "ReadOnly" && can_be_written(argument, index)) any_output_ = true;
    const char* role = access == "ReadOnly" ? "in" : access == "WriteOnly" ? "out" : "inout";
    add(fmt::format("{}({}, {}, {}{}{}{})", role, name, type, buffer.length, content,
                    access == "ReadOnly" ? "" : tolerances(argument), padding(argument)),
        argument);
  }

  /// What has to be written to a file first is remembered, so that all of it is told at once.
  std::string content_of(const T1Filled& buffer, bool is_passed) {
    if (!must_be_written(buffer)) return t1_content(buffer, around_, is_passed);
    to_write_.push_back(buffer);
    return {};
  }

  std::string tolerances(const T1Node& argument) {
    Tolerance tolerance;
    if (const auto name = argument.find("Name")) {
      if (const auto found = references_.find(name->string()); found != references_.end())
        tolerance = found->second.first;
    }
    if (const auto node = argument.find("RelativeTolerance")) tolerance.relative = real(*node);
    if (const auto node = argument.find("AbsoluteTolerance")) tolerance.absolute = real(*node);
    std::string text;
    if (tolerance.relative) text += ", rtol " + search::Value(*tolerance.relative).text();
    if (tolerance.absolute) text += ", atol " + search::Value(*tolerance.absolute).text();
    return text;
  }

  /// Bytes on either side that the kernel may read: a key of this program only.
  static std::string padding(const T1Node& argument) {
    const auto node = argument.find("Padding");
    const std::int64_t bytes = node ? node->integer() : 0;
    if (bytes < 0 || bytes > kMostPadding) node->fail("is {}; a padding has from 0 to {} bytes", bytes, kMostPadding);
    return bytes > 0 ? fmt::format(", pad {}", bytes) : "";
  }

  /// With the number of elements checked, as long as it is known where it stands.
  T1Filled buffer_of(const T1Node& argument, const std::string& name, const std::string& type) {
    const T1Node node = argument.need("Size");
    const std::string text = t1_whole(t1_expression(node, around_.names, T1Use::fixed));
    refuse_t1_parameters(node, text, around_.names);
    search::Scope scope;
    for (const T1Property& property : properties_) scope.set(property.name, property.value);
    std::int64_t elements = 0;
    try {
      elements = search::Expression::parse(text).evaluate_integer(scope);
    } catch (const Error& error) {
      node.fail(error.what());
    }
    if (elements < 1) node.fail("is {}; a buffer has at least one element", elements);
    if (elements > kMostElements) {
      node.fail("is {} elements of type {}, more than any memory holds", elements, type);
    }
    return {argument, name, type, text, elements};
  }

  std::string scratch_length(const T1Node& argument) {
    return t1_whole(t1_expression(argument.need("Size"), around_.names, T1Use::configuration));
  }

  const T1Surroundings& around_;
  std::vector<T1Property>& properties_;
  T1Arguments result_;
  std::map<std::string, std::pair<Tolerance, T1Node>> references_;
  std::set<std::string> names_;
  T1Pairing pairing_;
  std::vector<T1Filled> filled_, to_write_;
  bool any_output_ = false;
};

}  // namespace

T1Arguments read_t1_arguments(const T1Node& specification, const T1Surroundings& around,
                              std::vector<T1Property>& properties) {
  return ArgumentReader(around, properties).read(specification);
}

}  // namespace tuner
