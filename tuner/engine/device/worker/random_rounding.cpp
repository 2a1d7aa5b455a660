#include "tuner/engine/device/worker/random_rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

namespace tuner::engine {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kWord = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%";
// One in double takes as long to translate as so many in float.
constexpr std::size_t kDoubleOperations = 5;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

Parts split(std::string_view text, char separator) {
  Parts parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "@%p1 fma.rn.f32 %f1, %f2, %f3, %f4"
struct Statement {
  std::string_view guard;     // with a blank behind it, or empty
  Parts operation;            // at the dots
  std::string_view operands;  // all of them
};

Statement parse(std::string_view text) {
  Statement statement;
  std::size_t at = 0;
  if (text.starts_with('@')) {
    const std::size_t blank = std::min(text.find_first_of(kBlank), text.size());
    at = std::min(text.find_first_not_of(kBlank, blank), text.size());
    statement.guard = text.substr(0, at);
  }
  const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
  statement.operation = split(text.substr(at, end - at), '.');
  statement.operands = trimmed(text.substr(end));
  return statement;
}

// Leaves a number in tuner_h whose bits depend on all bits of the word there and on the seed; uses tuner_s.
std::string hash() {
  return fmt::format(
      "ld.global.u32 tuner_s, [{}]; xor.b32 tuner_h, tuner_h, tuner_s; mul.lo.u32 tuner_h, tuner_h, 0x9E3779B1; "
      "shr.u32 tuner_s, tuner_h, 15; xor.b32 tuner_h, tuner_h, tuner_s; mul.lo.u32 tuner_h, tuner_h, 0x85EBCA6B; ",
      kRoundingSeed);
}

constexpr std::string_view kOpen = "{ .reg .b32 tuner_h, tuner_s; .reg .pred tuner_p; ";

// tuner_u or tuner_d, which are what the operation gives when it rounds up and down.
std::string choose(std::string_view type, std::string_view guard, std::string_view into) {
  const std::string_view word = type == "f64"
                                    ? "mov.b64 {tuner_h, tuner_s}, tuner_u; xor.b32 tuner_h, tuner_h, tuner_s; "
                                : type == "f32" ? "mov.b32 tuner_h, tuner_u; "
                                                : "cvt.u32.u16 tuner_h, tuner_u; ";
  // Where both are the same, up is nearest: down makes x - x a zero with a sign.
  return fmt::format(
      "{}{}setp.lt.s32 tuner_p, tuner_h, 0; setp.eq.or.{} tuner_p, tuner_u, tuner_d, tuner_p; "
      "{}selp.{} {}, tuner_u, tuner_d, tuner_p; ",
      word, hash(), type, guard, type == "f16" ? "b16" : type, into);
}

// `operation` with {} where the rounding stands.
std::string both_ways(std::string_view before, std::string_view after, std::string_view type, std::string_view guard,
                      std::string_view into, std::string_view operands) {
  return fmt::format("{}.reg .{} tuner_u, tuner_d; {}.rp{} tuner_u, {}; {}.rm{} tuner_d, {}; {}}}", kOpen,
                     type == "f16" ? "b16" : type, before, after, operands, before, after, operands,
                     choose(type, guard, into));
}

// Into a register of 16 bits, from the float in tuner_f.
std::string narrowed(std::string_view type, std::string_view into) {
  if (type == "f16")
    return "cvt.rp.f16.f32 tuner_u, tuner_f; cvt.rm.f16.f32 tuner_d, tuner_f; " + choose(type, "", into);
  // There is no bfloat16 conversion that rounds up or down. Adding less than a unit in the last place and cutting off
  // does either, and leaves exact numbers alone.
  return fmt::format(
      "mov.b32 tuner_h, tuner_f; {}shr.u32 tuner_s, tuner_h, 16; mov.b32 tuner_h, tuner_f; "
      "testp.finite.f32 tuner_p, tuner_f; @tuner_p add.u32 tuner_h, tuner_h, tuner_s; shr.u32 tuner_h, tuner_h, 16; "
      "cvt.u16.u32 {}, tuner_h; ",
      hash(), into);
}

constexpr std::string_view kNarrowRegisters =
    ".reg .b16 tuner_u, tuner_d, tuner_x, tuner_r0, tuner_r1; .reg .f32 tuner_f, tuner_f0, tuner_f1, tuner_f2; ";

// The operands and what they are added or multiplied to fit a float, or nearly so.
std::string narrow_operation(const Statement& statement, std::string_view type, const Parts& operands) {
  const bool is_pair = type.ends_with("x2");
  const std::string_view single = type.substr(0, type.find("x2"));
  std::string text = std::string(kOpen) + std::string(kNarrowRegisters);
  for (int half = 0; half < (is_pair ? 2 : 1); ++half) {
    std::string sources;
    for (std::size_t i = 1; i < operands.size(); ++i) {
      text += !is_pair    ? fmt::format("mov.b16 tuner_x, {}; ", operands[i])
              : half == 0 ? fmt::format("mov.b32 {{tuner_x, tuner_u}}, {}; ", operands[i])
                          : fmt::format("mov.b32 {{tuner_u, tuner_x}}, {}; ", operands[i]);
      text += single == "f16" ? fmt::format("cvt.f32.f16 tuner_f{}, tuner_x; ", i - 1)
                              : fmt::format(
                                    "cvt.u32.u16 tuner_h, tuner_x; shl.b32 tuner_h, tuner_h, 16; mov.b32 "
                                    "tuner_f{}, tuner_h; ",
                                    i - 1);
      sources += fmt::format(", tuner_f{}", i - 1);
    }
    text += fmt::format("{}.rn.f32 tuner_f{}; ", statement.operation[0], sources);
    text += narrowed(single, fmt::format("tuner_r{}", half));
  }
  text += is_pair ? fmt::format("{}mov.b32 {}, {{tuner_r0, tuner_r1}}; }}", statement.guard, operands[0])
                  : fmt::format("{}mov.b16 {}, tuner_r0; }}", statement.guard, operands[0]);
  return text;
}

// Of floats to 16 bits, one or a pair of them: the first source becomes the upper half.
std::string narrow_conversion(const Statement& statement, std::string_view type, const Parts& operands) {
  const std::string_view single = type.substr(0, type.find("x2"));
  std::string text = std::string(kOpen) + std::string(kNarrowRegisters);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    text += fmt::format("mov.f32 tuner_f, {}; ", operands[i]);
    text += narrowed(single, fmt::format("tuner_r{}", operands.size() - 1 - i));
  }
  text += operands.size() > 2 ? fmt::format("{}mov.b32 {}, {{tuner_r0, tuner_r1}}; }}", statement.guard, operands[0])
                              : fmt::format("{}mov.b16 {}, tuner_r0; }}", statement.guard, operands[0]);
  return text;
}

// Tensor cores do not round as one may choose, so their sums move by one unit in the last place, or not at all.
std::string behind_matrix(std::string_view sums) {
  std::string text;
  for (const std::string_view sum : split(sums, ',')) {
    text += fmt::format(
        " {}.reg .b32 tuner_w; .reg .pred tuner_q; mov.b32 tuner_w, {}; mov.b32 tuner_h, tuner_w; {}"
        "shr.u32 tuner_s, tuner_h, 31; shr.u32 tuner_h, tuner_h, 30; and.b32 tuner_h, tuner_h, 1; "
        "sub.u32 tuner_h, tuner_h, tuner_s; add.u32 tuner_h, tuner_h, tuner_w; shl.b32 tuner_s, tuner_w, 1; "
        "testp.finite.f32 tuner_p, {}; setp.ne.and.u32 tuner_q, tuner_s, 0, tuner_p; @tuner_q mov.b32 {}, tuner_h; }}",
        kOpen, sum, hash(), sum, sum);
  }
  return text;
}

// Atomics round to nearest. Where the choice is the other way, a second one adds what is missing.
std::optional<std::string> rounded_atomic(const Statement& statement) {
  const Parts& operation = statement.operation;
  const bool returns = operation[0] == "atom";
  const std::string_view type = operation.back();
  const Parts operands = split(statement.operands, ',');
  if (operation.size() < 3 || operation[operation.size() - 2] != "add" || !is_one_of(type, {"f32", "f64"}) ||
      operands.size() != (returns ? 3 : 2))
    return std::nullopt;
  const std::string_view address = operands[returns ? 1 : 0], value = operands.back();
  std::string add;
  for (const std::string_view part : Parts(operation.begin() + 1, operation.end())) add += fmt::format(".{}", part);
  std::string text = fmt::format("{}.reg .{} tuner_o, tuner_u, tuner_d, tuner_n, tuner_c; {}atom{} tuner_o, {}, {}; ",
                                 kOpen, type, statement.guard, add, address, value);
  for (const auto& [rounding, result] :
       {std::pair("rp", "tuner_u"), std::pair("rm", "tuner_d"), std::pair("rn", "tuner_n")})
    text += fmt::format("add.{}.{} {}, tuner_o, {}; ", rounding, type, result, value);
  text += choose(type, "", "tuner_c");
  text += fmt::format(
      "sub.rn.{0} tuner_c, tuner_c, tuner_n; testp.finite.{0} tuner_p, tuner_c; selp.{0} tuner_c, tuner_c, {1}, "
      "tuner_p; "
      "{2}red{3} {4}, tuner_c; ",
      type, type == "f32" ? "0f00000000" : "0d0000000000000000", statement.guard, add, address);
  if (returns && operands[0] != "_") text += fmt::format("{}mov.{} {}, tuner_o; ", statement.guard, type, operands[0]);
  return text + "}";
}

// What stands in the statement's place, with the semicolon; nothing if it stays as it is.
std::optional<std::string> rounded(std::string_view text) {
  const Statement statement = parse(text);
  const Parts& operation = statement.operation;
  if (operation.size() < 2) return std::nullopt;
  const std::string_view name = operation[0];

  if (is_one_of(name, {"mma", "wmma"})) {
    const auto type = std::find_if(operation.begin() + 1, operation.end(), [](std::string_view part) {
      return is_one_of(part, {"f32", "f16", "s32", "f64"});
    });
    const bool multiplies = name == "mma" || operation[1] == "mma";
    const std::size_t open = statement.operands.find('{'), close = statement.operands.find('}');
    if (!multiplies || type == operation.end() || *type != "f32" || !statement.guard.empty() || open != 0 ||
        close == std::string_view::npos)
      return std::nullopt;
    return fmt::format("{};{}", text, behind_matrix(statement.operands.substr(1, close - 1)));
  }

  if (is_one_of(name, {"atom", "red"})) return rounded_atomic(statement);
  const Parts operands = split(statement.operands, ',');
  if (statement.operands.find('{') != std::string_view::npos || operands.size() < 2) return std::nullopt;
  const std::string_view first_operand = operands[0];
  const std::string_view sources = trimmed(statement.operands.substr(statement.operands.find(',') + 1));
  // ".ftz" and ".sat" behind the rounding
  std::string modifiers;
  bool has_nearest = false;
  std::size_t at = 1;
  for (; at < operation.size() && is_one_of(operation[at], {"rn", "ftz", "sat"}); ++at) {
    if (operation[at] == "rn")
      has_nearest = true;
    else
      modifiers += fmt::format(".{}", operation[at]);
  }
  if (at == operation.size()) return std::nullopt;
  const std::string_view type = operation[at];

  if (name == "cvt") {
    if (!has_nearest || at + 2 != operation.size()) return std::nullopt;
    const std::string_view source = operation[at + 1];
    if (is_one_of(type, {"f16", "f32", "f64"}))
      return both_ways(name, fmt::format("{}.{}.{}", modifiers, type, source), type, statement.guard, first_operand,
                       sources);
    if (source != "f32" || !modifiers.empty() || !is_one_of(type, {"bf16", "f16x2", "bf16x2"})) return std::nullopt;
    return narrow_conversion(statement, type, operands);
  }
  if (at + 1 != operation.size()) return std::nullopt;
  const bool is_sum = is_one_of(name, {"add", "sub", "mul", "fma"});
  const bool is_rounded = is_sum || (has_nearest && is_one_of(name, {"mad", "div", "sqrt", "rcp"}));
  if (is_rounded && is_one_of(type, {"f32", "f64"}))
    return both_ways(name, fmt::format("{}.{}", modifiers, type), type, statement.guard, first_operand, sources);
  if (is_sum && modifiers.empty() && is_one_of(type, {"f16", "f16x2", "bf16", "bf16x2"}))
    return narrow_operation(statement, type, operands);
  return std::nullopt;
}

// Behind the comment that begins at `at`; `at` if none does.
std::size_t behind_comment(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (!rest.starts_with("/*")) return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

bool may_begin(char c) {
  return c == '@' || (c >= 'a' && c <= 'z');
}

}  // namespace

std::optional<std::string> with_random_rounding(std::string_view ptx) {
  constexpr std::string_view kLastDirective = ".address_size 64";
  std::string result;
  std::size_t count = 0, copied = 0;
  const auto copy_to = [&](std::size_t end) {
    result += ptx.substr(copied, end - copied);
    copied = end;
  };
  const std::size_t header = ptx.find(kLastDirective);
  if (header == std::string_view::npos) return std::nullopt;
  copy_to(header + kLastDirective.size());
  result += fmt::format("\n.visible .global .align 4 .u32 {};", kRoundingSeed);
  for (std::size_t at = copied; at < ptx.size();) {
    if (const std::size_t next = behind_comment(ptx, at); next != at) {
      at = next;
    } else if (!may_begin(ptx[at])) {
      // A directive or a label: what it says until its end is none of ours.
      const bool is_separate = std::string_view("{};:,) \t\r\n").find(ptx[at]) != std::string_view::npos;
      at = is_separate ? at + 1 : std::min(ptx.find_first_of(";{}:\n", at), ptx.size());
    } else if (const std::size_t label = ptx.find_first_not_of(kWord, at); label < ptx.size() && ptx[label] == ':') {
      at = label + 1;
    } else {
      const std::size_t end = ptx.find(';', at);
      if (end == std::string_view::npos) break;
      if (const std::optional<std::string> instead = rounded(ptx.substr(at, end - at))) {
        count += instead->find("f64") == std::string::npos ? 1 : kDoubleOperations;
        if (count > kMaxRoundedOperations) return std::nullopt;
        copy_to(at);
        result += *instead;
        copied = end + 1;
      }
      at = end + 1;
    }
  }
  copy_to(ptx.size());
  return count > 0 ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace tuner::engine
