#include "tuner/engine/compile/kernel_search.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "tuner/core/binary/cubin.hpp"

namespace tuner::engine {
namespace {

constexpr std::string_view kMarker = "tuner_names_kernel";

/// "void app::scale<float>(float*)"; empty for what is no mangled name of C++.
std::string demangled(const std::string& symbol) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  return status == 0 ? text.get() : "";
}

/// Whether a function is called that, in whatever anonymous namespaces. Only for one that is no template.
bool is_called(const std::string& symbol, std::string_view name) {
  if (symbol == name) return true;  // extern "C"
  std::string text = demangled(symbol);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = text.find(kAnonymous, at)) != std::string::npos;) text.erase(at, kAnonymous.size());
  return text.size() > name.size() && text.starts_with(name) && text[name.size()] == '(';
}

}  // namespace

std::string kernel_marker(std::string_view name_expression) {
  if (name_expression.find('<') == std::string_view::npos) return {};
  return fmt::format(
      "\n#line 1 \"tuner\"\n"
      "template <typename TunerKernel, TunerKernel> struct tuner_kernel_tag {{}};\n"
      "__global__ void {0}(tuner_kernel_tag<decltype(&{1}), &{1}>) {{}}\n",
      kMarker, name_expression);
}

std::string find_kernel(std::span<const std::byte> cubin, std::string_view name_expression) {
  if (name_expression.starts_with("::")) name_expression.remove_prefix(2);
  const std::vector<std::string> functions = functions_in_cubin(cubin);
  const bool is_instance = name_expression.find('<') != std::string_view::npos;
  // Mangled, a name within another is abbreviated in another way.
  std::string marker, found;
  for (const std::string& function : functions)
    if (function.find(kMarker) != std::string::npos) marker = demangled(function);
  for (const std::string& function : functions) {
    if (function.find(kMarker) != std::string::npos || !facts_from_cubin(cubin, function)) continue;
    const bool is_it = is_instance ? marker.find('(' + demangled(function) + ')') != std::string::npos
                                   : is_called(function, name_expression);
    if (!is_it) continue;
    if (!found.empty()) return {};
    found = function;
  }
  return found;
}

}  // namespace tuner::engine
