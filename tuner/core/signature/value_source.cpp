#include "tuner/core/signature/value_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/member_text.hpp"
#include "tuner/core/signature/written_signature.hpp"

namespace tuner {
namespace {

// A number converts to what a member is and to no class, so that the braces of aggregates may be left out. Small
// classes that are made from a float are numbers: halves. Every template parameter has a name that no macro has.
// What a bit-field drops shows where another number, by the highest bit or the one above it, makes the same bytes. A
// constructor may drop bits on purpose.
constexpr std::string_view kValueTypes = R"(
#line 1 "value"
struct tuner_value_number {
  double tuner_value_r;
  long long tuner_value_w, tuner_value_is_w;
};
struct tuner_value_place {};
__device__ inline void* operator new(decltype(sizeof(0)), tuner_value_place, void* tuner_value_to) {
  return tuner_value_to;
}
__device__ inline void operator delete(void*, tuner_value_place, void*) {}
template <bool>
struct tuner_value_if {};
template <>
struct tuner_value_if<true> { typedef int tuner_value_type; };
struct tuner_value_yes { char tuner_value_size[2]; };
template <class tuner_value_T>
__device__ void tuner_value_take(tuner_value_T);
template <class tuner_value_T, class = void>
struct tuner_value_small { static const bool tuner_value_v = false; };
template <class tuner_value_T>
struct tuner_value_small<tuner_value_T, decltype(tuner_value_take<tuner_value_T>(1.5f))> {
  static const bool tuner_value_v = sizeof(tuner_value_T) <= 2;
};
template <class tuner_value_T>
struct tuner_value_class { static const bool tuner_value_v = __is_class(tuner_value_T) || __is_union(tuner_value_T); };
enum { tuner_value_none, tuner_value_whole, tuner_value_real, tuner_value_half, tuner_value_pointer };
template <class tuner_value_T, bool = tuner_value_class<tuner_value_T>::tuner_value_v>
struct tuner_value_kind {
  static const int tuner_value_v =
      static_cast<tuner_value_T>(0.25) == static_cast<tuner_value_T>(0.5) ? tuner_value_whole : tuner_value_real;
};
template <class tuner_value_T>
struct tuner_value_kind<tuner_value_T, true> {
  static const int tuner_value_v =
      tuner_value_small<tuner_value_T>::tuner_value_v ? tuner_value_half : tuner_value_none;
};
template <class tuner_value_T>
struct tuner_value_kind<tuner_value_T*, false> { static const int tuner_value_v = tuner_value_pointer; };
template <class tuner_value_T, decltype(sizeof(0)) tuner_value_N>
struct tuner_value_kind<tuner_value_T[tuner_value_N], false> { static const int tuner_value_v = tuner_value_none; };
template <class tuner_value_T>
struct tuner_value_is_number {
  static const int tuner_value_k = tuner_value_kind<tuner_value_T>::tuner_value_v;
  static const bool tuner_value_v = tuner_value_k != tuner_value_none && tuner_value_k != tuner_value_pointer;
};
__device__ inline bool tuner_value_is_finite(double tuner_value_n, int) { return tuner_value_n - tuner_value_n == 0; }
template <class tuner_value_T>
__device__ auto tuner_value_is_finite(const tuner_value_T& tuner_value_n, int) -> decltype(static_cast<float>(tuner_value_n), bool()) {
  return static_cast<float>(tuner_value_n) - static_cast<float>(tuner_value_n) == 0;
}
template <class tuner_value_T>
__device__ bool tuner_value_is_finite(const tuner_value_T&, ...) { return true; }
template <class tuner_value_T, int>
struct tuner_value_as;
struct tuner_value_member {
  const tuner_value_number* tuner_value_from;
  int* tuner_value_misfit;
  int tuner_value_at;
  __device__ void tuner_value_refuse() const {
    if (*tuner_value_misfit == 0) *tuner_value_misfit = tuner_value_at;
  }
  template <class tuner_value_T,
            typename tuner_value_if<tuner_value_is_number<tuner_value_T>::tuner_value_v>::tuner_value_type = 0>
  __device__ operator tuner_value_T() const {
    return tuner_value_as<tuner_value_T, tuner_value_kind<tuner_value_T>::tuner_value_v>::tuner_value_made(*this);
  }
};
struct tuner_value_or_pointer {
  template <class tuner_value_T, typename tuner_value_if<tuner_value_kind<tuner_value_T>::tuner_value_v !=
                                                         tuner_value_none>::tuner_value_type = 0>
  __device__ operator tuner_value_T() const;
};
template <class tuner_value_T>
struct tuner_value_as<tuner_value_T, tuner_value_whole> {
  __device__ static tuner_value_T tuner_value_made(const tuner_value_member& tuner_value_M) {
    const long long tuner_value_n = tuner_value_M.tuner_value_from->tuner_value_w;
    const tuner_value_T tuner_value_result = static_cast<tuner_value_T>(tuner_value_n);
    const bool tuner_value_ok = tuner_value_M.tuner_value_from->tuner_value_is_w &&
                                static_cast<long long>(tuner_value_result) == tuner_value_n &&
                                (tuner_value_n >= 0 || tuner_value_result < static_cast<tuner_value_T>(0));
    if (!tuner_value_ok) tuner_value_M.tuner_value_refuse();
    return tuner_value_result;
  }
};
template <class tuner_value_T>
struct tuner_value_as<tuner_value_T, tuner_value_real> {
  __device__ static tuner_value_T tuner_value_made(const tuner_value_member& tuner_value_M) {
    const double tuner_value_n = tuner_value_M.tuner_value_from->tuner_value_r;
    const tuner_value_T tuner_value_result = static_cast<tuner_value_T>(tuner_value_n);
    if (tuner_value_is_finite(tuner_value_n, 0) && !tuner_value_is_finite(static_cast<double>(tuner_value_result), 0)) tuner_value_M.tuner_value_refuse();
    return tuner_value_result;
  }
};
template <class tuner_value_T>
struct tuner_value_as<tuner_value_T, tuner_value_half> {
  __device__ static tuner_value_T tuner_value_made(const tuner_value_member& tuner_value_M) {
    const tuner_value_T tuner_value_result(static_cast<float>(tuner_value_M.tuner_value_from->tuner_value_r));
    if (tuner_value_is_finite(tuner_value_M.tuner_value_from->tuner_value_r, 0) && !tuner_value_is_finite(tuner_value_result, 0)) tuner_value_M.tuner_value_refuse();
    return tuner_value_result;
  }
};
template <class tuner_value_T, bool = tuner_value_is_number<tuner_value_T>::tuner_value_v>
struct tuner_value_single {
  __device__ static void tuner_value_make(void* tuner_value_to, const tuner_value_member& tuner_value_M) {
    ::new (tuner_value_place(), tuner_value_to) tuner_value_T{tuner_value_M};
  }
};
template <class tuner_value_T>
struct tuner_value_single<tuner_value_T, true> {
  __device__ static void tuner_value_make(void* tuner_value_to, const tuner_value_member& tuner_value_M) {
    ::new (tuner_value_place(), tuner_value_to)
        tuner_value_T(tuner_value_as<tuner_value_T, tuner_value_kind<tuner_value_T>::tuner_value_v>::tuner_value_made(
            tuner_value_M));
  }
};
template <class tuner_value_T>
__device__ bool tuner_value_same_bytes(const void* tuner_value_a, const void* tuner_value_b) {
  for (decltype(sizeof(0)) tuner_value_i = 0; tuner_value_i < sizeof(tuner_value_T); ++tuner_value_i)
    if (static_cast<const unsigned char*>(tuner_value_a)[tuner_value_i] != static_cast<const unsigned char*>(tuner_value_b)[tuner_value_i]) return false;
  return true;
}
template <class tuner_value_T>
__device__ int tuner_value_checked(int (*tuner_value_fill)(const tuner_value_number*, void*), tuner_value_number* tuner_value_n, int tuner_value_count, void* tuner_value_to, void* tuner_value_room) {
  const int tuner_value_bad = tuner_value_fill(tuner_value_n, tuner_value_to);
  if (tuner_value_bad != 0 || !__is_trivially_constructible(tuner_value_T)) return tuner_value_bad;
  for (int tuner_value_i = 0; tuner_value_i < tuner_value_count; ++tuner_value_i) {
    const tuner_value_number tuner_value_given = tuner_value_n[tuner_value_i];
    const unsigned long long tuner_value_bits = static_cast<unsigned long long>(tuner_value_given.tuner_value_w < 0 ? ~tuner_value_given.tuner_value_w : tuner_value_given.tuner_value_w);
    if (!tuner_value_given.tuner_value_is_w || tuner_value_bits == 0) continue;
    unsigned long long tuner_value_step = 1;
    while (tuner_value_bits >> 1 >= tuner_value_step) tuner_value_step <<= 1;
    for (int tuner_value_turn = 0; tuner_value_turn < 2; ++tuner_value_turn, tuner_value_step <<= 1) {
      const unsigned long long tuner_value_w = static_cast<unsigned long long>(tuner_value_given.tuner_value_w);
      tuner_value_n[tuner_value_i].tuner_value_w = static_cast<long long>(tuner_value_given.tuner_value_w < 0 ? tuner_value_w + tuner_value_step : tuner_value_w - tuner_value_step);
      tuner_value_n[tuner_value_i].tuner_value_r = static_cast<double>(tuner_value_n[tuner_value_i].tuner_value_w);
      const bool tuner_value_is_lost = tuner_value_fill(tuner_value_n, tuner_value_room) == 0 && tuner_value_same_bytes<tuner_value_T>(tuner_value_to, tuner_value_room);
      tuner_value_n[tuner_value_i] = tuner_value_given;
      if (tuner_value_is_lost) return tuner_value_i + 1;
    }
  }
  return 0;
}
template <class, class>
struct tuner_value_same { static const bool tuner_value_v = false; };
template <class tuner_value_T>
struct tuner_value_same<tuner_value_T, tuner_value_T> { static const bool tuner_value_v = true; };
template <int, class>
struct tuner_value_parameter;
template <class tuner_value_A, class... tuner_value_B>
struct tuner_value_parameter<0, void (*)(tuner_value_A, tuner_value_B...)> { typedef tuner_value_A tuner_value_type; };
template <int tuner_value_N, class tuner_value_A, class... tuner_value_B>
struct tuner_value_parameter<tuner_value_N, void (*)(tuner_value_A, tuner_value_B...)>
    : tuner_value_parameter<tuner_value_N - 1, void (*)(tuner_value_B...)> {};
)";

/// The members with `text(i)` in the place of each expression.
template <typename Text>
std::string initialiser(const Argument& argument, Text text) {
  std::string all;
  for (std::size_t i = 0; i < argument.members.size(); ++i)
    all += (i == 0 ? "" : ", ") + member_text(argument.members[i], text(i));
  return all;
}

/// A test whether V makes the type, with so many more numbers than are described.
std::string test_function(std::string_view name, std::size_t position, const std::string& members) {
  return fmt::format(
      "template <class tuner_value_V, class tuner_value_T>\n"
      "__device__ auto tuner_value_{0}_{1}(int) -> decltype(tuner_value_T{{{2}}}, tuner_value_yes());\n"
      "template <class, class>\n__device__ char tuner_value_{0}_{1}(...);\n",
      name, position, members);
}

/// What the compiler is to say where the numbers do not match the type.
std::string assertions(const Argument& argument, std::size_t position) {
  const std::size_t count = argument.members.size();
  if (count == 0) return {};
  const std::string members = initialiser(argument, [](std::size_t) { return "tuner_value_V()"; });
  const std::string type = fmt::format("tuner_value_type_{}", position);
  // A half has several constructors that would all do.
  const std::string number = count == 1 ? fmt::format("tuner_value_is_number<{}>::tuner_value_v || ", type) : "";
  const auto fits = [&](std::string_view name, std::string_view member) {
    return fmt::format("sizeof(tuner_value_{}_{}<{}, {}>(0)) > 1", name, position, member, type);
  };
  const std::string as_members = fits("fits", "tuner_value_member");
  std::string all =
      test_function("fits", position, members) + test_function("more", position, members + ", tuner_value_V()");
  // No backquotes: NVRTC prints them as question marks.
  const std::string begin = fmt::format("value({}, {}, ...): {}", argument.name, argument.type, argument.type);
  all += fmt::format("static_assert({}{} || !({}), {});\n", number, as_members, fits("fits", "tuner_value_or_pointer"),
                     search::quote(begin + " holds pointers, and value(...) makes only numbers. Give the kernel its "
                                           "buffers as parameters of their own, described with in, out or inout."));
  all += fmt::format("static_assert(__is_standard_layout({0}) || __is_assignable({0}&, const {0}&), {1});\n", type,
                     search::quote(begin + " holds references, and value(...) makes only numbers. Let it hold numbers "
                                           "instead."));
  all += fmt::format(
      "static_assert({}{}, {});\n", number, as_members,
      search::quote(fmt::format("{} cannot be made of {}. Write one expression for each member, in order, "
                                "in braces where a member has a constructor, and without them where it is a half.",
                                begin, counted(count, "value"))));
  all += fmt::format(
      "static_assert({}!({}), {});\n", number, fits("more", "tuner_value_member"),
      search::quote(fmt::format("{} has more members than {}. Write one expression for each, or none at all "
                                "for zeros.",
                                begin, counted(count, "value"))));
  return all;
}

/// The function of an object that is given by its bytes, in one line: none of its numbers can fail to fit.
std::string bytes_function(const Argument& argument, std::size_t position, std::string_view more_assertions) {
  const std::size_t count = value_count(argument);
  std::string text = fmt::format(
      "typedef {0} tuner_value_type_{1}; static_assert(sizeof(tuner_value_type_{1}) == {2}, {3}); {4} "
      "__device__ inline int tuner_value_make_{1}(tuner_value_number* tuner_value_n, void* tuner_value_to, void*) {{ "
      "for (int tuner_value_i = 0; tuner_value_i < {2}; ++tuner_value_i) "
      "static_cast<unsigned char*>(tuner_value_to)[tuner_value_i] = static_cast<unsigned "
      "char>(tuner_value_n[tuner_value_i].tuner_value_w); return 0; }}",
      compiler_spelling(argument.type), position, count,
      search::quote(fmt::format("value({}, {}, bytes ...): {} has another size than the {} that are given.",
                                argument.name, argument.type, argument.type, counted(count, "byte"))),
      more_assertions);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Whether the text has one such kernel, with as many parameters as are described.
bool is_certain_call(const Task& task) {
  const std::vector<Signature> declared =
      WrittenSource(task.description(), task.headers()).kernels(task.description().kernel);
  return declared.size() == 1 && declared.front().is_complete &&
         declared.front().parameters.size() == task.parameters().size();
}

}  // namespace

std::string type_assertion(const Task& task, std::size_t position, std::string_view kernel) {
  if (!is_certain_call(task)) return {};
  const Argument& argument = task.description().arguments[position];
  const std::vector<std::size_t> parameters = task.parameters();
  const auto parameter = std::find(parameters.begin(), parameters.end(), position) - parameters.begin();
  return fmt::format(
      "static_assert(tuner_value_same<const tuner_value_type_{}, const tuner_value_parameter<{}, "
      "decltype(&{})>::tuner_value_type>::tuner_value_v, {});\n",
      position, parameter, kernel,
      search::quote(fmt::format("value({}, {}, ...): parameter {} of the kernel has another type. Give value(...) the "
                                "parameter's type.",
                                argument.name, argument.type, parameter + 1)));
}

bool has_values(const KernelDescription& description) {
  return std::any_of(description.arguments.begin(), description.arguments.end(),
                     [](const Argument& argument) { return argument.role == Argument::Role::value; });
}

std::vector<ValueNumber> value_numbers(const BoundArgument& argument) {
  std::vector<ValueNumber> numbers;
  for (const search::Value& value : argument.values) {
    ValueNumber& number = numbers.emplace_back();
    number.real = value.as_real();
    const bool is_whole =
        !value.is_real() || (std::floor(number.real) == number.real && std::abs(number.real) < 0x1p63);
    if (!is_whole) continue;
    number.is_whole = 1;
    number.whole = value.as_integer();
  }
  return numbers;
}

std::string_view value_types() {
  return kValueTypes;
}

std::string value_function(const KernelDescription& description, std::size_t position,
                           std::string_view more_assertions) {
  const Argument& argument = description.arguments[position];
  const std::string type = fmt::format("tuner_value_type_{}", position);
  const std::string file = description.file.string();
  std::string body;
  if (!argument.bytes.empty()) {
    return fmt::format("\n#line {} {}\n{}\n", std::max(argument.place.line, 1), search::quote(file),
                       bytes_function(argument, position, more_assertions));
  }
  if (argument.members.size() == 1 && argument.members.front().opening == 0) {
    body = fmt::format(
        "tuner_value_single<{}>::tuner_value_make(tuner_value_to, tuner_value_member{{tuner_value_n, &tuner_value_bad, "
        "1}});",
        type);
  } else {
    body = fmt::format("::new (tuner_value_place(), tuner_value_to) {}{{{}}};", type,
                       initialiser(argument, [](std::size_t i) {
                         return fmt::format("tuner_value_member{{tuner_value_n + {}, &tuner_value_bad, {}}}", i, i + 1);
                       }));
  }
  // One line, that of the directive.
  std::string text = fmt::format("typedef {} {};\n{}{}", compiler_spelling(argument.type), type,
                                 assertions(argument, position), more_assertions);
  text += fmt::format(
      "__device__ inline int tuner_value_fill_{0}(const tuner_value_number* tuner_value_n, void* tuner_value_to) {{ "
      "int "
      "tuner_value_bad = 0; {1} return tuner_value_bad; }} "
      "__device__ inline int tuner_value_make_{0}(tuner_value_number* tuner_value_n, void* tuner_value_to, void* "
      "tuner_value_room) {{ return tuner_value_checked<{2}>(tuner_value_fill_{0}, tuner_value_n, {3}, tuner_value_to, "
      "tuner_value_room); }}",
      position, body, type, argument.members.size());
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("\n#line {} {}\n{}\n", std::max(argument.place.line, 1), search::quote(file), text);
}

std::string value_bytes(std::size_t position) {
  return fmt::format("tuner_value_bytes_{}", position);
}

std::string value_kernel(const Task& task, std::string_view kernel) {
  const KernelDescription& description = task.description();
  std::string functions, arrays, calls;
  std::size_t numbers = 0, values = 0;
  for (std::size_t i = 0; i < description.arguments.size(); ++i) {
    const Argument& argument = description.arguments[i];
    if (argument.role != Argument::Role::value) continue;
    functions += value_function(description, i, type_assertion(task, i, kernel));
    const std::string bytes = value_bytes(i), room = fmt::format("tuner_value_room_{}", i);
    for (const std::string& array : {bytes, room})
      arrays += fmt::format(
          "alignas(tuner_value_type_{1}) __device__ unsigned char {0}[sizeof(tuner_value_type_{1})];\n", array, i);
    calls += fmt::format("  {}[{}] = tuner_value_make_{}({} + {}, {}, {});\n", kValueMisfits, values++, i,
                         kValueNumbers, numbers, bytes, room);
    numbers += value_count(argument);
  }
  return fmt::format(
      "{}{}#line 1 \"value\"\n{}__device__ tuner_value_number {}[{}];\n__device__ int {}[{}];\n"
      "extern \"C\" __global__ void {}() {{\n{}}}\n",
      kValueTypes, functions, arrays, kValueNumbers, numbers + 1, kValueMisfits, values, kValueKernel, calls);
}

std::string value_misfit(const BoundArgument& argument, int number) {
  const auto index = static_cast<std::size_t>(number - 1);
  return fmt::format("value {} of `{}` is {}, which its member cannot hold: choose another value or a wider type",
                     number, argument.name, index < argument.values.size() ? argument.values[index].text() : "unknown");
}

}  // namespace tuner
