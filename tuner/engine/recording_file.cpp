// Reading and writing recordings. docs/recordings.md is the grammar.
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>

#include "tuner/engine/recording.hpp"

namespace tuner::engine {

namespace {

using GzFile = std::unique_ptr<gzFile_s, int (*)(gzFile)>;

std::string read_text(const std::filesystem::path& path) {
  GzFile file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) {
    throw Error(Errc::file_not_found,
                fmt::format("The recording {} cannot be opened; check the path and its permissions.", path.string()));
  }
  std::string text;
  char buffer[65536];
  int count = 0;
  while ((count = gzread(file.get(), buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(count));
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    throw Error(Errc::bad_recording,
                fmt::format("The recording {} cannot be unpacked: the file is damaged or cut short.", path.string()));
  }
  return text;
}

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

std::string quote(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Shortest digits that read back the same.
std::string digits(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return std::string(buffer, end);
}

std::string join(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += ' ';
    text += digits(number);
  }
  return text;
}

nlohmann::json device_json(const DeviceInfo& device) {
  return {{"compute_major", device.compute_major},
          {"compute_minor", device.compute_minor},
          {"sm_count", device.sm_count},
          {"memory_bytes", device.memory_bytes},
          {"l2_bytes", device.l2_bytes},
          {"mig_profile", device.mig_profile},
          {"warp_size", device.warp_size},
          {"max_threads_per_block", device.max_threads_per_block},
          {"max_threads_per_sm", device.max_threads_per_sm},
          {"max_blocks_per_sm", device.max_blocks_per_sm},
          {"registers_per_sm", device.registers_per_sm},
          {"registers_per_block", device.registers_per_block},
          {"max_shared_per_block", device.max_shared_per_block},
          {"max_shared_per_sm", device.max_shared_per_sm},
          {"reserved_shared_per_block", device.reserved_shared_per_block},
          {"clock_khz", device.clock_khz},
          {"memory_clock_khz", device.memory_clock_khz},
          {"memory_bus_bits", device.memory_bus_bits}};
}

void read_device(const nlohmann::json& json, DeviceInfo& device) {
  device.compute_major = json.value("compute_major", 0);
  device.compute_minor = json.value("compute_minor", 0);
  device.sm_count = json.value("sm_count", 0);
  device.memory_bytes = json.value("memory_bytes", std::uint64_t{0});
  device.l2_bytes = json.value("l2_bytes", std::uint64_t{0});
  device.mig_profile = json.value("mig_profile", "");
  device.warp_size = json.value("warp_size", 32);
  device.max_threads_per_block = json.value("max_threads_per_block", 0);
  device.max_threads_per_sm = json.value("max_threads_per_sm", 0);
  device.max_blocks_per_sm = json.value("max_blocks_per_sm", 0);
  device.registers_per_sm = json.value("registers_per_sm", 0);
  device.registers_per_block = json.value("registers_per_block", 0);
  device.max_shared_per_block = json.value("max_shared_per_block", 0);
  device.max_shared_per_sm = json.value("max_shared_per_sm", 0);
  device.reserved_shared_per_block = json.value("reserved_shared_per_block", 0);
  device.clock_khz = json.value("clock_khz", 0);
  device.memory_clock_khz = json.value("memory_clock_khz", 0);
  device.memory_bus_bits = json.value("memory_bus_bits", 0);
}

/// Reads line by line and knows where it is, for messages.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) { recording_.file = file; }

