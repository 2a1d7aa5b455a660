#include "cache/records/key.hpp"

#include <array>

#include "cache/file/hash.hpp"

namespace tuner::cache {
namespace {

// key   = "key1" field*        the number is the version of this format
// field = "|" tag "=" content  every field, in this order
// In a content "\" and "|" are written "\\" and "\|", so a bare "|" always begins a field and two keys that differ
// anywhere differ in their text.
void append_field(std::string& text, std::string_view tag, std::string_view content) {
  text += '|';
  text += tag;
  text += '=';
  for (const char c : content) {
    if (c == '\\' || c == '|') text += '\\';
    text += c;
  }
}

}  // namespace

std::string DecisionKey::text() const {
  std::string text = "key1";
  append_field(text, "kernel", kernel_name);
  append_field(text, "identity", kernel_identity);
  append_field(text, "problem", problem);
  append_field(text, "device", device);
  append_field(text, "mode", mode);
  append_field(text, "objective", objective);
  return text;
}

Hash DecisionKey::hash() const {
  return content_hash(text());
}

std::optional<DecisionKey> key_from_text(std::string_view text) {
  std::array<std::string, 7> fields;
  std::size_t field = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      if (++field == fields.size()) return std::nullopt;
      i = text.find('=', i);
      if (i == text.npos) return std::nullopt;
      continue;
    }
    if (text[i] == '\\' && ++i == text.size()) return std::nullopt;
    fields[field] += text[i];
  }
  DecisionKey key{fields[1], fields[2], fields[3], fields[4], fields[5], fields[6]};
  if (key.text() != text) return std::nullopt;  // tags and version are compared with it
  return key;
}

}  // namespace tuner::cache
