#include "tuner/engine/recording/foreign_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

using Json = nlohmann::json;

/// Of a place in a file: keys are whatever its author wrote.
constexpr std::size_t kLongestPlace = 200;
/// What a parsed file may take, in 16 bytes: a value is one, a member of an object and a container that much more.
constexpr std::size_t kMostUnits = std::size_t{1} << 25;
constexpr std::size_t kMember = 6;
constexpr std::size_t kContainer = 5;

[[noreturn]] void refuse_file(const std::filesystem::path& file, std::string_view sentence) {
  std::string text = fmt::format("{}{}", file.string(), sentence);
  std::replace(text.begin(), text.end(), '\0', '?');  // of a JSON string; it would end the sentence
  throw Error(Errc::bad_recording, text);
}

/// Line and column, from 1, of the byte that a parser stopped at.
std::pair<std::size_t, std::size_t> line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t last = before.rfind('\n');
  return {line + 1, before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1};
}

/// Makes values of a text as it is parsed, and counts what they take. Json::parse would not say that a key occurs
/// twice, and looks at all siblings of an object once it is told to report what it parses.
class JsonBuilder final : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(const std::filesystem::path& file, std::string_view text) : file_(file), text_(text) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // no text has it
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    charge(kMember);
    const auto [at, is_new] = open_.back()->get_ref<Json::object_t&>().emplace(key, nullptr);
    if (!is_new) {
      refuse_file(file_,
                  fmt::format(": the key `{}` occurs twice in one object; remove one.", one_line(key, kLongestPlace)));
    }
    member_ = &at->second;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& token, const Json::exception& error) override {
    const auto [line, column] = line_and_column(text_, byte);
    if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) {
      refuse_file(file_,
                  fmt::format(":{}:{}: the number {} is greater than any that a computer reads; write a smaller one.",
                              line, column, search::shortened(token)));
    }
    // The parser's own words stand behind its "[json.exception...] parse error at line 1, column 2: ", or its "] ".
    std::string_view words = error.what();
    for (const std::string_view end : {"] ", ": "}) {
      const std::size_t at = words.find(end);
      if (at != std::string_view::npos) words.remove_prefix(at + end.size());
      if (!words.starts_with("parse error")) break;
    }
    refuse_file(file_, fmt::format(":{}:{}: this is not JSON, or the file is truncated: {}.", line, column,
                                   search::with_short_quotations(words)));
  }

 private:
  void charge(std::size_t units) {
    units_ += units;
    if (units_ <= kMostUnits) return;
    refuse_file(file_, fmt::format(" has more values than {} MiB hold; take fewer configurations.",
                                   (kMostUnits * sizeof(Json)) >> 20U));
  }

  Json* place(Json value) {
    charge(1);
    if (open_.empty()) return &(root_ = std::move(value));
    if (!open_.back()->is_array()) return &(*member_ = std::move(value));
    open_.back()->push_back(std::move(value));
    return &open_.back()->back();
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    charge(kContainer);
    open_.push_back(place(std::move(container)));  // stays where it is: nothing comes beside it while it is open
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::filesystem::path& file_;
  std::string_view text_;
  Json root_;
  std::vector<Json*> open_;
  Json* member_ = nullptr;  ///< of the innermost object: the one whose key was read last
  std::size_t units_ = 0;
};

/// Makes JSON of what Python writes: NaN and Infinity, which are no JSON, become strings. A
/// file that ends within an object of the outermost one, as Kernel Tuner leaves its caches while it works, is closed.
void repair(std::string& text) {
  std::size_t depth = 0;
  bool quoted = false;
  std::array<char, 2> outermost{};  // containers that are open
  char last = 0;                    // that is no blank
  std::size_t last_at = 0;
  std::string repaired;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    last = c;
    last_at = i;
    if (c == '"') quoted = true;
    if (c == '{' || c == '[') {
      if (depth < outermost.size()) outermost[depth] = c;
      ++depth;
    }
    if (c == '}' || c == ']') depth -= std::min<std::size_t>(depth, 1);
    if (c != 'N' && c != 'I' && c != '-') continue;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (text.compare(i, word.size(), word) != 0) continue;
      repaired.append(text, copied, i - copied).append(1, '"').append(word).append(1, '"');
      copied = i + word.size();
      i = copied - 1;
      break;
    }
  }
  const bool in_objects = depth == 2 && outermost[0] == '{' && outermost[1] == '{';
  if (!quoted && in_objects && (last == ',' || last == '}' || last == '{')) {
    if (last == ',') text[last_at] = ' ';
    text += "}}";
  }
  if (copied > 0) text = repaired.append(text, copied);
}

