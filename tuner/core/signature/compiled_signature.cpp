#include "tuner/core/signature/compiled_signature.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>

#include "search/expression/quoting.hpp"

namespace tuner {
namespace {

/// Names that no macro of a source's is likely to have, those of template parameters included.
constexpr std::string_view kTypes = R"(
#line 1 "signature"
template <class tuner_signature_T, class = void>
struct tuner_signature_size { static const int value = 0; };
template <class tuner_signature_T>
struct tuner_signature_size<tuner_signature_T, decltype(void(sizeof(tuner_signature_T)))> {
  static const int value = sizeof(tuner_signature_T);
};
template <>
struct tuner_signature_size<void, void> { static const int value = 0; };
template <>
struct tuner_signature_size<const void, void> { static const int value = 0; };
template <class tuner_signature_T>
struct tuner_signature_element { typedef tuner_signature_T type; };
template <class tuner_signature_T>
struct tuner_signature_element<tuner_signature_T*> { typedef tuner_signature_T type; };
template <class tuner_signature_T, int tuner_signature_N, int tuner_signature_C>
struct tuner_signature_item {};
template <class... tuner_signature_T>
struct tuner_signature_list {};
template <class tuner_signature_T>
struct tuner_signature_of { typedef void type; };
template <class... tuner_signature_T>
struct tuner_signature_of<void (*)(tuner_signature_T...)> {
  typedef tuner_signature_list<tuner_signature_item<
      tuner_signature_T, tuner_signature_size<typename tuner_signature_element<tuner_signature_T>::type>::value,
      __is_class(tuner_signature_T) || __is_union(tuner_signature_T)>...>
      type;
};
)";

constexpr std::string_view kKernel = R"(
template <class tuner_signature_T>
__global__ void tuner_signature_kernel() {}
)";

constexpr std::string_view kList = "tuner_signature_list<", kItem = "tuner_signature_item<";

/// What stands for CUDA's types where kernels run on the CPU.
constexpr std::pair<std::string_view, std::string_view> kStandIns[] = {
    {"tuner::host::SmallFloat<10>", "__half"}, {"tuner::host::SmallFloat<7>", "__nv_bfloat16"},
    {"tuner::host::SmallPair<10>", "__half2"}, {"tuner::host::SmallPair<7>", "__nv_bfloat162"},
    {"tuner::host::Index3", "uint3"},
};

/// Takes a word off the end: "float const" becomes "float".
bool take_last(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const std::string_view rest = text.substr(0, text.size() - word.size());
  if (!rest.empty() && rest.back() != ' ' && rest.back() != '*') return false;
  text = search::trimmed(rest);
  return true;
}

/// The position at which the bracket before `from` is closed.
std::size_t end_of(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if ((c == '>' || c == ')' || c == ']' || c == '}') && --depth < 0) return at;
  }
  return std::string_view::npos;
}

ParameterType parameter(std::string_view type, std::uint64_t size, bool is_class) {
  ParameterType result;
  result.size = size;
  std::string_view element = search::trimmed(type);
  if (element.ends_with('&')) return result;
  // `float const (*) [4]`, a pointer to rows: to their elements.
  const std::size_t rows = element.ends_with(']') ? element.find("(*)") : std::string_view::npos;
  const bool is_pointer = element.ends_with('*') || rows != std::string_view::npos;
  result.form = is_pointer ? ParameterType::Form::pointer : ParameterType::Form::value;
  if (is_pointer) {
    element = search::trimmed(element.substr(0, std::min(rows, element.size() - 1)));
    for (bool again = true; again;) {
      const bool is_const = take_last(element, "const");
      result.points_to_const = result.points_to_const || is_const;
      again = is_const || take_last(element, "volatile");
    }
  }
  for (const auto& [name, cuda_name] : kStandIns) {
    if (element == name) element = cuda_name;
  }
  result.text = fmt::format("{}{}{}", result.points_to_const ? "const " : "", element,
                            result.form == ParameterType::Form::pointer ? "*" : "");
  result.shape = shape_of_type(element);
  const bool is_byte = size <= 1 && !(result.shape && element != "char" && element != "unsigned char");
  result.is_raw = result.form == ParameterType::Form::pointer && (element == "void" || (size > 0 && is_byte));
  if (result.form == ParameterType::Form::value) result.opaque = opaque_type(element);
  if (result.opaque == ParameterType::Opaque::no && is_class && !result.shape)
    result.opaque = ParameterType::Opaque::structure;
  if (result.form == ParameterType::Form::pointer && element.ends_with('*')) {
    result.opaque = ParameterType::Opaque::pointers;
    result.is_raw = false;
  }
  return result;
}

std::optional<std::string> demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !name) return std::nullopt;
  return name.get();
}

/// The position of the bracket that the last character closes.
std::size_t begin_of_last(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    const char c = text[at];
    if (c == '>' || c == ')' || c == ']' || c == '}') ++depth;
    if ((c == '<' || c == '(' || c == '[' || c == '{') && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string_view signature_types() {
  return kTypes;
}
std::string_view signature_kernel() {
  return kKernel;
}

std::string signature_type(std::string_view function) {
  return fmt::format("tuner_signature_of<decltype(&{})>::type", function);
}
std::string signature_expression(std::string_view function) {
  return fmt::format("tuner_signature_kernel<{}>", signature_type(function));
}

std::optional<Signature> signature_from_symbol(const std::string& mangled) {
  const std::optional<std::string> name = demangled(mangled);
  if (!name) return std::nullopt;
  const std::string_view text = *name;
  const std::size_t begin = text.find(kList);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t end = end_of(text, begin + kList.size());
  if (end == std::string_view::npos) return std::nullopt;
  Signature signature;
  std::string_view rest = text.substr(begin + kList.size(), end - begin - kList.size());
  while (!(rest = search::trimmed(rest)).empty()) {
    if (!rest.starts_with(kItem)) return std::nullopt;
    rest.remove_prefix(kItem.size());
    const std::size_t close = end_of(rest, 0);
    if (close == std::string_view::npos) return std::nullopt;
    std::string_view type = rest.substr(0, close);
    std::uint64_t numbers[2] = {};  // from the last: whether it is a class, and its size
    for (std::uint64_t& number : numbers) {
      const std::size_t comma = type.rfind(',');
      if (comma == std::string_view::npos) return std::nullopt;
      const std::string_view digits = search::trimmed(type.substr(comma + 1));
      if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{}) return std::nullopt;
      type = type.substr(0, comma);
    }
    signature.parameters.push_back(parameter(type, numbers[1], numbers[0] != 0));
    rest.remove_prefix(close + 1);
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  return signature;
}

std::optional<Signature> signature_from_kernel_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return std::nullopt;
  const std::optional<std::string> name = demangled(mangled);
  if (!name || !name->ends_with(')')) return std::nullopt;
  std::string_view rest = *name;
  const std::size_t begin = begin_of_last(rest);
  if (begin == std::string_view::npos) return std::nullopt;
  rest = rest.substr(begin + 1, rest.size() - begin - 2);
  Signature signature;
  while (!(rest = search::trimmed(rest)).empty()) {
    std::size_t end = 0;
    for (int depth = 0; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
      const char c = rest[end];
      if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
      if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    }
    signature.parameters.push_back(parameter(rest.substr(0, end), 0, false));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return signature;
}

}  // namespace tuner
