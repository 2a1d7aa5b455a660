#include "search/expression/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "search/expression/quoting.hpp"
#include "search/expression/site.hpp"

namespace tuner::search {
namespace {

struct Spelling {
  std::string_view text;
  Sign sign;
};

// A sign that begins like another one stands before it.
constexpr std::array<Spelling, 31> kSigns{{
    {"**", Sign::power},       {"//", Sign::floor_divide}, {"<<", Sign::shift_left},
    {">>", Sign::shift_right}, {"<=", Sign::less_equal},   {">=", Sign::greater_equal},
    {"==", Sign::equal},       {"!=", Sign::not_equal},    {"&&", Sign::logical_and},
    {"||", Sign::logical_or},  {"+", Sign::add},           {"-", Sign::subtract},
    {"*", Sign::multiply},     {"/", Sign::divide},        {"%", Sign::modulo},
    {"&", Sign::bit_and},      {"|", Sign::bit_or},        {"^", Sign::bit_xor},
    {"~", Sign::bit_not},      {"<", Sign::less},          {">", Sign::greater},
    {"!", Sign::bang},         {"?", Sign::question},      {":", Sign::colon},
    {"(", Sign::open_round},   {")", Sign::close_round},   {"[", Sign::open_square},
    {"]", Sign::close_square}, {",", Sign::comma},         {"in", Sign::in},
    {"not in", Sign::not_in},
}};

constexpr std::array<Spelling, 6> kWords{{{"and", Sign::logical_and},
                                          {"or", Sign::logical_or},
                                          {"not", Sign::logical_not},
                                          {"in", Sign::in},
                                          {"if", Sign::word_if},
                                          {"else", Sign::word_else}}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

std::string_view spelling(Sign sign) {
  const auto of_sign = [&](const Spelling& entry) { return entry.sign == sign; };
  if (const auto found = std::ranges::find_if(kSigns, of_sign); found != kSigns.end()) return found->text;
  const auto found = std::ranges::find_if(kWords, of_sign);
  return found != kWords.end() ? found->text : "";
}

Token Lexer::token(Token::Kind kind, std::size_t end) {
  Token result;
  result.kind = kind;
  result.offset = position_;
  result.text = text_.substr(position_, end - position_);
  position_ = end;
  return result;
}

Token Lexer::next() {
  while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  if (position_ == text_.size()) return token(Token::Kind::end, position_);
  const char c = text_[position_];
  const bool point = c == '.' && position_ + 1 < text_.size() && is_digit(text_[position_ + 1]);
  if (is_digit(c) || point) return number();
  if (is_letter(c)) return word();
  if (c == '\'' || c == '"') return quotation();
  return sign();
}

Token Lexer::number() {
  // Everything that a number could be part of, so that `1u`, `0x` and `1.2.3` are one mistake and not two tokens.
  std::size_t end = position_;
  const bool hexadecimal = text_.substr(position_).starts_with("0x") || text_.substr(position_).starts_with("0X");
  while (end < text_.size()) {
    const char c = text_[end];
    const bool exponent_sign =
        (c == '+' || c == '-') && !hexadecimal && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
    if (!is_digit(c) && !is_letter(c) && c != '.' && !(end > position_ && exponent_sign)) break;
    ++end;
  }
  Token result = token(Token::Kind::integer, end);
  const std::string_view digits = hexadecimal ? result.text.substr(2) : result.text;
  const char* const last = digits.data() + digits.size();
  const ExpressionSite site{text_, result.offset};
  const auto [stop, error] = std::from_chars(digits.data(), last, result.magnitude, hexadecimal ? 16 : 10);
  if (stop == last && !digits.empty()) {
    if (error != std::errc() || result.magnitude > std::uint64_t{1} << 63) {
      site.fail(fmt::format("the integer `{}` does not fit in 64 bits", result.text));
    }
    if (!hexadecimal && digits.size() > 1 && digits.front() == '0') {
      site.fail(fmt::format("`{}` begins with 0; remove the 0, or write 0x.. for a hexadecimal number", result.text));
    }
    return result;
  }
  result.kind = Token::Kind::real;
  const auto [real_stop, real_error] = std::from_chars(digits.data(), last, result.real);
  if (hexadecimal || real_stop != last) site.fail(fmt::format("`{}` is not a number", result.text));
  if (real_error != std::errc()) site.fail(fmt::format("the number `{}` is too large or too small", result.text));
  return result;
}

Token Lexer::quotation() {
  const char quote = text_[position_];
  std::size_t end = position_ + 1;
  while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
  const ExpressionSite site{text_, position_};
  if (end >= text_.size()) site.fail("the quoted text is not closed");
  std::optional<std::string> meaning = unescape(text_.substr(position_ + 1, end - position_ - 1), quote);
  if (!meaning) site.fail("the quoted text has an unknown escape; \\\\ stands for a backslash");
  Token result = token(Token::Kind::quotation, end + 1);
  result.quoted = *std::move(meaning);
  return result;
}

Token Lexer::word() {
  std::size_t end = position_;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  Token result = token(Token::Kind::name, end);
  if (result.text == "true" || result.text == "True" || result.text == "false" || result.text == "False") {
    result.kind = Token::Kind::boolean;
    result.magnitude = result.text == "true" || result.text == "True" ? 1 : 0;
  }
  for (const Spelling& entry : kWords) {
    if (entry.text != result.text) continue;
    result.kind = Token::Kind::sign;
    result.sign = entry.sign;
  }
  return result;
}

Token Lexer::sign() {
  const std::string_view rest = text_.substr(position_);
  for (const Spelling& entry : kSigns) {
    if (!rest.starts_with(entry.text)) continue;
    Token result = token(Token::Kind::sign, position_ + entry.text.size());
    result.sign = entry.sign;
    return result;
  }
  const ExpressionSite site{text_, position_};
  const auto byte = static_cast<unsigned char>(rest.front());
  if (rest.front() == '=') site.fail("`=` is not a comparison; write `==`");
  if (byte <= 0x20 || byte >= 0x7f) site.fail(fmt::format("the byte 0x{:02x} is not valid here", byte));
  site.fail(fmt::format("`{}` is not valid here", rest.front()));
}

}  // namespace tuner::search