/// Of a key in a path: as it is if it is a name.
std::string step_text(std::string_view key) {
  const bool is_name =
      !key.empty() && (key.front() < '0' || key.front() > '9') && std::all_of(key.begin(), key.end(), [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      });
  return is_name ? std::string(key) : search::quote(search::shortened(key));
}

}  // namespace

JsonFile::JsonFile(std::filesystem::path file, std::string text) : file_(std::move(file)) {
  repair(text);
  JsonBuilder builder(file_, text);
  Json::sax_parse(text, &builder);
  json_ = std::make_unique<const Json>(builder.take());
}

JsonFile::~JsonFile() = default;

bool JsonNode::is_string() const {
  return json_->is_string();
}
bool JsonNode::is_number() const {
  return json_->is_number();
}
bool JsonNode::is_array() const {
  return json_->is_array();
}
bool JsonNode::is_object() const {
  return json_->is_object();
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const& {
  if (!json_->is_object()) fail_type("an object in braces");
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return JsonNode(*this, std::string_view(found.key()), *found);
}

JsonNode JsonNode::need(std::string_view key) const& {
  if (const auto found = find(key)) return *found;
  JsonNode(*this, key, *json_).fail("is missing");
}

JsonNode JsonNode::need_or_null(std::string_view key) const& {
  const auto found = json_->find(key);
  return found == json_->end() ? need(key) : JsonNode(*this, std::string_view(found.key()), *found);
}

std::vector<std::pair<std::string_view, JsonNode>> JsonNode::members() const& {
  if (!json_->is_object()) fail_type("an object in braces");
  std::vector<std::pair<std::string_view, JsonNode>> members;
  for (auto at = json_->begin(); at != json_->end(); ++at) {
    members.emplace_back(at.key(), JsonNode(*this, std::string_view(at.key()), *at));
  }
  return members;
}

std::vector<JsonNode> JsonNode::elements() const& {
  if (!json_->is_array()) fail_type("a list in square brackets");
  std::vector<JsonNode> elements;
  for (std::size_t i = 0; i < json_->size(); ++i) elements.push_back(JsonNode(*this, i, (*json_)[i]));
  return elements;
}

const std::string& JsonNode::string() const {
  if (!json_->is_string()) fail_type("a string");
  return json_->get_ref<const std::string&>();
}

const std::string& JsonNode::name() const {
  constexpr std::size_t kLongestName = 1000;
  const std::string& text = string();
  const bool is_line = std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  if (text.empty() || text.size() > kLongestName || !is_line) {
    fail("must be a name of at most {} bytes without control characters", kLongestName);
  }
  return text;
}

double JsonNode::number() const {
  const double number = any_number();
  if (!std::isfinite(number)) fail("must be a finite number");
  return number;
}

std::optional<double> JsonNode::as_number() const {
  if (json_->is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (json_->is_number()) return json_->get<double>();
  if (!json_->is_string()) return std::nullopt;
  const std::string_view text = search::trimmed(string());
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

double JsonNode::any_number() const {
  const std::optional<double> number = as_number();
  if (!number) fail_type("a number");
  return *number;
}

std::string JsonNode::text() const {
  return one_line(json_->is_string() ? string() : json_->dump(), kLongestPlace);
}

search::Value JsonNode::value() const {
  if (json_->is_boolean()) return json_->get<bool>();
  if (json_->is_number_unsigned() && json_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    fail("{} does not fit in 64 bits", json_->get<std::uint64_t>());
  }
  if (json_->is_number_integer()) return json_->get<std::int64_t>();
  if (json_->is_number_float()) return json_->get<double>();
  if (!json_->is_string()) fail_type("a number, true, false or a string");
  search::Value value(string());
  try {
    // Blanks around a text are part of it.
    const bool is_text = string().starts_with('"') || search::trimmed(string()) != string();
    if (!is_text) value = search::Value::parse(string());
  } catch (const Error& error) {
    fail(error.what());
  }
  if (value.is_real() && !std::isfinite(value.as_real())) return search::Value(string());  // a mode: "inf"
  return value;
}

std::string JsonNode::path() const {
  std::string path;
  for (const JsonNode* node = this; node->parent_ != nullptr; node = node->parent_) {
    const std::string step = node->index_ ? fmt::format("[{}]", *node->index_) : step_text(node->key_);
    const bool needs_dot = !path.empty() && path.front() != '[';
    path.insert(0, step + (needs_dot ? "." : ""));
  }
  return path;
}

void JsonNode::fail(const std::string& sentence) const {
  const std::string place = path();
  refuse_file(*file_, fmt::format(": {}{}{}{}", one_line(place, kLongestPlace), place.empty() ? "" : ": ",
                                  search::with_short_quotations(sentence), sentence.ends_with('.') ? "" : "."));
}

void JsonNode::fail_type(std::string_view wanted) const {
  fail("must be {}, not {}", wanted, json_->type_name());
}

}  // namespace tuner::engine
