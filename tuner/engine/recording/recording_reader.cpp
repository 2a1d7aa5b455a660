// Reading recordings. docs/recordings.md is the grammar.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/device/device_fields.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/engine/recording/foreign.hpp"
#include "tuner/engine/recording/recording.hpp"
#include "tuner/engine/recording/recording_beginning.hpp"
#include "tuner/engine/recording/text_lines.hpp"

namespace tuner::engine {

namespace {

/// Rows, which take half a kilobyte of memory each.
constexpr std::size_t kMostRows = std::size_t{1} << 22;

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        field += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == separator && !quoted) {
      fields.push_back(std::move(field));
      field.clear();
    } else {
      field += line[i];
    }
  }
  fields.push_back(std::move(field));
  return fields;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Of the first line that is not blank, without the blanks around it.
bool begins_recording(std::string_view line) {
  return line.starts_with("#space ");
}

/// Reads line by line and knows where it is, for messages.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) { recording_.file = file; }

  Recording read(TextLines& lines) {
    for (std::string_view line; lines.next(line);) {
      ++line_;
      read_line(trim(line));
    }
    line_ = std::max(line_, 1);
    if (!versioned_) fail("it does not start with `#space 1`, so it is not a recorded space");
    if (columns_.empty()) fail("it ends before the line that names the columns; the file is truncated");
    if (recording_.trials.empty()) fail("it contains no configuration; the file is truncated");
    if (recording_.kernel.empty()) fail("there is no `#kernel` line, so it is unknown what was measured");
    if (recording_.device.name.empty()) fail("there is no `#gpu` line, so it is unknown where it was measured");
    finish();
    return std::move(recording_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::bad_recording,
                fmt::format("{}:{}: {}.", recording_.file.string(), line_, search::with_short_quotations(what)));
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (!versioned_ && !begins_recording(line)) {
      fail("it does not start with `#space 1`, so it is not a recorded space");
    }
    if (line[0] == '#') {
      const std::size_t space = std::min(line.find(' '), line.size());
      read_header(line.substr(1, space - 1), trim(line.substr(space)));
    } else if (columns_.empty()) {
      read_columns(split(line, ','));
    } else {
      read_row(split(line, ','));
    }
  }

  void read_header(std::string_view keyword, std::string_view rest) {
    const std::string value(rest);
    Recording& r = recording_;
    const std::map<std::string_view, std::string*> texts{{"kernel", &r.kernel},
                                                         {"gpu", &r.device.name},
                                                         {"identity", &r.kernel_identity},
                                                         {"problem", &r.problem},
                                                         {"date", &r.date},
                                                         {"tuner", &r.conditions.tuner_version},
                                                         {"toolkit", &r.conditions.toolkit},
                                                         {"baseline", &baseline_},
                                                         {"winner", &r.winner},
                                                         {"shared", &r.shared_bytes},
                                                         {"work_bytes", &r.work_bytes},
                                                         {"work_flops", &r.work_flops}};
    const std::map<std::string_view, std::vector<std::string>*> lists{
        {"restriction", &r.restrictions}, {"grid", &r.grid}, {"block", &r.block}};
    if (const auto text = texts.find(keyword); text != texts.end()) {
      *text->second = value;
    } else if (const auto list = lists.find(keyword); list != lists.end()) {
      list->second->push_back(value);
    } else if (keyword == "space") {
      if (value != "1") fail(fmt::format("format version `{}` is unknown; this program reads version 1", value));
      versioned_ = true;
    } else if (keyword == "mode") {
      if (!timing_from_string(value)) fail(fmt::format("the mode must be `cold` or `warm`, not `{}`", value));
      r.mode = value;
    } else if (keyword == "device") {
      const nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
      if (!json.is_object()) fail("`#device` needs a JSON object");
      visit_device(r.device, [&](const char* name, auto& member) { read_member(json, name, member); });
    } else if (keyword == "driver") {
      r.conditions.driver = r.device.driver_version = value;
    } else if (keyword == "param") {
      if (!columns_.empty()) fail("a parameter is declared after the line that names the columns; move it above");
      read_parameter(rest);
    } else if (keyword == "let") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos) fail("`#let` needs NAME = EXPRESSION");
      r.lets.emplace_back(trim(rest.substr(0, equals)), trim(rest.substr(equals + 1)));
    }
    // Other keywords (#source, #licence, #count, #stat, …) inform people.
  }

  template <typename Member>
  void read_member(const nlohmann::json& json, const char* name, Member& member) const {
    const auto found = json.find(name);
    if (found == json.end()) return;
    if constexpr (std::is_arithmetic_v<Member>) {
      if (!found->is_number()) fail(fmt::format("`{}` of `#device` must be a number", name));
    } else {
      if (!found->is_string()) fail(fmt::format("`{}` of `#device` must be a string", name));
      // It becomes part of a key, of names and of comments.
      const auto& text = found->template get_ref<const std::string&>();
      const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
      if (std::any_of(text.begin(), text.end(), is_control))
        fail(fmt::format("`{}` of `#device` contains a control character; it must be a string of one line", name));
    }
    found->get_to(member);
  }

  void read_parameter(std::string_view rest) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) fail("`#param` needs a name and its values");
    search::Parameter parameter;
    parameter.name = std::string(rest.substr(0, space));
    for (const std::string& text : split(trim(rest.substr(space)), ',')) {
      parameter.values.push_back(search::Value::parse(text));
    }
    parameter.default_value = parameter.values.front();
    recording_.parameters.push_back(std::move(parameter));
  }

  void read_columns(std::vector<std::string> columns) {
    columns_ = std::move(columns);
    if (columns_.size() <= recording_.parameters.size()) fail("the columns must be every parameter and then `status`");
    for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
      if (columns_[i] != recording_.parameters[i].name) {
        fail(fmt::format("column {} is `{}`, but the parameter declared there is `{}`", i + 1, columns_[i],
                         recording_.parameters[i].name));
      }
    }
    if (column("status") == columns_.size()) fail("there is no column `status`");
    for (const search::Parameter& parameter : recording_.parameters) {
      most_rows_ = parameter.values.size() > kMostRows / most_rows_ ? kMostRows : most_rows_ * parameter.values.size();
    }
  }

  std::size_t column(std::string_view name) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) - columns_.begin());
  }

  std::string_view field(const std::vector<std::string>& fields, std::string_view name) const {
    const std::size_t i = column(name);
    return i < fields.size() ? std::string_view(fields[i]) : std::string_view();
  }

  /// NaN and infinity too: what was no time.
  double any_number(std::string_view text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) fail(fmt::format("`{}` is not a number", text));
    return value;
  }

  double number(std::string_view text) const {
    const double value = any_number(text);
    if (!std::isfinite(value)) fail(fmt::format("`{}` is not a number", text));
    return value;
  }

  double number_or(std::string_view text, double otherwise) const { return text.empty() ? otherwise : number(text); }

  template <class Number>
  void read(std::string_view text, std::optional<Number>& value) const {
    if (!text.empty()) value = static_cast<Number>(number(text));
  }
  void read(std::string_view text, std::string& value) const { value = text; }
  void read(std::string_view text, cache::Hash& value) const { value.text = text; }

  std::vector<double> any_numbers(std::string_view text) const {
    std::vector<double> values;
    if (text.empty()) return values;
    for (const std::string& part : split(text, ' ')) values.push_back(any_number(part));
    return values;
  }

  /// A row whose times are none is one that failed.
  void read_times(const std::vector<std::string>& fields, RecordedTrial& trial) const {
    const std::string_view time = field(fields, "time_ms");
    trial.time_ns = time.empty() ? 0 : 1e6 * any_number(time);
    trial.samples_ns = any_numbers(field(fields, "samples_ns"));
    trial.race_ns = any_numbers(field(fields, "race_ns"));
    if (trial.outcome == Outcome::ok && trial.samples_ns.empty()) trial.samples_ns.push_back(trial.time_ns);
    if (is_time(trial.time_ns) && std::all_of(trial.samples_ns.begin(), trial.samples_ns.end(), is_time) &&
        std::all_of(trial.race_ns.begin(), trial.race_ns.end(), is_time))
      return;
    if (trial.outcome == Outcome::ok) {
      trial.outcome = Outcome::launch_refused;
      trial.message = is_time(trial.time_ns) ? "recorded with a sample that is no time above zero"
                      : time.empty()         ? "recorded without a time"
                                             : fmt::format("recorded with a time of {}", time);
    }
    trial.time_ns = 0;
    trial.samples_ns.clear();
    trial.race_ns.clear();
  }

  void read_row(const std::vector<std::string>& fields) {
    if (fields.size() != columns_.size()) {
      fail(fmt::format("the row has {} fields, but {} are declared; the file may be truncated", fields.size(),
                       columns_.size()));
    }
    if (recording_.trials.size() == most_rows_) {
      fail(fmt::format("there are more rows than the {} configurations of the parameters", most_rows_));
    }
    RecordedTrial trial;
    for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
      const search::Parameter& parameter = recording_.parameters[i];
      const auto found = std::find(parameter.values.begin(), parameter.values.end(), search::Value::parse(fields[i]));
      if (found == parameter.values.end()) {
        fail(fmt::format("`{}` is not among the declared values of {}", fields[i], parameter.name));
      }
      trial.configuration.choice.push_back(static_cast<std::uint32_t>(found - parameter.values.begin()));
    }
    read_status(field(fields, "status"), trial);
    read_times(fields, trial);
    trial.relative_deviation = number_or(field(fields, "rel_sd"), 0);
    trial.compile_ms = number_or(field(fields, "compile_ms"), 0);
    trial.verify_ms = number_or(field(fields, "verify_ms"), 0);
    trial.bench_ms = number_or(field(fields, "bench_ms"), 0);
    const auto read_fact = [&](const char* name, auto& fact) { read(field(fields, name), fact); };
    describe(read_fact, trial.facts);
    trial.launch = std::string(field(fields, "launch"));
    if (trial.message.empty()) trial.message = std::string(field(fields, "message"));
    recording_.trials.push_back(std::move(trial));
  }

  void read_status(std::string_view status, RecordedTrial& trial) const {
    if (status == "run_error") {  // what foreign recordings call every failure after compiling
      trial.outcome = Outcome::launch_refused;
      trial.message = "recorded as run_error";
    } else if (const auto outcome = outcome_from_string(status)) {
      trial.outcome = *outcome;
    } else {
      fail(fmt::format("`{}` is not a status; write ok, compile_error, run_error or another class of failure", status));
    }
  }

  void finish() {
    if (baseline_.empty()) return;
    try {
      recording_.baseline = search::Space(recording_.parameters, {}, {}).parse(baseline_);
    } catch (const Error& error) {
      throw Error(Errc::bad_recording,
                  fmt::format("{}: the line `#baseline`: {}", recording_.file.string(), error.what()));
    }
  }

  Recording recording_;
  int line_ = 0;
  bool versioned_ = false;
  std::string baseline_;
  std::vector<std::string> columns_;
  std::size_t most_rows_ = 1;
};

}  // namespace

bool begins_as_recording(UniqueHandle<int, close, -1> descriptor) try {
  GzFile file(gzdopen(descriptor.get(), "rb"), gzclose);
  if (!file) return false;
  descriptor.release();  // closed with the file
  TextLines lines("", std::move(file));
  for (std::string_view line; lines.next(line);) {
    if (const std::string_view text = trim(line); !text.empty()) return begins_recording(text);
  }
  return false;
} catch (const Error&) {  // what cannot be unpacked, or has no end
  return false;
}

Recording read_recording(const std::filesystem::path& file) {
  TextLines lines(file);
  if (lines.first() == '{') return read_foreign(file, lines.rest(kMostForeignText));
  return Reader(file).read(lines);
}

}  // namespace tuner::engine
