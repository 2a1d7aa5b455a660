#include "cache/hash.hpp"
#include "cache/store.hpp"

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

std::string DecisionKey::hash() const {
  return content_hash(text());
}

}  // namespace tuner::cache
