#include "tests/attack/text_damage.hpp"

#include <algorithm>

namespace tuner::attack {

const char* const kEveryDirective =
    "#include \"tuner_device.cuh\"\n"
    "#pragma tuner kernel(copy) reference(plain)\n"
    "#pragma tuner problem(n: size, stride: exact = 1, TYPE: constant = double)\n"
    "#pragma tuner param(BLOCKDIMX, 32, 64..256 step 64; default 64) param(VECTOR, 1..2 x2; argument)\n"
    "#pragma tuner param(MODE, plain, staged) param(RATIO, 0.5, -1e-3) param(FLAG, false, true; default true)\n"
    "#pragma tuner option(FMAD, \"\", \"--fmad=false\"; default \"--fmad=false\") options(\"--use_fast_math\")\n"
    "#pragma tuner let(TILE = BLOCKDIMX * VECTOR) define(BYTES = TILE * sizeof(TYPE)) \\\n  constraint(TILE // 2 <= "
    "1024)\n"
    "#pragma tuner problem_constraint(n % stride == 0) grid(ceil_div(n, TILE), 1) block(BLOCKDIMX, 2, 1) "
    "shared(BYTES)\n"
    "#pragma tuner in(a, TYPE, n, normal(0), align 16, pad 64) inout(b, float4, n + 1, iota(), constant(1), "
    "sorted(uniform(0, n)), permutation(n), rtol 1e-3, atol 0, at most n // 9)\n"
    "#pragma tuner out(c, unsigned int, 2 * n) scratch(d, TYPE, TILE) scalar(n, int32) scalar(m, float, value n / 2)\n"
    "#pragma tuner constant(w, float, 49, offsets(48, 2, 1)) in(e, half, n, file(\"a b.npy\"))\n"
    "#pragma tuner work(bytes = 8 * n, flops = n) deterministic // done\n"
    "extern \"C\" __global__ void copy(const TYPE* a, float4* b, unsigned* c, TYPE* d, int n, float m, const half* e) "
    "{}\n"
    "extern \"C\" __global__ void plain(const TYPE* a, float4* b, unsigned* c, int n, float m, const half* e) {}\n";

namespace {

const char* const kSourcePieces[] = {
    // punctuation, and the ends of lines
    "\\\n", "\n", "\r\n", "\r", "\t", "\v", "(", ")", "[", "]", "{", "}", "\"", "'", "/*", "*/", "//", ";", ",", ":",
    "=", "==", "..", "<", ">", "R\"(", "R\"x(", ")x\"", "((((((((((((((((((((",
    // directives and clauses
    "#pragma tuner ", " step ", " x2", "sorted(", "offsets(", "w_last", "1<<20", "rtol 1 / n", "at most ", "; default ",
    "; argument", "kernel(", "param(", "in(", "out(", "constraint(", "problem(", "let(", "define(", "reference(",
    "deterministic", "__global__", "template<", "n", "TYPE",
    // numbers and expressions
    "-9223372036854775808", "9223372036854775807", "1e999", "0x", "65536..1", "1..999999999", "0.. -5 step 0",
    "ceil_div(1, 0)", " % 0", " // 0", "**", "2 ** 9999", "max(", "min(", "not ", "1/3", "sizeof(", "grid(0)",
    "grid(99999999999)", "block(2147483648)", "shared(-1)",
    // other files
    "options(\"-time=../outside/letter.txt\")", "options(\"--create-pch=../outside/letter.txt\")",
    "options(\"-fdevice-time-trace=../outside/letter.txt\")", "options(\"-include\", \"../outside/letter.txt\")",
    "option(X, \"-I/\", \"-time=x\")", "file(\"/dev/zero\")", "file(\"../outside/letter.txt\")",
    "expect(\"/dev/full\")", "#include \"/etc/passwd\"", "#include \"../outside/letter.txt\"",
    // what must be escaped
    "\nFORGED-LINE", "\x1b[2J", "\x07", "\xe2\x80\xae", "\xc2\x9b", "\xff\xfe", "\x80"};

const char* const kJsonPieces[] = {
    // punctuation
    "{", "}", "[", "]", "\"", ",", ":", "/* */", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "{\"a\":{\"a\":{\"a\":",
    // values
    "null", "true", "-1", "0", "1e999", "9223372036854775807", "9223372036854775808", "1e-400", "\"\"", "\"(\"",
    "\"Size\"", "\"Values\"",
    // expressions
    "\"[0]*1000000000\"", "\"range(1000000000)\"", "\"list(range(10**18))\"", "\"2**2**2**2**2**2\"", "\"1//0\"",
    "\"[i for i in range(10**9)]\"", "\"__import__('os')\"",
    // other files
    "\"../outside/letter.txt\"", "\"/dev/zero\"", "\"-time=../outside/letter.txt\"", "\"--create-pch=x\"",
    "\"-include\"",
    // characters
    "\"\\u0000\"", "\"\\ud800\"", "\"x\\nFORGED-LINE\"", "\"\\u001b[2J\"", "\"\\u202e\"", "\xff", "\xef\xbb\xbf"};

const char* const kRecordingPieces[] = {
    // lines of the head
    "#", "#space 1\n", "#space 99\n", "#kernel x\n", "#param A 1,2,3\n", "#param A\n", "#param A 1,1,1,1\n",
    "#param BLOCK 1..999999999\n", "#restriction 1 //0\n", "#restriction A ==\n", "#problem n=99999999999999999999\n",
    "#device {}\n", "#device {\"sm_count\":-1}\n", "#device [\n", "#grid 0\n", "#grid 1 // 0\n", "#block 99999999\n",
    "#baseline BLOCK=7\n", "#winner X=1\n", "#let A = A\n", "#mode hot\n", "#date x\n", "#identity ../../../x\n",
    // cells
    ",", "\n", "\r\n", "\"", "\"\"", " ", "nan", "inf", "-1", "1e999", "1e-320", "0", "99999999999999999999", "ok",
    "run_error", "wrong_result", "no_such_status", "64,1,strided,ok,1\n",
    // what must be escaped
    "FORGED-LINE", "\x1b[2J", "\xe2\x80\xae", "\xff", "#device NVIDIA\x1b]0;x\x07\n", "#gpu x\rFORGED-LINE\n"};

const char* const kPackedPieces[] = {";",
                                     "0;",
                                     "1;",
                                     "2;",
                                     "-1;",
                                     "-0;",
                                     "007;",
                                     "99999999;",
                                     "4294967296;",
                                     "9223372036854775807;",
                                     "18446744073709551615;",
                                     "nan;",
                                     "-inf;",
                                     "1e999;",
                                     "0x10;",
                                     "1.5;",
                                     "\xff"};

/// One change, somewhere.
void change(Chance& chance, std::string& text, std::span<const char* const> pieces) {
  const std::size_t at = chance.below(text.size() + 1);
  const std::size_t length = std::min(text.size() - at, std::size_t{1} << chance.below(10));
  const std::size_t kind = chance.below(pieces.empty() ? 6 : 9);
  if (kind == 0 && at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << chance.below(8)));
  if (kind == 1) text.erase(at, length);
  if (kind == 2) text.insert(chance.below(text.size() + 1), text.substr(at, length));
  if (kind == 3) text.insert(at, 1 + (chance.once_in(6) ? chance.below(70000) : chance.below(8)), chance.byte());
  if (kind == 4 && chance.once_in(4)) text.resize(at);
  if (kind == 5 && chance.once_in(20)) text = text.substr(at, length);
  if (kind < 6) return;
  std::string piece = chance.one_of(pieces);
  if (chance.once_in(30)) {
    for (int i = 0; i < 12 && piece.size() < 100'000; ++i) piece += piece;
  }
  text.insert(at, piece);
}

/// Where a word or number of the text begins and how long it is.
std::pair<std::size_t, std::size_t> word_in(Chance& chance, const std::string& text) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::size_t at = chance.below(text.size());
  while (at < text.size() && !is_part(text[at])) ++at;
  while (at > 0 && is_part(text[at - 1])) --at;
  std::size_t end = at;
  while (end < text.size() && is_part(text[end])) ++end;
  return {at, end - at};
}

/// Words are exchanged for pieces or for other words: the text remains well formed more often.
void change_words(Chance& chance, std::string& text, std::span<const char* const> pieces, std::size_t begin) {
  if (begin >= text.size()) return;
  std::string part = text.substr(begin);
  const auto [at, length] = word_in(chance, part);
  const auto [from, count] = word_in(chance, part);
  part.replace(at, length, chance.once_in(2) ? std::string(chance.one_of(pieces)) : part.substr(from, count));
  text.replace(begin, std::string::npos, part);
}

std::string damage_with_words(Chance& chance, std::string text, std::span<const char* const> pieces,
                              const std::string& around) {
  for (std::size_t left = 1 + chance.below(4); left > 0; --left) {
    if (text.empty() || chance.once_in(3)) {
      change(chance, text, pieces);
      continue;
    }
    // Near one of the places that matter.
    std::size_t begin = text.find(around, chance.below(text.size()));
    if (begin == std::string::npos) begin = text.find(around);
    if (begin == std::string::npos) begin = 0;
    std::string line = text.substr(begin, 160);
    change_words(chance, line, pieces, 0);
    text.replace(begin, std::min<std::size_t>(160, text.size() - begin), line);
  }
  return text;
}

}  // namespace

