#include "tuner/engine_protocol/engine_wire.hpp"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "tuner/core/device/device_fields.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::service {
namespace {

using Json = nlohmann::json;

class BlobWriter {
 public:
  Json add(std::span<const std::byte> bytes) {
    all_.insert(all_.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }
  Json add(const std::string& text) { return add(std::as_bytes(std::span(text.data(), text.size()))); }
  Json add(const std::filesystem::path& path) { return add(path.string()); }

  Message message(const char* type, const Json& body) const {
    Message result{type, body.dump(-1, ' ', false, Json::error_handler_t::replace), {}};
    if (!all_.empty()) result.fds.push_back(memfd_from_bytes(all_, "tuner-job"));
    return result;
  }

 private:
  std::vector<std::byte> all_;
};

/// Takes them out in the order in which they were added.
class BlobReader {
 public:
  explicit BlobReader(const Message& message) {
    if (!message.fds.empty()) all_ = bytes_from_memfd(message.fds.front().get());
  }
  std::span<const std::byte> take(const Json& size_json) {
    const auto size = size_json.get<std::size_t>();
    if (size > all_.size() - at_) {
      throw Error(Errc::internal,
                  "A message between a program and its engine carries fewer bytes than it says; report this.");
    }
    const std::span<const std::byte> taken = std::span(all_).subspan(at_, size);
    at_ += size;
    return taken;
  }
  std::vector<std::byte> bytes(const Json& size) {
    const auto taken = take(size);
    return {taken.begin(), taken.end()};
  }
  std::string text(const Json& size) {
    const auto taken = take(size);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

 private:
  std::vector<std::byte> all_;
  std::size_t at_ = 0;
};

template <typename Read>
auto parsed(const Message& message, Read read) {
  try {
    return read(Json::parse(message.body));
  } catch (const Json::exception& error) {
    throw Error(Errc::internal,
                "A message '" + message.type +
                    "' between a program and its engine has another form than expected: " + error.what() + ".");
  }
}

// JSON has no infinity; an interval may end there.
Json real(double value) {
  return std::isfinite(value) ? Json(value) : Json(value > 0 ? "inf" : value < 0 ? "-inf" : "nan");
}
double real(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto word = json.get<std::string>();
  return word == "inf" ? HUGE_VAL : word == "-inf" ? -HUGE_VAL : NAN;
}

Json maybe(const std::optional<double>& value) {
  return value ? real(*value) : Json();
}
std::optional<double> maybe(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(real(json));
}

// ---- Jobs ----

Json encode(const JobSubject& subject, BlobWriter& blobs) {
  Json device = Json::object();
  visit_device(subject.device, [&](const char* name, const auto& member) { device[name] = member; });
  Json problem = Json::object();
  for (const auto& [name, value] : subject.problem) problem[name] = value.text();
  Json json = {{"kernel", subject.kernel}, {"problem", problem}, {"device", device}};
  json["text"] = blobs.add(subject.text);
  json["file"] = blobs.add(subject.file);
  json["database"] = blobs.add(subject.database);
  Json headers = Json::array();
  for (const QuotedHeader& header : subject.headers) {
    Json name = blobs.add(header.name);
    headers.push_back({std::move(name), blobs.add(header.text)});
  }
  json["headers"] = std::move(headers);
  return json;
}

JobSubject decode_subject(const Json& json, BlobReader& blobs) {
  JobSubject subject;
  json.at("kernel").get_to(subject.kernel);
  for (const auto& [name, value] : json.at("problem").items())
    subject.problem.emplace(name, search::Value::parse(value.get<std::string>()));
  visit_device(subject.device, [&](const char* name, auto& member) { json.at("device").at(name).get_to(member); });
  subject.text = blobs.text(json.at("text"));
  subject.file = blobs.text(json.at("file"));
  subject.database = blobs.text(json.at("database"));
  for (const Json& header : json.at("headers")) {
    std::string name = blobs.text(header.at(0));
    subject.headers.push_back({std::move(name), blobs.text(header.at(1))});
  }
  return subject;
}

// ---- Decisions ----

Json encode(const cache::Decision& decision) {
  Json ties = Json::array();
  for (const cache::Tie& tie : decision.ties) ties.push_back({tie.configuration, real(tie.relative_time)});
  const cache::DecisionKey& key = decision.key;
  const cache::Conditions& conditions = decision.conditions;
  return {{"key", {key.kernel_name, key.kernel_identity, key.problem, key.device, key.mode, key.objective}},
          {"reuse_hash", decision.reuse_hash},
          {"session", decision.session},
          {"configuration", decision.configuration},
          {"baseline", decision.baseline},
          {"time_ns", real(decision.time_ns)},
          {"baseline_time_ns", maybe(decision.baseline_time_ns)},
          {"speedup", maybe(decision.speedup)},
          {"speedup_low", maybe(decision.speedup_low)},
          {"speedup_high", maybe(decision.speedup_high)},
          {"confidence", real(decision.confidence)},
          {"ties", ties},
          {"race_blocks", decision.race_blocks},
          {"verified", decision.verified},
          {"awkward_sizes", decision.awkward_sizes},
          {"noisy", decision.noisy},
          {"contended", decision.contended},
          {"binary_hash", decision.binary_hash},
          {"launch", decision.launch},
          {"counters", decision.counters},
          {"conditions", {conditions.tuner_version, conditions.toolkit, conditions.driver}},
          {"origin", static_cast<int>(decision.origin)},
          {"created_unix_ms", decision.created_unix_ms},
          {"row", decision.row}};
}

cache::Decision decode_decision(const Json& json) {
  cache::Decision decision;
  const Json& key = json.at("key");
  cache::DecisionKey& parts = decision.key;
  std::size_t at = 0;
  for (std::string* part :
       {&parts.kernel_name, &parts.kernel_identity, &parts.problem, &parts.device, &parts.mode, &parts.objective}) {
    key.at(at++).get_to(*part);
  }
  json.at("reuse_hash").get_to(decision.reuse_hash);
  json.at("session").get_to(decision.session);
  json.at("configuration").get_to(decision.configuration);
  json.at("baseline").get_to(decision.baseline);
  decision.time_ns = real(json.at("time_ns"));
  decision.baseline_time_ns = maybe(json.at("baseline_time_ns"));
  decision.speedup = maybe(json.at("speedup"));
  decision.speedup_low = maybe(json.at("speedup_low"));
  decision.speedup_high = maybe(json.at("speedup_high"));
  decision.confidence = real(json.at("confidence"));
  for (const Json& tie : json.at("ties")) decision.ties.push_back({tie.at(0).get<std::string>(), real(tie.at(1))});
  json.at("race_blocks").get_to(decision.race_blocks);
  json.at("verified").get_to(decision.verified);
  json.at("awkward_sizes").get_to(decision.awkward_sizes);
  json.at("noisy").get_to(decision.noisy);
  json.at("contended").get_to(decision.contended);
  json.at("binary_hash").get_to(decision.binary_hash);
  json.at("launch").get_to(decision.launch);
  json.at("counters").get_to(decision.counters);
  const Json& conditions = json.at("conditions");
  conditions.at(0).get_to(decision.conditions.tuner_version);
  conditions.at(1).get_to(decision.conditions.toolkit);
  conditions.at(2).get_to(decision.conditions.driver);
  decision.origin = static_cast<cache::Origin>(json.at("origin").get<int>());
  json.at("created_unix_ms").get_to(decision.created_unix_ms);
  json.at("row").get_to(decision.row);
  return decision;
}

}  // namespace

Ticket ticket_of(const Message& message) {
  return parsed(message, [](const Json& json) { return json.at("ticket").get<Ticket>(); });
}

Message encode(Ticket ticket, const CompileJob& job) {
  BlobWriter blobs;
  Json body = {{"ticket", ticket}, {"subject", encode(job.subject, blobs)}};
  body["configuration"] = job.configuration;
  body["limit_ms"] = job.limit.count();
  return blobs.message(kCompile, body);
}

CompileJob decode_compile(const Message& message) {
  return parsed(message, [&](const Json& json) {
    BlobReader blobs(message);
    CompileJob job;
    job.subject = decode_subject(json.at("subject"), blobs);
    json.at("configuration").get_to(job.configuration);
    job.limit = std::chrono::milliseconds(json.at("limit_ms").get<std::int64_t>());
    return job;
  });
}

Message encode(Ticket ticket, const CompileAnswer& answer) {
  BlobWriter blobs;
  return blobs.message(kCompiled, {{"ticket", ticket},
                                   {"outcome", static_cast<int>(answer.outcome)},
                                   {"message", answer.message},
                                   {"lowered_name", answer.lowered_name},
                                   {"binary_hash", answer.binary_hash},
                                   {"cubin", blobs.add(answer.cubin)}});
}

CompileAnswer decode_compiled(const Message& message) {
  return parsed(message, [&](const Json& json) {
    BlobReader blobs(message);
    CompileAnswer answer;
    answer.outcome = static_cast<Outcome>(json.at("outcome").get<int>());
    json.at("message").get_to(answer.message);
    json.at("lowered_name").get_to(answer.lowered_name);
    json.at("binary_hash").get_to(answer.binary_hash);
    answer.cubin = blobs.bytes(json.at("cubin"));
    return answer;
  });
}

Message encode(const TuneJob& job) {
  BlobWriter blobs;
  Json body = {{"subject", encode(job.subject, blobs)},  {"mode", job.mode},
               {"evaluations", job.evaluations},         {"share", maybe(job.share)},
               {"compile_workers", job.compile_workers}, {"launch_timeout_ms", job.launch_timeout.count()},
               {"since_unix_ms", job.since_unix_ms},     {"serving", job.serving}};
  body["limit_ms"] = job.limit ? Json(job.limit->count()) : Json();
  return blobs.message(kTune, body);
}

TuneJob decode_tune(const Message& message) {
  return parsed(message, [&](const Json& json) {
    BlobReader blobs(message);
    TuneJob job;
    job.subject = decode_subject(json.at("subject"), blobs);
    json.at("mode").get_to(job.mode);
    json.at("evaluations").get_to(job.evaluations);
    if (!json.at("limit_ms").is_null()) job.limit = std::chrono::milliseconds(json.at("limit_ms").get<std::int64_t>());
    job.share = maybe(json.at("share"));
    json.at("compile_workers").get_to(job.compile_workers);
    job.launch_timeout = std::chrono::milliseconds(json.at("launch_timeout_ms").get<std::int64_t>());
    json.at("since_unix_ms").get_to(job.since_unix_ms);
    json.at("serving").get_to(job.serving);
    return job;
  });
}

Message encode(const TuneAnswer& answer) {
  BlobWriter blobs;
  Json body = {{"decided", answer.result == TuneAnswer::Result::decided},
               {"message", answer.message},
               {"decision", encode(answer.decision)},
               {"cut_short", answer.cut_short},
               {"gain_low", maybe(answer.gain_low)},
               {"lowered_name", answer.lowered_name}};
  body["database"] = blobs.add(answer.database);
  body["cubin"] = blobs.add(answer.cubin);
  return blobs.message(kTuned, body);
}

TuneAnswer decode_tuned(const Message& message) {
  return parsed(message, [&](const Json& json) {
    BlobReader blobs(message);
    TuneAnswer answer;
    answer.result = json.at("decided").get<bool>() ? TuneAnswer::Result::decided : TuneAnswer::Result::failed;
    json.at("message").get_to(answer.message);
    answer.decision = decode_decision(json.at("decision"));
    answer.cut_short = json.at("cut_short");
    answer.gain_low = maybe(json.at("gain_low"));
    json.at("lowered_name").get_to(answer.lowered_name);
    answer.database = blobs.text(json.at("database"));
    answer.cubin = blobs.bytes(json.at("cubin"));
    return answer;
  });
}

}  // namespace tuner::service
