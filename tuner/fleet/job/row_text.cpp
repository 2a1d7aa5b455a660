#include "tuner/fleet/job/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "tuner/error.hpp"

namespace tuner::fleet {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_row(std::string_view what) {
  throw Error(Errc::store_damaged,
              fmt::format("A row of the queue is not as it was written ({}), and nothing of its job was taken.", what));
}

/// Writes the fields of a described record.
class FieldWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& member) {
    object[name] = value(member);
  }
  Json object = Json::object();

 private:
  template <class T>
  static Json value(const T& member) {
    if constexpr (std::is_same_v<T, cache::Hash>) {
      return member.text;
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(member);
    } else {
      return member;
    }
  }
  template <class T>
  static Json value(const std::optional<T>& member) {
    return member ? value(*member) : Json(nullptr);
  }
  static Json value(const std::vector<cache::Tie>& ties) {
    Json list = Json::array();
    for (const cache::Tie& tie : ties) {
      FieldWriter writer;
      describe(writer, tie);
      list.push_back(std::move(writer.object));
    }
    return list;
  }
};

/// Reads them. A field that is not there stays as it is.
class FieldReader {
 public:
  explicit FieldReader(const Json& object) : object_(object) {
    if (!object.is_object()) refuse_row("a record is none");
  }
  template <class T>
  void operator()(const char* name, T& member) {
    const auto found = object_.find(name);
    if (found != object_.end()) read(*found, member);
  }

 private:
  template <class T>
  static void read(const Json& value, T& member) {
    if constexpr (std::is_same_v<T, cache::Hash>) {
      read(value, member.text);
    } else if constexpr (std::is_enum_v<T>) {
      int number = 0;
      read(value, number);
      const auto name = to_string(static_cast<T>(number));
      if (number < 0 || number > 255 || name == "unknown") refuse_row("a number stands for nothing that is known");
      member = static_cast<T>(number);
    } else {
      // A real number that is too large for an integer would become any.
      if (std::is_integral_v<T> && !std::is_same_v<T, bool> && !value.is_number_integer()) {
        refuse_row("a number is not whole");
      }
      try {
        member = value.get<T>();
      } catch (const nlohmann::json::exception&) {
        refuse_row("a value is of another kind");
      }
    }
  }
  template <class T>
  static void read(const Json& value, std::optional<T>& member) {
    member.reset();
    if (!value.is_null()) read(value, member.emplace());
  }
  static void read(const Json& value, std::vector<cache::Tie>& ties) {
    if (!value.is_array()) refuse_row("a list is none");
    ties.clear();
    for (const Json& each : value) {
      FieldReader reader(each);
      describe(reader, ties.emplace_back());
    }
  }

  const Json& object_;
};

template <class Record>
Json record_json(const Record& record) {
  FieldWriter writer;
  describe(writer, record);
  return std::move(writer.object);
}

template <class Record>
Record read_record(const Json& row) {
  const auto found = row.find("record");
  if (found == row.end()) refuse_row("it has no record");
  Record record;
  FieldReader reader(*found);
  describe(reader, record);
  return record;
}

std::string row_text(const char* kind, Json record) {
  const Json row{{"format", 1}, {"kind", kind}, {"record", std::move(record)}};
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string word(const Json& record, const char* name) {
  const auto found = record.find(name);
  if (found == record.end() || !found->is_string()) refuse_row("a text is none");
  return found->get<std::string>();
}

bool is_utf8(const std::string& text) try { return !Json(text).dump().empty(); } catch (const Json::type_error&) {
  return false;
}

/// JSON has no bytes: each byte as the character of that number, as in ISO 8859-1.
std::string characters_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code < 0x80) {
      text += byte;
    } else {
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return text;
}

std::string bytes_of(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = static_cast<unsigned char>(text[i]);
    if (code < 0x80) {
      bytes += text[i];
      continue;
    }
    if (code > 0xc3 || ++i == text.size()) refuse_row("a text is none of bytes");
    bytes += static_cast<char>((code & 0x03) << 6 | (static_cast<unsigned char>(text[i]) & 0x3f));
  }
  return bytes;
}

Json text_json(const cache::DecisionKey& key, const cache::DecisionText& text) {
  Json object = record_json(key);
  object["text_kind"] = to_string(text.kind);
  object["text_name"] = text.name;
  const bool is_text = is_utf8(text.text);
  object["text"] = is_text ? text.text : characters_of(text.text);
  if (!is_text) object["is_bytes"] = true;
  return object;
}

std::string text_in(const Json& record) {
  std::string text = word(record, "text");
  const auto is_bytes = record.find("is_bytes");
  return is_bytes != record.end() && *is_bytes == true ? bytes_of(text) : text;
}

}  // namespace

std::vector<std::string> row_texts(const cache::KeyRows& rows) {
  std::vector<std::string> texts;
  for (const cache::Trial& trial : rows.trials) texts.push_back(row_text("trial", record_json(trial)));
  if (!rows.decision) return texts;
  cache::Decision decision = *rows.decision;
  decision.row = 0;  // its number in a database that stays where it is
  texts.push_back(row_text("decision", record_json(decision)));
  for (const cache::DecisionText& text : rows.texts) texts.push_back(row_text("text", text_json(rows.key, text)));
  return texts;
}

std::vector<cache::KeyRows> rows_from_texts(const std::vector<std::string>& texts) {
  std::map<std::string, cache::KeyRows> keys;
  const auto rows_of = [&](const cache::DecisionKey& key) -> cache::KeyRows& {
    cache::KeyRows& rows = keys[key.text()];
    rows.key = key;
    return rows;
  };
  for (const std::string& text : std::set<std::string>(texts.begin(), texts.end())) {
    const Json row = Json::parse(text, nullptr, false);
    if (!row.is_object() || !row.contains("format") || row.at("format") != 1) refuse_row("its format is another one");
    const std::string kind = word(row, "kind");
    if (kind == "trial") {
      auto trial = read_record<cache::Trial>(row);
      rows_of(trial.key).trials.push_back(std::move(trial));
    } else if (kind == "decision") {
      auto decision = read_record<cache::Decision>(row);
      rows_of(decision.key).decision = std::move(decision);
    } else if (kind == "text") {
      const auto key = read_record<cache::DecisionKey>(row);
      const Json& record = row.at("record");
      const auto text_kind = cache::text_kind_from_string(word(record, "text_kind"));
      if (text_kind) rows_of(key).texts.push_back({*text_kind, word(record, "text_name"), text_in(record)});
    }
  }
  std::vector<cache::KeyRows> all;
  for (auto& [text, rows] : keys) {
    // In the order in which they were recorded: the latest of a configuration counts.
    std::sort(rows.trials.begin(), rows.trials.end(), [](const cache::Trial& a, const cache::Trial& b) {
      return std::tie(a.created_unix_ms, a.sequence) < std::tie(b.created_unix_ms, b.sequence);
    });
    all.push_back(std::move(rows));
  }
  return all;
}

}  // namespace tuner::fleet
