#include "tests/kernel_sources/host_shim/translate.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace tuner::host {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// A position in a text that moves forward over what it expects.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  void skip_blanks() { at = std::min(text.find_first_not_of(kBlank, at), text.size()); }
  bool take(std::string_view expected) {
    skip_blanks();
    if (text.substr(at, expected.size()) != expected) return false;
    at += expected.size();
    return true;
  }
  /// Empty if none is here.
  std::string_view take_word() {
    skip_blanks();
    const std::size_t end = std::min(text.find_first_not_of(kWord, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    return word;
  }
};

std::set<std::string> macros_defined_in(std::string_view text) {
  std::set<std::string> names;
  for (std::size_t hash = text.find('#'); hash != std::string_view::npos; hash = text.find('#', hash + 1)) {
    Reader reader{text, hash + 1};
    if (reader.take_word() == "define") names.emplace(reader.take_word());
  }
  return names;
}

/// The declaration of dynamic shared memory that starts at `at`: what stands in its place, and where it ends. Nothing
/// if none starts there.
std::optional<std::pair<std::string, std::size_t>> translated_declaration(std::string_view text, std::size_t at) {
  Reader reader{text, at};
  if (reader.take_word() != "extern" || reader.take_word() != "__shared__") return std::nullopt;
  for (std::string_view alignment : {"__align__", "alignas"}) {
    if (reader.take(alignment)) reader.at = std::min(text.find(')', reader.at), text.size() - 1) + 1;
  }
  reader.skip_blanks();
  const std::size_t open = text.find('[', reader.at);
  if (open == std::string_view::npos) return std::nullopt;
  std::string_view type_and_name = text.substr(reader.at, open - reader.at);
  type_and_name = type_and_name.substr(0, type_and_name.find_last_not_of(kBlank) + 1);
  const std::size_t before_name = type_and_name.find_last_not_of(kWord);
  reader.at = open + 1;
  if (before_name == std::string_view::npos || !reader.take("]") || !reader.take(";")) return std::nullopt;
  std::string_view type = type_and_name.substr(0, before_name + 1);
  type = type.substr(0, type.find_last_not_of(kBlank) + 1);
  const std::string_view name = type_and_name.substr(before_name + 1);
  return std::pair("::tuner::host::DynamicShared<" + std::string(type) + "> " + std::string(name) + ";", reader.at);
}

std::string index3(const Index3& index) {
  return "{" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) + "}";
}

std::string literal(const CaseSource& source) {
  std::string text = "{{";
  for (const auto& [name, value] : source.problem) text += "{" + quoted(name) + ", " + std::to_string(value) + "}, ";
  return text + "}, " + index3(source.launch.grid) + ", " + index3(source.launch.block) + ", " +
         std::to_string(source.launch.shared_bytes) + "}";
}

}  // namespace

std::string translate(std::string_view kernel_text, std::string_view file_name) {
  std::string result = "#line 1 " + quoted(file_name) + "\n";
  std::size_t done = 0;
  for (std::size_t at = kernel_text.find("extern"); at != std::string_view::npos;
       at = kernel_text.find("extern", at + 1)) {
    const auto declaration = translated_declaration(kernel_text, at);
    if (!declaration) continue;
    result += kernel_text.substr(done, at - done);
    result += declaration->first;
    done = at = declaration->second;
  }
  return result += kernel_text.substr(done);
}

std::string translation_unit(std::string_view set, const std::string& kernel, std::string_view kernel_text,
                             const std::vector<VariantSource>& variants) {
  const std::set<std::string> own_macros = macros_defined_in(kernel_text);
  std::string unit = "#include \"tests/kernel_sources/host_shim/variants.hpp\"\n#include \"tuner_device.cuh\"\n";
  int number = 0;
  for (const VariantSource& variant : variants) {
    const std::string space = "variant_" + std::to_string(number++);
    // A kernel with C linkage is one function for the whole program whatever namespace it is in, so it is renamed too.
    const std::string function = kernel + "_of_" + std::string(set) + "_" + space;
    std::set<std::string> defined = own_macros;
    unit += "namespace {\nnamespace " + space + " {\n";
    for (const auto& [name, value] : variant.macros) {
      unit += "#define " + name + ' ' + value + '\n';
      defined.insert(name);
    }
    unit += "#define " + kernel + ' ' + function + "\n#include " + quoted(variant.file) + "\n#undef " + kernel + '\n';
    for (const std::string& name : defined) unit += "#undef " + name + '\n';
    unit += "}\nconst tuner::host::Registration register_" + space + "({" + quoted(variant.name) + ", " +
            quoted(variant.configuration) + ", {\n";
    for (const CaseSource& source : variant.cases) unit += "  " + literal(source) + ",\n";
    unit += "}, reinterpret_cast<void (*)()>(&" + space + "::" + function + ")});\n}\n";
  }
  return unit;
}

}  // namespace tuner::host
