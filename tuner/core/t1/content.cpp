#include "tuner/core/t1/content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

/// Reals evenly from 0 to the value, integers from 0 to the value itself.
std::string random_content(const T1Filled& buffer, const std::optional<T1Node>& value, bool repeats) {
  double end = 1;
  if (value) {
    const search::Value number = value->value();
    if (!number.is_number()) value->fail("must be a number");
    end = number.as_real();
  }
  const auto shape = shape_of_type(buffer.type);
  const bool reals = is_real(shape->element);
  if (shape->element == ElementType::boolean) return ", index(2)";
  if (repeats && reals) return fmt::format(", iota(0, {} / ({}))", search::Value(end).text(), buffer.length);
  if (repeats) return ", constant(1)";
  if (!reals && end >= 0) return fmt::format(", uniform(0, {})", search::Value(std::floor(end) + 1).text());
  if (!reals) return fmt::format(", uniform({}, 1)", search::Value(std::ceil(end)).text());
  if (end == 0) return ", constant(0)";
  return end > 0 ? fmt::format(", uniform(0, {})", search::Value(end).text())
                 : fmt::format(", uniform({}, 0)", search::Value(end).text());
}

std::string data_file(const std::string& source, const T1Surroundings& around) {
  const fs::path named(source);
  if (named.is_absolute() || around.folder == around.kernel_folder) return source;
  return fs::absolute(around.folder / named).lexically_normal().string();
}

/// Whether text of the file can stand in a command for a shell without meaning something else there.
bool is_plain_expression(const std::string& text) {
  const auto is_harmless = [](char c) {
    return is_word_character(c) || std::string_view(" ()+-*/%.,<>=").find(c) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), is_harmless)) return false;
  try {
    search::Expression::parse(text);
    return true;
  } catch (const search::ExpressionError&) {
    return false;
  }
}

/// Nor a file's name.
bool is_plain_name(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_word_character(c) || c == '.' || c == '-' || c == '/'; });
}

bool is_generator(const T1Filled& buffer) {
  const auto fill = buffer.argument.find("FillType");
  return fill && fill->is_string() && fill->string() == "Generator";
}

std::string file_for(const T1Filled& buffer) {
  return buffer.name + ".npy";
}

/// The statement of Python that writes the file; empty where the text does not show it.
std::string writing(const T1Filled& buffer) {
  const auto source = buffer.argument.find("DataSource");
  const auto shape = shape_of_type(buffer.type);
  if (!source || !source->is_string() || shape->lanes != 1 || shape->element == ElementType::bfloat16) return {};
  const std::string& text = source->string();
  if (!is_generator(buffer)) {
    if (!is_plain_name(text)) return {};
    return fmt::format("numpy.save('{}', numpy.fromfile('{}', '{}'))", file_for(buffer), text,
                       to_string(shape->element));
  }
  if (!is_plain_expression(text)) return {};
  return fmt::format("numpy.save('{}', numpy.array([{} for i in range({})], '{}'))", file_for(buffer), text,
                     buffer.elements, to_string(shape->element));
}

bool is_random(const T1Filled& buffer) {
  const auto fill = buffer.argument.find("FillType");
  if (fill) return fill->is_string() && fill->string() == "Random";
  return !buffer.argument.find("DataSource") && !buffer.argument.find("FillValue");
}

/// atoms and atomsX, or pos and pos_y; and not in0 and in01.
bool is_called_like_part(const std::string& part, const std::string& whole) {
  if (!part.starts_with(whole)) return false;
  std::string_view suffix = std::string_view(part).substr(whole.size());
  if (suffix.starts_with('_')) suffix.remove_prefix(1);
  return suffix.size() == 1 && std::string_view("xyzwXYZW").find(suffix) != std::string_view::npos;
}

/// Whether several of it could make the whole, number by number: a quarter of the floats, or one of float4's four.
bool could_be_part(const T1Filled& part, const T1Filled& whole) {
  const auto part_shape = shape_of_type(part.type), whole_shape = shape_of_type(whole.type);
  const std::int64_t part_numbers = part.elements * part_shape->lanes;
  const std::int64_t whole_numbers = whole.elements * whole_shape->lanes;
  return part_shape->element == whole_shape->element && part_numbers < whole_numbers &&
         whole_numbers % part_numbers == 0;
}

}  // namespace

