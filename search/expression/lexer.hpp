#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tuner::search {

/// Everything in an expression that is not a number, a quotation or a name.
enum class Sign : std::uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,  ///< two tokens, put together by the parser
  logical_and,
  logical_or,
  logical_not,  ///< the word `not`
  bang,         ///< `!`, which binds tighter than `not`
  question,
  colon,
  word_if,
  word_else,
  open_round,
  close_round,
  open_square,
  close_square,
  comma,
};

/// As the sign is spelled in messages.
std::string_view spelling(Sign sign);

struct Token {
  enum class Kind : std::uint8_t { end, integer, real, boolean, quotation, name, sign };

  Kind kind = Kind::end;
  Sign sign = Sign::none;
  std::size_t offset = 0;
  std::string_view text;        ///< as it stands in the expression
  std::uint64_t magnitude = 0;  ///< kind integer: at most 2^63, so that -2^63 can be written
  double real = 0;              ///< kind real
  std::string quoted;           ///< kind quotation: what it stands for
};

/// Cuts an expression into tokens. Throws ExpressionError at what is none.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  Token number();
  Token quotation();
  Token word();
  Token sign();
  Token token(Token::Kind kind, std::size_t end);

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace tuner::search
