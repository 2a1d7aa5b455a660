#include "tuner/engine/compile/kernel_search.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/sources/device_compile/file_local_name.hpp"

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

/// "app::(anonymous namespace)::scale" of "app::(anonymous namespace)::scale(float (*)[3])".
std::string without_parameters(const std::string& readable) {
  int depth = 0;
  for (std::size_t at = readable.size(); at-- > 0;) {
    if (readable[at] == ')') ++depth;
    if (readable[at] == '(' && --depth == 0) return readable.substr(0, at);
  }
  return readable;
}

/// Whether the marker's readable name contains a function's. (Mangled, a name within another is abbreviated.)
bool is_named(const std::string& marker, const std::string& function) {
  const auto has = [&](const std::string& text) { return marker.find(text) != std::string::npos; };
  if (function.starts_with("_Z")) {
    // "&(void scale<float>(float*))>", or "&app::scale>" of one that is no template.
    const std::string readable = demangled(sources::without_file(function));
    return has('(' + readable + ')') || has('&' + without_parameters(readable) + '>');
  }
  // extern "C", which may stand in a namespace: "&(scale(float*))>" or "&app::scale>".
  return has("&(" + function + '(') || has('&' + function + '>') || has("::" + function + '>');
}

}  // namespace

std::string kernel_marker(std::string_view name_expression) {
  return fmt::format(
      "\n#line 1 \"tuner\"\n"
      "template <typename TunerKernel, TunerKernel> struct tuner_kernel_tag {{}};\n"
      "__global__ void {0}(tuner_kernel_tag<decltype(&{1}), &{1}>) {{}}\n",
      kMarker, name_expression);
}

std::string marked_kernel(std::span<const std::byte> cubin) {
  const std::vector<std::string> functions = functions_in_cubin(cubin);
  const auto is_marker = [](const std::string& function) { return function.find(kMarker) != std::string::npos; };
  const auto marker = std::ranges::find_if(functions, is_marker);
  if (marker == functions.end()) return {};
  const std::string readable = demangled(sources::without_file(*marker));
  for (const std::string& function : functions)
    if (!is_marker(function) && is_named(readable, function) && facts_from_cubin(cubin, function)) return function;
  return {};
}

}  // namespace tuner::engine
