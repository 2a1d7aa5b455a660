#include "tuner/process/record.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "tuner/process/fd.hpp"

namespace tuner {

using Json = nlohmann::json;

namespace {

constexpr std::size_t kLongText = 256;

/// Nothing for text that is not UTF-8.
std::optional<std::string> json_text(std::string_view text) {
  try {
    return Json(text).dump();
  } catch (const Json::type_error&) {
    return std::nullopt;
  }
}

}  // namespace

void RecordWriter::token(std::string_view text) {
  const char before = body_.back();
  if (before != '{' && before != '[' && before != ':') body_ += ',';
  body_ += text;
}

void RecordWriter::key(std::string_view name) {
  token(Json(name).dump(-1, ' ', false, Json::error_handler_t::replace));
  body_ += ':';
}

void RecordWriter::open(char bracket) {
  token({&bracket, 1});
}

void RecordWriter::close(char bracket) {
  body_ += bracket;
}

void RecordWriter::write(bool value) {
  token(value ? "true" : "false");
}

// JSON has no word for these: an interval may end at infinity.
void RecordWriter::write(double value) {
  if (std::isfinite(value)) return token(Json(value).dump());
  token(std::isnan(value) ? R"("nan")" : value > 0 ? R"("inf")" : R"("-inf")");
}

void RecordWriter::write(const std::string& text) {
  if (text.size() <= kLongText) {
    if (const std::optional<std::string> json = json_text(text)) return token(*json);
  }
  const auto bytes = std::as_bytes(std::span(text));
  blob_.insert(blob_.end(), bytes.begin(), bytes.end());
  write(text.size());
}

void RecordWriter::write(const std::vector<std::byte>& bytes) {
  blob_.insert(blob_.end(), bytes.begin(), bytes.end());
  write(bytes.size());
}

Message RecordWriter::message(std::string type) && {
  Message message{std::move(type), std::move(body_) + '}', {}};
  if (!blob_.empty()) message.fds.push_back(memfd_from_bytes(blob_, "tuner-message"));
  return message;
}

struct RecordReader::State {
  const Message& message;
  Json root;
  std::vector<const Json*> at;  ///< from the root to what is being read
  std::string_view field;       ///< the latest that was asked for
  std::optional<std::vector<std::byte>> blob;
  std::size_t taken = 0;  ///< of it

  const Json& now() const { return *at.back(); }

  std::span<const std::byte> take(std::size_t size) {
    if (!blob) {
      blob.emplace();
      if (!message.fds.empty()) blob = bytes_from_memfd(message.fds.front().get());
    }
    if (size > blob->size() - taken) {
      throw Error(Errc::internal,
                  "A '" + message.type +
                      "' message between the tuner's processes has fewer bytes than it claims; report this.");
    }
    return std::span(*blob).subspan(std::exchange(taken, taken + size), size);
  }
};

RecordReader::RecordReader(const Message& message)
    : state_(std::make_unique<State>(State{message, Json::parse(message.body, nullptr, false), {}, {}, {}, 0})) {
  state_->at.push_back(&state_->root);
  expect_object();
}

RecordReader::~RecordReader() = default;

void RecordReader::refuse(const std::string& why) const {
  throw Error(Errc::internal, "A '" + state_->message.type +
                                  "' message between the tuner's processes cannot be read: '" +
                                  std::string(state_->field) + "': " + why + "; report this.");
}

void RecordReader::enter(std::string_view field) {
  const Json& object = state_->now();
  state_->field = field;
  const auto found = object.find(field);
  if (found == object.end()) refuse("it is missing");
  state_->at.push_back(&*found);
}

void RecordReader::enter(std::size_t element) {
  const Json& list = state_->now();
  if (!list.is_array() || element >= list.size()) refuse("a list is shorter than expected");
  state_->at.push_back(&list[element]);
}

void RecordReader::leave() {
  state_->at.pop_back();
}

bool RecordReader::is_null() const {
  return state_->now().is_null();
}

std::size_t RecordReader::list_size() const {
  if (!state_->now().is_array()) refuse("a list was expected");
  return state_->now().size();
}

void RecordReader::expect_object() const {
  if (!state_->now().is_object()) refuse("an object was expected");
}

std::vector<std::string> RecordReader::names() const {
  expect_object();
  std::vector<std::string> names;
  for (const auto& [name, value] : state_->now().items()) names.push_back(name);
  return names;
}

std::int64_t RecordReader::integer(std::int64_t least, std::int64_t greatest) const {
  const Json& json = state_->now();
  constexpr auto kGreatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > kGreatest);
  const std::int64_t value = fits ? json.get<std::int64_t>() : 0;
  if (!fits || value < least || value > greatest) refuse("a number has an unexpected value");
  return value;
}

std::uint64_t RecordReader::natural(std::uint64_t greatest) const {
  const Json& json = state_->now();
  const std::uint64_t value = json.is_number_unsigned() ? json.get<std::uint64_t>() : 0;
  if (!json.is_number_unsigned() || value > greatest) refuse("a number has an unexpected value");
  return value;
}

void RecordReader::read(bool& value) {
  if (!state_->now().is_boolean()) refuse("true or false was expected");
  value = state_->now().get<bool>();
}

void RecordReader::read(double& value) {
  const Json& json = state_->now();
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "nan") {
    value = NAN;
  } else if (json == "inf" || json == "-inf") {
    value = json == "inf" ? HUGE_VAL : -HUGE_VAL;
  } else {
    refuse("a number was expected");
  }
}

void RecordReader::read(std::string& text) {
  const Json& json = state_->now();
  if (json.is_string()) {
    text = json.get<std::string>();
  } else {
    const auto bytes = state_->take(natural(std::numeric_limits<std::size_t>::max()));
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

void RecordReader::read(std::filesystem::path& path) {
  std::string native;
  read(native);
  path = std::move(native);
}

void RecordReader::read(std::vector<std::byte>& bytes) {
  const auto taken = state_->take(natural(std::numeric_limits<std::size_t>::max()));
  bytes.assign(taken.begin(), taken.end());
}

namespace {

struct Failure {
  int code = 0;
  std::string sentence;
};

void describe(auto& fields, Failure& failure) {
  auto& [code, sentence] = failure;
  fields("code", code)("sentence", sentence);
}

}  // namespace

Message to_message(const Error& error) {
  return to_message(kErrorMessage, Failure{static_cast<int>(error.code()), error.what()});
}

Error error_from(const Message& message) {
  const auto failure = from_message<Failure>(message);
  return {static_cast<Errc>(failure.code), failure.sentence};
}

}  // namespace tuner