  Recording read() {
    const std::string text = read_text(recording_.file);
    std::size_t begin = 0;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      ++line_;
      read_line(trim(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    if (!versioned_) fail("it does not start with `#space 1`, so it is not a recorded space");
    if (columns_.empty()) fail("it ends before the line that names the columns; the file is cut short");
    if (recording_.trials.empty()) fail("it holds no configuration; the file is cut short");
    finish();
    return std::move(recording_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Errc::bad_recording, fmt::format("{}:{}: {}.", recording_.file.string(), line_, what));
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (line[0] == '#') {
      const std::size_t space = std::min(line.find(' '), line.size());
      read_header(line.substr(1, space - 1), trim(line.substr(space)));
    } else if (!versioned_) {
      fail("it does not start with `#space 1`, so it is not a recorded space");
    } else if (columns_.empty()) {
      read_columns(split(line, ','));
    } else {
      read_row(split(line, ','));
    }
  }

  void read_header(std::string_view keyword, std::string_view rest) {
    const std::string value(rest);
    if (keyword == "space") {
      if (value != "1") fail(fmt::format("format version `{}` is unknown; this program reads version 1", value));
      versioned_ = true;
    } else if (keyword == "kernel") {
      recording_.kernel = value;
    } else if (keyword == "gpu") {
      recording_.device.name = value;
    } else if (keyword == "identity") {
      recording_.kernel_identity = value;
    } else if (keyword == "problem") {
      recording_.problem = value;
    } else if (keyword == "date") {
      recording_.date = value;
    } else if (keyword == "mode") {
      recording_.mode = value;
    } else if (keyword == "device") {
      const nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
      if (!json.is_object()) fail("`#device` needs a JSON object");
      read_device(json, recording_.device);
    } else if (keyword == "tuner") {
      recording_.conditions.tuner_version = value;
    } else if (keyword == "toolkit") {
      recording_.conditions.toolkit = value;
    } else if (keyword == "driver") {
      recording_.conditions.driver = recording_.device.driver_version = value;
    } else if (keyword == "baseline") {
      baseline_ = value;
    } else if (keyword == "winner") {
      recording_.winner = value;
    } else if (keyword == "param") {
      read_parameter(rest);
    } else if (keyword == "restriction") {
      recording_.restrictions.push_back(value);
    } else if (keyword == "let") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos) fail("`#let` needs NAME = EXPRESSION");
      recording_.lets.emplace_back(trim(rest.substr(0, equals)), trim(rest.substr(equals + 1)));
    } else if (keyword == "grid") {
      recording_.grid.push_back(value);
    } else if (keyword == "block") {
      recording_.block.push_back(value);
    } else if (keyword == "shared") {
      recording_.shared_bytes = value;
    } else if (keyword == "work_bytes") {
      recording_.work_bytes = value;
    } else if (keyword == "work_flops") {
      recording_.work_flops = value;
    }
    // Other keywords (#source, #licence, #count, #stat, …) inform people.
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
  }

  std::size_t column(std::string_view name) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) - columns_.begin());
  }

  std::string_view field(const std::vector<std::string>& fields, std::string_view name) const {
    const std::size_t i = column(name);
    return i < fields.size() ? std::string_view(fields[i]) : std::string_view();
  }

  double number(std::string_view text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(fmt::format("`{}` is not a number", text));
    }
    return value;
  }

  double number_or(std::string_view text, double otherwise) const { return text.empty() ? otherwise : number(text); }

  std::optional<int> count(std::string_view text) const {
    if (text.empty()) return std::nullopt;
    return static_cast<int>(number(text));
  }

  std::vector<double> numbers(std::string_view text) const {
    std::vector<double> values;
    if (text.empty()) return values;
    for (const std::string& part : split(text, ' ')) values.push_back(number(part));
    return values;
  }

  void read_row(const std::vector<std::string>& fields) {
    if (fields.size() != columns_.size()) {
      fail(fmt::format("the row has {} fields where {} are declared; the file may be cut short", fields.size(),
                       columns_.size()));
    }
    RecordedTrial trial;
    for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
      const search::Parameter& parameter = recording_.parameters[i];
      const auto found =
          std::find(parameter.values.begin(), parameter.values.end(), search::Value::parse(fields[i]));
      if (found == parameter.values.end()) {
        fail(fmt::format("`{}` is not among the declared values of {}", fields[i], parameter.name));
      }
      trial.configuration.choice.push_back(static_cast<std::uint32_t>(found - parameter.values.begin()));
    }
    read_status(field(fields, "status"), trial);
    trial.time_ns = 1e6 * number_or(field(fields, "time_ms"), 0);
    trial.compile_ms = number_or(field(fields, "compile_ms"), 0);
    trial.verify_ms = number_or(field(fields, "verify_ms"), 0);
    trial.bench_ms = number_or(field(fields, "bench_ms"), 0);
    trial.samples_ns = numbers(field(fields, "samples_ns"));
    trial.race_ns = numbers(field(fields, "race_ns"));
    if (trial.outcome == Outcome::ok) {
      if (trial.samples_ns.empty()) trial.samples_ns.push_back(trial.time_ns);
      if (!(trial.samples_ns.front() > 0)) fail("a configuration that is `ok` needs a time above zero");
    }
    trial.facts.registers = count(field(fields, "registers"));
    trial.facts.stack_bytes = count(field(fields, "stack_bytes"));
    trial.facts.spill_store_bytes = count(field(fields, "spill_store_bytes"));
    trial.facts.spill_load_bytes = count(field(fields, "spill_load_bytes"));
    trial.facts.static_shared_bytes = count(field(fields, "static_shared_bytes"));
    trial.facts.dynamic_shared_bytes = count(field(fields, "dynamic_shared_bytes"));
    if (const auto text = field(fields, "occupancy"); !text.empty()) trial.facts.occupancy = number(text);
    trial.facts.occupancy_limiter = std::string(field(fields, "occupancy_limiter"));
    trial.facts.binary_hash = std::string(field(fields, "binary_hash"));
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
      fail(fmt::format("`{}` is not a status", status));
    }
  }

  void finish() {
    if (baseline_.empty()) return;
    search::Space names(recording_.parameters, {}, {});
    recording_.baseline = names.parse(baseline_);
  }

  Recording recording_;
  int line_ = 0;
  bool versioned_ = false;
  std::string baseline_;
  std::vector<std::string> columns_;
};

