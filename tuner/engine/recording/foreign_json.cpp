#include "tuner/engine/recording/foreign_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

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

/// Counts what the values of a file take while they are parsed, and remembers the keys of the objects that are open: of
/// two equal ones a parser keeps only one.
class ParseWatch {
 public:
  explicit ParseWatch(const std::filesystem::path& file) : file_(file) {}

  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    ++units_;
    if (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start) units_ += kContainer;
    if (event == Json::parse_event_t::object_start) open_.emplace_back();
    if (event == Json::parse_event_t::object_end) open_.pop_back();
    if (event == Json::parse_event_t::key) {
      units_ += kMember;
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(key).second) {
        refuse_file(
            file_, fmt::format(": the key `{}` occurs twice in one object; remove one.", one_line(key, kLongestPlace)));
      }
    }
    if (units_ > kMostUnits) {
      refuse_file(file_, fmt::format(" has more values than {} MiB hold; take fewer configurations.",
                                     (kMostUnits * sizeof(Json)) >> 20U));
    }
    return true;
  }

 private:
  const std::filesystem::path& file_;
  std::vector<std::set<std::string>> open_;
  std::size_t units_ = 0;
};

/// Makes JSON of what Python writes, as long as before: NaN and Infinity, which are no JSON, become empty strings. A
/// file that ends within an object of the outermost one, as Kernel Tuner leaves its caches while it works, is closed.
void repair(std::string& text) {
  std::size_t depth = 0;
  bool quoted = false;
  std::array<char, 2> outermost{};  // containers that are open
  char last = 0;                    // that is no blank
  std::size_t last_at = 0;
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
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (text.compare(i, word.size(), word) != 0) continue;
      text.replace(i, word.size(), "\"\"" + std::string(word.size() - 2, ' '));
      i += word.size() - 1;
      break;
    }
  }
  const bool in_objects = depth == 2 && outermost[0] == '{' && outermost[1] == '{';
  if (quoted || !in_objects || (last != ',' && last != '}' && last != '{')) return;
  if (last == ',') text[last_at] = ' ';
  text += "}}";
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
  ParseWatch watch(file_);
  try {
    json_ = std::make_unique<const Json>(Json::parse(text, std::ref(watch)));
  } catch (const Json::parse_error& error) {
    const auto [line, column] = line_and_column(text, error.byte);
    // The parser's own words stand behind its "[json.exception...] parse error at line 1, column 2: ".
    const std::string_view words = error.what();
    const std::size_t colon = words.find(": ");
    refuse_file(file_, fmt::format(":{}:{}: this is not JSON, or the file is truncated: {}.", line, column,
                                   search::with_short_quotations(words.substr(
                                       colon == std::string_view::npos ? 0 : std::min(colon + 2, words.size())))));
  } catch (const Json::exception& error) {
    refuse_file(file_, fmt::format(": this JSON cannot be read: {}.", search::with_short_quotations(error.what())));
  }
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
  if (json_->is_string() && string().empty()) fail("must be a finite number");
  if (!json_->is_number()) fail_type("a number");
  return json_->get<double>();
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
    if (!string().starts_with('"')) value = search::Value::parse(string());
  } catch (const Error& error) {
    fail(error.what());
  }
  if (value.is_real() && !std::isfinite(value.as_real())) fail("must be a finite number");
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
