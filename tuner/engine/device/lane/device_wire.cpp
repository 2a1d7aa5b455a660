#include "tuner/engine/device/lane/device_wire.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "tuner/core/device/device_fields.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::engine {
namespace {

using Json = nlohmann::json;

// Real numbers that JSON cannot say travel as words.
Json real(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
double real(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string word = json.get<std::string>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  return word == "inf" ? HUGE_VAL : -HUGE_VAL;
}

// ---- Binaries ----

class BlobWriter {
 public:
  Json add(const std::vector<std::byte>& bytes) {
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }
  void attach(Message& message) const {
    if (!all_.empty()) message.fds.push_back(memfd_from_bytes(all_, "tuner-binaries"));
  }

 private:
  std::vector<std::byte> all_;
};

class BlobReader {
 public:
  explicit BlobReader(const Message& message) {
    if (!message.fds.empty()) all_ = bytes_from_memfd(message.fds.front().get());
  }
  std::vector<std::byte> take(const Json& size_json) {
    const auto size = size_json.get<std::size_t>();
    if (size > all_.size() - at_) {
      throw Error(Errc::internal,
                  "A message between the tuner's processes carries fewer bytes than it says; report this.");
    }
    const auto from = all_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += size;
    return {from, from + static_cast<std::ptrdiff_t>(size)};
  }

 private:
  std::vector<std::byte> all_;
  std::size_t at_ = 0;
};

// ---- Values ----

Json encode(const ScreenPolicy& policy) {
  return {{"samples", policy.samples},
          {"kill_after_first", real(policy.kill_after_first)},
          {"kill_after_second", real(policy.kill_after_second)},
          {"enough_after_first", real(policy.enough_after_first)},
          {"early_kill", policy.early_kill},
          {"uninterrupted_after", policy.uninterrupted_after}};
}

ScreenPolicy decode_policy(const Json& json) {
  ScreenPolicy policy;
  policy.samples = json.at("samples").get<int>();
  policy.kill_after_first = real(json.at("kill_after_first"));
  policy.kill_after_second = real(json.at("kill_after_second"));
  policy.enough_after_first = real(json.at("enough_after_first"));
  policy.early_kill = json.at("early_kill").get<bool>();
  policy.uninterrupted_after = json.at("uninterrupted_after").get<int>();
  return policy;
}

Json encode(const Isolation& isolation) {
  Json json = {{"diagnose", isolation.diagnose}};
  if (isolation.launch_timeout) json["launch_timeout_ms"] = isolation.launch_timeout->count();
  return json;
}

Isolation decode_isolation(const Json& json) {
  Isolation isolation;
  isolation.diagnose = json.at("diagnose").get<bool>();
  if (json.contains("launch_timeout_ms"))
    isolation.launch_timeout = std::chrono::milliseconds(json.at("launch_timeout_ms").get<std::int64_t>());
  return isolation;
}

Json encode(const DataFile& file, BlobWriter& blobs) {
  // Names of files need not be UTF-8.
  const auto name = std::as_bytes(std::span(file.path.native()));
  return {{"path", blobs.add({name.begin(), name.end()})},
          {"offset", file.offset},
          {"bytes", file.bytes},
          {"hash", file.hash}};
}

DataFile decode_file(const Json& json, BlobReader& blobs) {
  const std::vector<std::byte> name = blobs.take(json.at("path"));
  return {std::string(reinterpret_cast<const char*>(name.data()), name.size()), json.at("offset").get<std::uint64_t>(),
          json.at("bytes").get<std::uint64_t>(), json.at("hash").get<std::string>()};
}

Json encode(const BoundArgument& argument, BlobWriter& blobs) {
  Json json = {{"name", argument.name},
               {"role", static_cast<int>(argument.role)},
               {"type", std::string(to_string(argument.type))},
               {"lanes", argument.lanes},
               {"length", argument.length},
               {"generator", static_cast<int>(argument.generator)},
               {"parameters", {real(argument.generator_parameters[0]), real(argument.generator_parameters[1])}},
               {"rtol", real(argument.rtol)},
               {"atol", real(argument.atol)},
               {"alignment", argument.alignment},
               {"partial", argument.is_partial},
               {"value", argument.value.text()}};
  if (argument.file) json["file"] = encode(*argument.file, blobs);
  if (argument.expected) json["expected"] = encode(*argument.expected, blobs);
  return json;
}

BoundArgument decode_argument(const Json& json, BlobReader& blobs) {
  BoundArgument argument;
  argument.name = json.at("name").get<std::string>();
  argument.role = static_cast<Argument::Role>(json.at("role").get<int>());
  argument.type = element_type_from_string(json.at("type").get<std::string>());
  argument.lanes = json.at("lanes").get<int>();
  argument.length = json.at("length").get<std::uint64_t>();
  argument.generator = static_cast<Generator::Kind>(json.at("generator").get<int>());
  argument.generator_parameters = {real(json.at("parameters").at(0)), real(json.at("parameters").at(1))};
  argument.rtol = real(json.at("rtol"));
  argument.atol = real(json.at("atol"));
  argument.alignment = json.at("alignment").get<std::uint64_t>();
  argument.value = search::Value::parse(json.at("value").get<std::string>());
  argument.is_partial = json.at("partial").get<bool>();
  if (json.contains("file")) argument.file = decode_file(json.at("file"), blobs);
  if (json.contains("expected")) argument.expected = decode_file(json.at("expected"), blobs);
  return argument;
}

Json encode(const Candidate& candidate, BlobWriter& blobs) {
  Json parameters = Json::array();
  for (const KernelParameter& parameter : candidate.parameters)
    parameters.push_back({parameter.offset, parameter.size});
  Json json = {{"configuration", candidate.configuration},
               {"cubin", blobs.add(candidate.cubin)},
               {"name", candidate.lowered_name},
               {"parameters", parameters},
               {"grid", candidate.geometry.grid},
               {"block", candidate.geometry.block},
               {"shared", candidate.geometry.shared_bytes},
               {"scratch", candidate.scratch_lengths}};
  if (candidate.takes) json["takes"] = *candidate.takes;
  return json;
}

Candidate decode_candidate(const Json& json, BlobReader& blobs) {
  Candidate candidate;
  candidate.configuration = json.at("configuration").get<std::string>();
  candidate.cubin = blobs.take(json.at("cubin"));
  candidate.lowered_name = json.at("name").get<std::string>();
  for (const Json& parameter : json.at("parameters")) {
    candidate.parameters.push_back({parameter.at(0).get<std::uint32_t>(), parameter.at(1).get<std::uint32_t>()});
  }
  json.at("grid").get_to(candidate.geometry.grid);
  json.at("block").get_to(candidate.geometry.block);
  candidate.geometry.shared_bytes = json.at("shared").get<std::uint32_t>();
  json.at("scratch").get_to(candidate.scratch_lengths);
  if (json.contains("takes")) json.at("takes").get_to(candidate.takes.emplace());
  return candidate;
}

Json encode(const DeviceInfo& info) {
  Json json = Json::object();
  visit_device(info, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

DeviceInfo decode_device(const Json& json) {
  DeviceInfo info;
  visit_device(info, [&](const char* name, auto& value) { json.at(name).get_to(value); });
  return info;
}

// ---- Requests ----

Message message_of(std::string type, Json body, const BlobWriter& blobs = {}) {
  body["version"] = kDeviceWireVersion;
  Message message;
  message.type = std::move(type);
  // Texts of the driver and of users may not be UTF-8.
  message.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
  blobs.attach(message);
  return message;
}

// Runs `read` on the message's body, turning what JSON throws into an Error.
template <typename Read>
auto read_body(const Message& message, Read read) {
  try {
    const Json body = Json::parse(message.body);
    if (const int version = body.at("version").get<int>(); version != kDeviceWireVersion) {
      throw Error(Errc::no_worker,
                  fmt::format("A device worker speaks version {} of its messages and this program version {}; install "
                              "program and workers from one build.",
                              version, kDeviceWireVersion));
    }
    return read(body);
  } catch (const Json::exception& error) {
    throw Error(Errc::internal,
                fmt::format("A '{}' message between the tuner's processes cannot be read: {}; report this.",
                            message.type, error.what()));
  }
}

struct Encoder {
  Message operator()(const PrepareProblem& request) const {
    BlobWriter blobs;
    Json arguments = Json::array();
    for (const BoundArgument& argument : request.arguments) arguments.push_back(encode(argument, blobs));
    return message_of("prepare",
                      {{"arguments", arguments},
                       {"seed", request.seed},
                       {"deterministic", request.deterministic},
                       {"cold", request.mode == CacheMode::cold},
                       {"support", blobs.add(request.support_cubin)},
                       {"launch_timeout_ms", request.launch_timeout.count()}},
                      blobs);
  }
  Message operator()(const RunReference& request) const {
    BlobWriter blobs;
    return message_of("reference",
                      {{"candidate", encode(request.candidate, blobs)},
                       {"policy", encode(request.policy)},
                       {"isolation", encode(request.isolation)}},
                      blobs);
  }
  Message operator()(const ScreenCandidate& request) const {
    BlobWriter blobs;
    Json body = {{"candidate", encode(request.candidate, blobs)},
                 {"policy", encode(request.policy)},
                 {"isolation", encode(request.isolation)}};
    if (request.best_ns) body["best_ns"] = real(*request.best_ns);
    return message_of("screen", body, blobs);
  }
  Message operator()(const LoadFinalists& request) const {
    BlobWriter blobs;
    Json candidates = Json::array();
    for (const Candidate& candidate : request.candidates) candidates.push_back(encode(candidate, blobs));
    return message_of("finalists", {{"candidates", candidates}, {"launches", request.launches}}, blobs);
  }
  Message operator()(const RunBlock& request) const {
    return message_of("block", {{"order", request.order}, {"launches", request.launches}});
  }
  Message operator()(const RecheckFinalist& request) const {
    return message_of("recheck",
                      {{"finalist", request.finalist}, {"launches", request.launches}, {"wins", request.wins}});
  }
  Message operator()(const ConfirmCandidate& request) const {
    BlobWriter blobs;
    // In this order, which is the order of reading.
    Json reference = encode(request.reference, blobs);
    Json candidate = encode(request.candidate, blobs);
    return message_of("confirm",
                      {{"reference", reference},
                       {"candidate", candidate},
                       {"seed", request.seed},
                       {"isolation", encode(request.isolation)}},
                      blobs);
  }
};

}  // namespace

Message encode_request(const DeviceRequest& request) {
  return std::visit(Encoder{}, request);
}

DeviceRequest decode_request(const Message& message) {
  return read_body(message, [&](const Json& body) -> DeviceRequest {
    BlobReader blobs(message);
    if (message.type == "prepare") {
      PrepareProblem request;
      for (const Json& argument : body.at("arguments")) request.arguments.push_back(decode_argument(argument, blobs));
      request.seed = body.at("seed").get<std::uint64_t>();
      request.deterministic = body.at("deterministic").get<bool>();
      request.mode = body.at("cold").get<bool>() ? CacheMode::cold : CacheMode::warm;
      request.support_cubin = blobs.take(body.at("support"));
      request.launch_timeout = std::chrono::milliseconds(body.at("launch_timeout_ms").get<std::int64_t>());
      return request;
    }
    if (message.type == "reference")
      return RunReference{decode_candidate(body.at("candidate"), blobs), decode_policy(body.at("policy")),
                          decode_isolation(body.at("isolation"))};
    if (message.type == "screen") {
      ScreenCandidate request{decode_candidate(body.at("candidate"), blobs),
                              decode_policy(body.at("policy")),
                              {},
                              decode_isolation(body.at("isolation"))};
      if (body.contains("best_ns")) request.best_ns = real(body.at("best_ns"));
      return request;
    }
    if (message.type == "finalists") {
      LoadFinalists request;
      for (const Json& candidate : body.at("candidates"))
        request.candidates.push_back(decode_candidate(candidate, blobs));
      request.launches = body.at("launches").get<int>();
      return request;
    }
    if (message.type == "block")
      return RunBlock{body.at("order").get<std::vector<std::size_t>>(), body.at("launches").get<int>()};
    if (message.type == "recheck")
      return RecheckFinalist{body.at("finalist").get<std::size_t>(), body.at("launches").get<int>(),
                             body.at("wins").get<bool>()};
    if (message.type == "confirm") {
      ConfirmCandidate request;
      request.reference = decode_candidate(body.at("reference"), blobs);
      request.candidate = decode_candidate(body.at("candidate"), blobs);
      request.seed = body.at("seed").get<std::uint64_t>();
      request.isolation = decode_isolation(body.at("isolation"));
      return request;
    }
    throw Error(
        Errc::internal,
        fmt::format("A device worker was sent a '{}' message, which it does not know; report this.", message.type));
  });
}

Message encode_reply(const WorkerReply& answer) {
  const DeviceReply& reply = answer.reply;
  Json samples = Json::array();
  for (const double sample : reply.samples_ns) samples.push_back(real(sample));
  Json not_compared = Json::array();
  for (const NotCompared& each : reply.not_compared) {
    not_compared.push_back({each.buffer, each.elements, each.first, each.of});
  }
  Json body = {{"ends", answer.ends},
               {"outcome", static_cast<int>(reply.outcome)},
               {"message", reply.message},
               {"samples_ns", samples},
               {"censored", reply.censored},
               {"occupancy_limiter", reply.occupancy_limiter},
               {"local_bytes", reply.local_bytes},
               {"not_compared", not_compared},
               {"launches", reply.launches},
               {"disturbed", reply.disturbed},
               {"sm_clock_mhz", real(reply.sm_clock_mhz)},
               {"load_ms", real(reply.load_ms)},
               {"verify_ms", real(reply.verify_ms)},
               {"timing_ms", real(reply.timing_ms)},
               {"reference_failed", reply.reference_failed},
               {"launches_per_sample", reply.launches_per_sample},
               {"unfenced", reply.unfenced},
               {"other_processes", reply.other_processes}};
  if (reply.culprit) body["culprit"] = *reply.culprit;
  if (reply.occupancy) body["occupancy"] = real(*reply.occupancy);
  return message_of("reply", body);
}

WorkerReply decode_reply(const Message& message) {
  return read_body(message, [](const Json& body) {
    WorkerReply answer;
    DeviceReply& reply = answer.reply;
    answer.ends = body.at("ends").get<bool>();
    reply.outcome = static_cast<Outcome>(body.at("outcome").get<int>());
    reply.message = body.at("message").get<std::string>();
    for (const Json& sample : body.at("samples_ns")) reply.samples_ns.push_back(real(sample));
    reply.censored = body.at("censored").get<bool>();
    if (body.contains("occupancy")) reply.occupancy = real(body.at("occupancy"));
    reply.occupancy_limiter = body.at("occupancy_limiter").get<std::string>();
    reply.local_bytes = body.at("local_bytes").get<int>();
    for (const Json& each : body.at("not_compared")) {
      reply.not_compared.push_back({each.at(0).get<std::string>(), each.at(1).get<std::uint64_t>(),
                                    each.at(2).get<std::uint64_t>(), each.at(3).get<std::uint64_t>()});
    }
    reply.launches = body.at("launches").get<int>();
    reply.disturbed = body.at("disturbed").get<bool>();
    reply.sm_clock_mhz = real(body.at("sm_clock_mhz"));
    reply.load_ms = real(body.at("load_ms"));
    reply.verify_ms = real(body.at("verify_ms"));
    reply.timing_ms = real(body.at("timing_ms"));
    reply.reference_failed = body.at("reference_failed").get<bool>();
    reply.launches_per_sample = body.at("launches_per_sample").get<int>();
    reply.unfenced = body.at("unfenced").get<std::string>();
    body.at("other_processes").get_to(reply.other_processes);
    if (body.contains("culprit")) reply.culprit = body.at("culprit").get<std::size_t>();
    return answer;
  });
}

Message encode_hello(const DeviceInfo& device) {
  return message_of("hello", {{"device", encode(device)}});
}
DeviceInfo decode_hello(const Message& message) {
  return read_body(message, [](const Json& body) { return decode_device(body.at("device")); });
}

Message encode_ready() {
  return message_of("ready", Json::object());
}

Message encode_devices(const std::vector<DeviceInfo>& devices) {
  Json list = Json::array();
  for (const DeviceInfo& device : devices) list.push_back(encode(device));
  return message_of("devices", {{"devices", list}});
}
std::vector<DeviceInfo> decode_devices(const Message& message) {
  return read_body(message, [](const Json& body) {
    std::vector<DeviceInfo> devices;
    for (const Json& device : body.at("devices")) devices.push_back(decode_device(device));
    return devices;
  });
}

Message encode_error(const Error& error) {
  return message_of("error", {{"code", static_cast<int>(error.code())}, {"message", error.what()}});
}
Error decode_error(const Message& message) {
  return read_body(message, [](const Json& body) {
    return Error(static_cast<Errc>(body.at("code").get<int>()), body.at("message").get<std::string>());
  });
}

}  // namespace tuner::engine