double relative_deviation(const std::vector<double>& samples) {
  if (samples.size() < 2) return 0;
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1)) / mean;
}

std::string header(const Recording& recording) {
  std::string text = "#space 1\n";
  const auto line = [&](std::string_view keyword, const std::string& value) {
    if (!value.empty()) text += fmt::format("#{} {}\n", keyword, value);
  };
  line("kernel", recording.kernel);
  line("identity", recording.kernel_identity);
  line("gpu", recording.device.name);
  line("problem", recording.problem);
  line("mode", recording.mode);
  line("date", recording.date);
  line("tuner", recording.conditions.tuner_version);
  line("toolkit", recording.conditions.toolkit);
  line("driver", recording.conditions.driver);
  line("device", device_json(recording.device).dump());
  for (const search::Parameter& parameter : recording.parameters) {
    std::string values;
    for (const search::Value& value : parameter.values) values += (values.empty() ? "" : ",") + quote(value.text());
    line("param", parameter.name + " " + values);
  }
  for (const auto& [name, expression] : recording.lets) line("let", name + " = " + expression);
  for (const std::string& expression : recording.grid) line("grid", expression);
  for (const std::string& expression : recording.block) line("block", expression);
  line("shared", recording.shared_bytes);
  line("work_bytes", recording.work_bytes);
  line("work_flops", recording.work_flops);
  for (const std::string& restriction : recording.restrictions) line("restriction", restriction);
  if (recording.baseline) {
    line("baseline", search::Space(recording.parameters, {}, {}).text(*recording.baseline));
  }
  line("winner", recording.winner);
  return text;
}

constexpr std::string_view kColumns =
    "status,time_ms,rel_sd,compile_ms,verify_ms,bench_ms,samples_ns,race_ns,registers,stack_bytes,spill_store_bytes,"
    "spill_load_bytes,static_shared_bytes,dynamic_shared_bytes,occupancy,occupancy_limiter,binary_hash,launch,message";

std::string row(const Recording& recording, const RecordedTrial& trial) {
  const bool ok = trial.outcome == Outcome::ok;
  const auto optional = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string(); };
  std::string text;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    text += quote(recording.parameters[i].values[trial.configuration.choice[i]].text()) + ',';
  }
  text += fmt::format("{},{},{},", to_string(trial.outcome), ok ? digits(trial.time_ns / 1e6) : "",
                      ok ? fmt::format("{:.5f}", relative_deviation(trial.samples_ns)) : "");
  text += fmt::format("{:.3f},{:.3f},{:.3f},{},{},", trial.compile_ms, trial.verify_ms, trial.bench_ms,
                      join(trial.samples_ns), join(trial.race_ns));
  const cache::ResourceFacts& facts = trial.facts;
  text += fmt::format("{},{},{},{},{},{},{},", optional(facts.registers), optional(facts.stack_bytes),
                      optional(facts.spill_store_bytes), optional(facts.spill_load_bytes),
                      optional(facts.static_shared_bytes), optional(facts.dynamic_shared_bytes),
                      facts.occupancy ? digits(*facts.occupancy) : "");
  text += fmt::format("{},{},{},{}\n", facts.occupancy_limiter, quote(facts.binary_hash), quote(trial.launch),
                      quote(trial.message));
  return text;
}

}  // namespace

Recording read_recording(const std::filesystem::path& file) { return Reader(file).read(); }

void write_recording(const Recording& recording, const std::filesystem::path& file) {
  std::string text = header(recording);
  for (const search::Parameter& parameter : recording.parameters) text += quote(parameter.name) + ',';
  text += std::string(kColumns) + '\n';
  for (const RecordedTrial& trial : recording.trials) text += row(recording, trial);

  const std::filesystem::path unfinished = fmt::format("{}.{}.unfinished", file.string(), getpid());
  GzFile out(gzopen(unfinished.c_str(), file.extension() == ".gz" ? "wb9" : "wbT"), gzclose);
  const auto cannot_write = [&] {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    return Error(Errc::bad_usage, fmt::format("The recording {} cannot be written; check that its folder exists, is "
                                              "writable and has space.", file.string()));
  };
  if (!out) throw cannot_write();
  const bool written = gzwrite(out.get(), text.data(), static_cast<unsigned>(text.size())) ==
                       static_cast<int>(text.size());
  if (gzclose(out.release()) != Z_OK || !written) throw cannot_write();
  std::error_code renamed;
  std::filesystem::rename(unfinished, file, renamed);
  if (renamed) throw cannot_write();
}

}  // namespace tuner::engine