std::string damage_text(Chance& chance, std::string text, std::span<const char* const> pieces) {
  for (std::size_t left = 1 + chance.below(6); left > 0; --left) change(chance, text, pieces);
  return text;
}

std::string damage_source(Chance& chance, std::string text) {
  return damage_with_words(chance, std::move(text), kSourcePieces, "#pragma tuner");
}

std::string damage_json(Chance& chance, std::string text) {
  return damage_with_words(chance, std::move(text), kJsonPieces, "\"");
}

std::string with_odd_number(Chance& chance, std::string text) {
  const std::size_t from = chance.below(text.size());
  const std::size_t at = text.find_first_of("0123456789", from);
  if (at == std::string::npos) return text;
  const std::size_t end = text.find_first_not_of("0123456789.", at);
  return text.replace(at, end == std::string::npos ? end : end - at,
                      chance.one_of({"1e400", "-1e400", "1e-400", "1e308", "-0", "NaN", "Infinity", "1e5",
                                     "123456789012345678901234567890", "0.1e-999999999999"}));
}

std::string damage_packed(Chance& chance, std::string text) {
  return damage_with_words(chance, std::move(text), kPackedPieces, ";");
}

std::string damage_recording(Chance& chance, std::string text) {
  if (chance.once_in(3)) text = chance.one_of(kRecordingPieces) + text;
  return damage_with_words(chance, std::move(text), kRecordingPieces, chance.once_in(2) ? "\n#" : "\n");
}

std::string as_utf16(const std::string& text) {
  std::string result = "\xff\xfe";
  for (const char c : text) result += {c, '\0'};
  return result;
}

}  // namespace tuner::attack
