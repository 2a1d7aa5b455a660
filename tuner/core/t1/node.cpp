#include "tuner/core/t1/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

using Json = nlohmann::json;

/// Of a place in the file: keys are whatever its author wrote.
constexpr std::size_t kLongestPath = 200;

/// Line and column, from 1, of the byte that a parser stopped at.
std::pair<std::size_t, std::size_t> position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t last = before.rfind('\n');
  return {line + 1, before.size() - (last == std::string_view::npos ? 0 : last + 1) + 1};
}

/// The parser's own words behind its "[json.exception...] parse error at line 1, column 2: ".
std::string without_place(const std::string& what) {
  const std::size_t colon = what.find(": ");
  return colon == std::string::npos ? what : what.substr(colon + 2);
}

/// What stands in the quotes of the parser's "number overflow parsing '1e400'".
std::string quoted_in(const std::string& what) {
  const std::size_t begin = what.find('\'') + 1, end = what.rfind('\'');
  return begin < end && end != std::string::npos ? what.substr(begin, end - begin) : "in it";
}

/// Remembers the keys of the objects that are being parsed: of two equal ones a parser keeps only one.
class KeyWatch {
 public:
  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
        open_.emplace_back();
        break;
      case Json::parse_event_t::object_end:
        if (!open_.empty()) open_.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!open_.empty() && !open_.back().insert(parsed.get<std::string>()).second && twice_.empty()) {
          twice_ = parsed.get<std::string>();
        }
        break;
      default:
        break;
    }
    return true;
  }
  const std::string& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::string twice_;
};

constexpr std::string_view kKeys[] = {"AccessType",
                                      "Arguments",
                                      "BenchmarkConfig",
                                      "CompilerOptions",
                                      "Conditions",
                                      "ConfigurationSpace",
                                      "DataSource",
                                      "Default",
                                      "Expression",
                                      "FillType",
                                      "FillValue",
                                      "GlobalSize",
                                      "GlobalSizeType",
                                      "GridDivX",
                                      "GridDivY",
                                      "GridDivZ",
                                      "KernelFile",
                                      "KernelName",
                                      "KernelSpecification",
                                      "KernelTypeNames",
                                      "Language",
                                      "LocalSize",
                                      "MemType",
                                      "MemoryType",
                                      "Name",
                                      "Output",
                                      "Parameters",
                                      "ProblemSize",
                                      "SharedMemory",
                                      "Size",
                                      "TuningParameters",
                                      "Type",
                                      "TypeSize",
                                      "Values"};

struct Renaming {
  std::string from, to;
};

/// As the files of the format's first generation call them.
constexpr std::pair<std::string_view, std::string_view> kOlderKeys[] = {
    {"blocksize", "LocalSize"}, {"gridsize", "GlobalSize"}, {"length", "Size"}, {"value", "FillValue"}};

std::string_view known_key(const std::string& key) {
  const std::string plain = folded(key);
  for (const std::string_view known : kKeys) {
    if (folded(known) == plain) return known;
  }
  for (const auto& [older, known] : kOlderKeys) {
    if (older == plain) return known;
  }
  return key;
}

/// All of a file whose spelling is another one, in order, each once.
std::vector<Renaming> misspelt_keys(const Json& file) {
  std::vector<Renaming> renamings;
  std::vector<const Json*> pending{&file};
  for (std::size_t next = 0; next < pending.size(); ++next) {
    if (pending[next]->is_array()) {
      for (const Json& element : *pending[next]) pending.push_back(&element);
    }
    if (!pending[next]->is_object()) continue;
    for (const auto& [key, value] : pending[next]->items()) {
      const std::string known(known_key(key));
      const bool is_noted = std::any_of(renamings.begin(), renamings.end(),
                                        [&key = key](const Renaming& one) { return one.from == key; });
      if (known != key && !value.is_null() && !is_noted) renamings.push_back({key, known});
      // What others keep there has names of its own.
      const bool is_theirs = known == "BenchmarkConfig" || folded(key) == "metadata" || folded(key) == "verification";
      if (!is_theirs) pending.push_back(&value);
    }
  }
  return renamings;
}

}  // namespace

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

T1Document::T1Document(std::filesystem::path file, std::string_view text) : file_(std::move(file)) {
  KeyWatch watch;
  try {
    json_ = std::make_unique<const Json>(Json::parse(text, std::ref(watch)));
  } catch (const Json::parse_error& error) {
    const auto [line, column] = position(text, error.byte);
    throw Error(Errc::bad_description, fmt::format("{}:{}:{}: this is not JSON: {}.", file_.string(), line, column,
                                                   search::with_short_quotations(without_place(error.what()))));
  } catch (const Json::out_of_range& error) {
    throw Error(Errc::bad_description,
                fmt::format("{}: the number {} is greater than any that a computer reads; write a smaller one.",
                            file_.string(), search::shortened(quoted_in(error.what()))));
  }
  if (!watch.twice().empty()) {
    throw Error(Errc::bad_description, fmt::format("{}: the key `{}` occurs twice in one object; remove one.",
                                                   file_.string(), one_line(watch.twice(), kLongestPath)));
  }
  if (!json_->is_object()) {
    throw Error(
        Errc::bad_description,
        fmt::format(
            "{} is not a T1 description: it must be a JSON object with ConfigurationSpace and KernelSpecification.",
            file_.string()));
  }
}