std::string t1_content(const T1Filled& buffer, const T1Surroundings& around, bool repeats) {
  const T1Node& argument = buffer.argument;
  const auto fill = argument.find("FillType");
  const auto value = argument.find("FillValue");
  const auto source = argument.find("DataSource");
  if (const auto seed = argument.find("RandomSeed")) seed->set_aside();
  const std::string how = fill ? fill->string() : source ? "" : value ? "Constant" : "Random";
  if (source && (how == "Constant" || how == "Random")) source->warn("is not used: FillType is {}.", how);
  if (!fill && !source && !value) argument.warn("FillType is missing; the buffer is filled with random numbers.");
  if (how == "Constant") {
    const T1Node constant = argument.need("FillValue");
    const std::string text = t1_expression(constant, around.names, T1Use::fixed);
    refuse_t1_parameters(constant, text, around.names);
    return fmt::format(", constant({})", text);
  }
  if (how == "Random") {
    if (repeats) argument.warn("is filled with a ramp instead of random numbers, so that both have the same content.");
    return random_content(buffer, value, repeats);
  }
  if (source && source->is_string() && source->string().ends_with(".npy")) {
    return fmt::format(", file({})", search::quote(data_file(source->string(), around)));
  }
  if (!fill) source->fail("must be the name of a NumPy file, which ends in .npy (numpy.save writes one)");
  fill->fail(
      "`{}` is not supported: buffers are filled with Constant or Random, or from a NumPy file that DataSource names "
      "(numpy.save writes one)",
      how);
}

bool must_be_written(const T1Filled& buffer) {
  if (is_generator(buffer)) return true;
  const auto fill = buffer.argument.find("FillType"), source = buffer.argument.find("DataSource");
  const bool is_raw = fill && fill->is_string() && fill->string() == "BinaryRaw";
  return is_raw && source && source->is_string() && !source->string().ends_with(".npy");
}

void refuse_t1_contents(const std::vector<T1Filled>& buffers) {
  std::string others, statements;
  bool all_known = true;
  for (const T1Filled& buffer : buffers) {
    if (&buffer != &buffers.front()) {
      others += fmt::format("; likewise {} with \"{}\"", buffer.argument.path(), file_for(buffer));
    }
    const std::string statement = writing(buffer);
    all_known = all_known && !statement.empty();
    statements += "; " + statement;
  }
  const T1Filled& first = buffers.front();
  const bool is_one = buffers.size() == 1;
  const std::string how =
      all_known ? fmt::format("python3 -c \"import numpy{}\" writes {}", statements, is_one ? "it" : "them")
                : fmt::format("numpy.save('{}', ...) writes one", file_for(first));
  const char* const what =
      is_generator(first) ? "elements are not computed by an expression here" : "raw bytes are not read here";
  first.argument.need("FillType")
      .fail("{}: use BinaryRaw with a NumPy file, \"DataSource\": \"{}\"{} ({})", what, file_for(first), others, how);
}

void warn_of_t1_views(const std::vector<T1Filled>& buffers) {
  for (const T1Filled& whole : buffers) {
    std::vector<std::string> parts;
    bool any_random = is_random(whole);
    for (const T1Filled& part : buffers) {
      if (!is_called_like_part(part.name, whole.name) || !could_be_part(part, whole)) continue;
      parts.push_back(fmt::format("`{}`", part.name));
      any_random = any_random || is_random(part);
    }
    if (parts.size() < 2 || !any_random) continue;
    whole.argument.warn(
        "`{}` is called as if it held the same data as {}, but random numbers fill each of them differently: unless "
        "they are independent, configurations that read the one compute something else than those that read the "
        "others. Give all of them one Constant, or NumPy files of the same data (FillType BinaryRaw with DataSource).",
        whole.name, fmt::join(parts, ", "));
  }
}

}  // namespace tuner
