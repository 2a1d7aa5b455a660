// An .npy file is: "\x93NUMPY" major:u8 minor:u8 length:(u16 in version 1, u32 after it) header[length] data
//   header = a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (480, 640), }, blanks, line end
#include "tuner/core/task/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tuner/core/task/input_file.hpp"

namespace tuner {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// No array has as many elements as this, and products of two numbers below it do not overflow.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;

struct TypeCode {
  std::string_view code;  ///< without the byte order
  ElementType type;
};

// A bfloat16 array of ml_dtypes is saved as two bytes without a meaning.
constexpr std::array<TypeCode, 13> kTypeCodes{{
    {"b1", ElementType::boolean},
    {"i1", ElementType::int8},
    {"u1", ElementType::uint8},
    {"i2", ElementType::int16},
    {"u2", ElementType::uint16},
    {"i4", ElementType::int32},
    {"u4", ElementType::uint32},
    {"i8", ElementType::int64},
    {"u8", ElementType::uint64},
    {"f2", ElementType::float16},
    {"V2", ElementType::bfloat16},
    {"f4", ElementType::float32},
    {"f8", ElementType::float64},
}};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        read_type();
      } else if (key == "fortran_order") {
        fortran_ = boolean();
      } else if (key == "shape") {
        read_shape();
      } else {
        damaged(fmt::format("`{}` is not valid in it", printable(key)));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) damaged("it is followed by something else");
    if (!type_ || !fortran_ || !shape_) damaged("descr, fortran_order or shape is missing");
    const auto long_ones = std::count_if(shape_->begin(), shape_->end(), [](std::uint64_t n) { return n != 1; });
    if (*fortran_ && long_ones > 1) {
      refuse("is in Fortran order; save numpy.ascontiguousarray(…) of the array, which is in C order");
    }
    NpyHeader header;
    header.type = *type_;
    header.shape = *shape_;
    header.elements = product(*shape_);
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(Errc::bad_description, fmt::format("{} {}.", name_, why));
  }
  [[noreturn]] void damaged(const std::string& why) const {
    refuse(fmt::format("is damaged: its header cannot be read ({}); save it again with numpy.save", why));
  }
  static std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
    return result;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) damaged(fmt::format("`{}` is expected at byte {} of it", wanted, at_));
  }
  std::string string() {
    const char quote = take('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) damaged("a quote is not closed");
    const std::string_view content = text_.substr(at_, end - at_);
    if (content.find('\\') != std::string_view::npos) damaged("a name has a backslash");
    at_ = end + 1;
    return std::string(content);
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    damaged("fortran_order is neither True nor False");
  }
  std::uint64_t number() {
    skip_blanks();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = std::min(value * 10 + static_cast<std::uint64_t>(text_[at_] - '0'), kMostElements);
      ++at_;
    }
    if (at_ == begin) damaged(fmt::format("a number is expected at byte {} of it", at_));
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 writes it
    return value;
  }

  void read_type() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      refuse("holds records of several fields; save one field of them, as in numpy.save(name, array['field'])");
    }
    const std::string text = string();
    const char order = text.empty() ? ' ' : text.front();
    const std::string_view code = std::string_view(text).substr(std::min<std::size_t>(text.size(), 1));
    for (const TypeCode& known : kTypeCodes) {
      if (known.code != code) continue;
      const bool is_single = size_of(known.type) == 1;
      if (order == '>' && !is_single) {
        refuse(fmt::format("is big-endian (dtype {}); save array.astype('<{}')", text, code));
      }
      if (order != '<' && order != '|' && order != '=' && !(order == '>' && is_single)) break;
      type_ = known.type;
      return;
    }
    refuse(fmt::format("has the dtype {}, which is not an element type of a kernel", printable(text)));
  }
  void read_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!take(')')) {
      shape.push_back(number());
      if (shape.size() > 64) damaged("it has more than 64 dimensions");
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    shape_ = std::move(shape);
  }
  std::uint64_t product(const std::vector<std::uint64_t>& shape) const {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : shape) {
      if (extent >= kMostElements || elements > kMostElements / extent) {
        refuse(fmt::format("has the shape {}, more than any memory holds", shape_text(shape)));
      }
      elements *= extent;
    }
    return elements;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::optional<ElementType> type_;
  std::optional<bool> fortran_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view begin, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_description, fmt::format("{} {}.", name, why));
  };
  constexpr std::size_t kVersionAt = kMagic.size(), kLengthAt = kVersionAt + 2;
  if (begin.substr(0, kMagic.size()) != kMagic) {
    refuse("is not a NumPy file: it does not begin as one; write it with numpy.save");
  }
  const std::size_t major = begin.size() > kVersionAt ? static_cast<unsigned char>(begin[kVersionAt]) : 0;
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (begin.size() < kLengthAt + length_bytes) refuse("is damaged: it ends within its header");
  if (major < 1 || major > 3) {
    refuse(fmt::format("has version {} of the NumPy format; 1, 2 and 3 can be read", major));
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(begin[kLengthAt + i])} << (8 * i);
  }
  const std::size_t header_at = kLengthAt + length_bytes;
  if (length > kLongestNpyHeader - header_at) {
    refuse(fmt::format("is damaged: it claims a header of {} bytes", length));
  }
  if (begin.size() - header_at < length) refuse("is damaged: it ends within its header");
  NpyHeader header = HeaderParser(begin.substr(header_at, length), name).parse();
  header.offset = header_at + length;
  return header;
}

NpyHeader read_npy_header(const std::filesystem::path& file) {
  const InputFile input(file);
  std::string begin(static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), kLongestNpyHeader)), '\0');
  input.read(0, std::as_writable_bytes(std::span(begin)));
  const NpyHeader header = parse_npy_header(begin, file.string());
  const std::uint64_t needed = header.elements * size_of(header.type);
  if (input.size() - header.offset < needed) {
    throw Error(Errc::bad_description,
                fmt::format("{} is truncated: its header announces {} bytes of data, but only {} follow.",
                            file.string(), needed, input.size() - header.offset));
  }
  return header;
}

std::string npy_header(ElementType type, const std::vector<std::uint64_t>& shape) {
  constexpr std::size_t kMultiple = 64, kLengthBytes = 2;
  const auto code = std::ranges::find(kTypeCodes, type, &TypeCode::type);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                   size_of(type) == 1 ? '|' : '<', code->code, shape_text(shape));
  std::string begin = std::string(kMagic) + std::string("\1\0", 2);
  const std::size_t written = begin.size() + kLengthBytes + header.size() + 1;
  header += std::string((kMultiple - written % kMultiple) % kMultiple, ' ') + '\n';
  begin += {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return begin + header;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace tuner