T1Document::~T1Document() = default;

T1Node T1Document::root() {
  return T1Node(*this, *json_, "");
}

void T1Document::warn(const std::string& path, const std::string& sentence) {
  warnings_.push_back(
      fmt::format("{}: {}: {}", file_.string(), one_line(path, kLongestPath), search::with_short_quotations(sentence)));
}

void T1Document::report_unknown_keys() {
  for (const auto& [path, visited] : visited_) {
    for (const auto& [key, value] : visited.object->items()) {
      if (visited.asked.contains(key)) continue;
      const std::string nearest = suggestion(key, {visited.asked.begin(), visited.asked.end()}, ".");
      warn(path.empty() ? key : path + "." + key, "unknown key, which is not used" + nearest);
    }
  }
}

std::vector<std::string> T1Document::take_warnings() {
  if (!set_aside_.empty()) {
    warnings_.push_back(fmt::format("{}: not used here: {}.", file_.string(), fmt::join(set_aside_, ", ")));
    set_aside_.clear();
  }
  return std::exchange(warnings_, {});
}

bool T1Node::is_string() const {
  return json_->is_string();
}
bool T1Node::is_array() const {
  return json_->is_array();
}
bool T1Node::is_number() const {
  return json_->is_number();
}

T1Node T1Node::child(const Json& json, const std::string& step) const {
  if (step.starts_with('[')) return T1Node(*document_, json, path_ + step);
  return T1Node(*document_, json, path_.empty() ? step : path_ + "." + step);
}

std::optional<T1Node> T1Node::find(std::string_view key) const {
  if (!json_->is_object()) fail("must be an object in braces, not {}", json_->type_name());
  T1Document::Visited& visited = document_->visited_[path_];
  visited.object = json_;
  visited.asked.insert(std::string(key));
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return child(*found, std::string(key));
}

T1Node T1Node::need(std::string_view key) const {
  if (auto found = find(key)) return *std::move(found);
  const std::string wanted(key);
  std::vector<Renaming> renamings = misspelt_keys(*document_->json_);
  const bool is_there =
      std::any_of(renamings.begin(), renamings.end(), [&](const Renaming& one) { return one.to == wanted; });
  std::string written;
  for (const auto& [from, to] : renamings) {
    if (!is_there) break;
    written += written.empty() ? "; rename " : ", ";
    written += fmt::format("`{}` to `{}`", from, to);
  }
  throw Error(Errc::bad_description,
              fmt::format("{}: {}{}{} is missing{}.", document_->file().string(), one_line(path_, kLongestPath),
                          path_.empty() ? "" : ".", key, written));
}

std::vector<T1Node> T1Node::elements() const {
  if (!json_->is_array()) fail("must be a list in square brackets, not {}", json_->type_name());
  std::vector<T1Node> nodes;
  for (std::size_t i = 0; i < json_->size(); ++i) nodes.push_back(child((*json_)[i], fmt::format("[{}]", i)));
  return nodes;
}

const std::string& T1Node::string() const {
  if (!json_->is_string()) fail("must be a string, not {}", json_->type_name());
  return json_->get_ref<const std::string&>();
}

search::Value T1Node::value() const {
  if (json_->is_boolean()) return json_->get<bool>();
  if (json_->is_string()) return json_->get<std::string>();
  if (json_->is_number_unsigned() && json_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    fail("{} does not fit in 64 bits", json_->get<std::uint64_t>());
  }
  if (json_->is_number_integer()) return json_->get<std::int64_t>();
  if (json_->is_number_float()) return json_->get<double>();
  fail("must be a number, true, false or a string, not {}", json_->type_name());
}

std::int64_t T1Node::integer() const {
  const search::Value number = is_number() ? value() : search::Value(0.5);
  if (number.is_real() && (number.as_real() != std::floor(number.as_real()) || std::abs(number.as_real()) >= 0x1p63)) {
    fail("must be a whole number");
  }
  return number.as_integer();
}

bool T1Node::flag() const {
  const search::Value flag = value();
  if (flag.is_name() || (flag != search::Value(0) && flag != search::Value(1))) fail("must be true, false, 1 or 0");
  return flag.as_boolean();
}

std::vector<std::string> T1Node::keys() const {
  std::vector<std::string> keys;
  if (!json_->is_object()) fail("must be an object in braces, not {}", json_->type_name());
  for (const auto& [key, value] : json_->items()) keys.push_back(key);
  return keys;
}

bool T1Node::mentions(std::string_view word) const {
  std::vector<const Json*> pending{json_};
  while (!pending.empty()) {
    const Json& next = *pending.back();
    pending.pop_back();
    if (next.is_string() && has_word(next.get_ref<const std::string&>(), word)) return true;
    if (next.is_structured()) {
      for (const Json& element : next) pending.push_back(&element);
    }
  }
  return false;
}

void T1Node::fail(const std::string& sentence) const {
  const bool ends = sentence.ends_with('.') || sentence.ends_with('?');
  std::string text = fmt::format("{}: {}{}{}{}", document_->file().string(), one_line(path_, kLongestPath),
                                 path_.empty() ? "" : ": ", search::with_short_quotations(sentence), ends ? "" : ".");
  std::replace(text.begin(), text.end(), '\0', '?');  // of a JSON string; it would end the sentence
  throw Error(Errc::bad_description, text);
}

}  // namespace tuner
