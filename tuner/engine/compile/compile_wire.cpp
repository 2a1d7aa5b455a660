#include "tuner/engine/compile/compile_wire.hpp"

#include <nlohmann/json.hpp>

namespace tuner::engine {
namespace {

using nlohmann::json;

// Names of files need not be UTF-8; what is no text is replaced, never refused.
std::string dump(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Message plain(const char* type, const json& object) {
  return {type, dump(object), {}};
}

template <typename Read>
auto parsed(const Message& message, Read read) {
  try {
    return read(json::parse(message.body));
  } catch (const json::exception& error) {
    throw Error(Errc::internal, "A message '" + message.type +
                                    "' of the compile workers has another form than expected: " + error.what() + ".");
  }
}

int fd_at(const Message& message, std::size_t index) {
  if (index >= message.fds.size())
    throw Error(Errc::internal, "A message '" + message.type + "' of the compile workers came without its data.");
  return message.fds[index].get();
}

json optional_number(const std::optional<int>& value) {
  return value ? json(*value) : json();
}

std::optional<int> optional_number(const json& object, const char* name) {
  const json& value = object.at(name);
  return value.is_null() ? std::nullopt : std::optional(value.get<int>());
}

}  // namespace

Message to_message(const HelperStart& start) {
  json folders = json::array();
  for (const std::filesystem::path& folder : start.include_folders) folders.push_back(folder.string());
  return plain(kStart, {{"architecture", start.architecture},
                        {"include_folders", folders},
                        {"all_builtins", start.builtins == Builtins::all},
                        {"niceness", start.niceness},
                        {"warm_up", start.warm_up}});
}

HelperStart start_from(const Message& message) {
  return parsed(message, [](const json& object) {
    HelperStart start;
    object.at("architecture").get_to(start.architecture);
    for (const json& folder : object.at("include_folders"))
      start.include_folders.emplace_back(folder.get<std::string>());
    object.at("niceness").get_to(start.niceness);
    object.at("warm_up").get_to(start.warm_up);
    start.builtins = object.at("all_builtins").get<bool>() ? Builtins::all : Builtins::small_first;
    return start;
  });
}

Message to_message(const HelperReady& ready) {
  return plain(kReady, {{"toolkit", ready.toolkit}});
}

HelperReady ready_from(const Message& message) {
  return parsed(message, [](const json& object) { return HelperReady{object.at("toolkit").get<std::string>()}; });
}

Message to_message(const ReplaceWorker& replace) {
  return plain(kReplace, {{"slot", replace.slot}});
}

ReplaceWorker replace_from(const Message& message) {
  return parsed(message, [](const json& object) { return ReplaceWorker{object.at("slot").get<int>()}; });
}

Message to_message(const NewWorker& worker, UniqueFd channel) {
  Message message = plain(kWorker, {{"slot", worker.slot}, {"pid", worker.pid}, {"previous_end", worker.previous_end}});
  message.fds.push_back(std::move(channel));
  return message;
}

NewWorker worker_from(const Message& message) {
  return parsed(message, [](const json& object) {
    return NewWorker{object.at("slot").get<int>(), object.at("pid").get<pid_t>(),
                     object.at("previous_end").get<std::string>()};
  });
}

Message to_message(const HelperFailure& failure) {
  return plain(kFailed, {{"code", static_cast<int>(failure.code)}, {"sentence", failure.sentence}});
}

HelperFailure failure_from(const Message& message) {
  return parsed(message, [](const json& object) {
    return HelperFailure{static_cast<Errc>(object.at("code").get<int>()), object.at("sentence").get<std::string>()};
  });
}

// Texts travel as files in memory: they may be large, and need not be UTF-8.
Message to_message(const char* type, const CompileRequest& request) {
  json headers = json::array();
  for (const MemoryHeader& header : request.headers) headers.push_back(header.name);
  Message message = plain(type, {{"configuration", request.configuration},
                                 {"file_name", request.file_name},
                                 {"name_expression", request.name_expression},
                                 {"architecture", request.architecture},
                                 {"options", request.options},
                                 {"front_end_only", request.front_end_only},
                                 {"headers", headers}});
  message.fds.push_back(memfd_from_text(request.source, "tuner-source"));
  for (const MemoryHeader& header : request.headers)
    message.fds.push_back(memfd_from_text(header.text, "tuner-header"));
  return message;
}

CompileRequest request_from(const Message& message) {
  return parsed(message, [&](const json& object) {
    CompileRequest request;
    object.at("configuration").get_to(request.configuration);
    object.at("file_name").get_to(request.file_name);
    object.at("name_expression").get_to(request.name_expression);
    object.at("architecture").get_to(request.architecture);
    object.at("options").get_to(request.options);
    object.at("front_end_only").get_to(request.front_end_only);
    request.source = text_from_memfd(fd_at(message, 0));
    for (const json& name : object.at("headers")) {
      const std::size_t index = 1 + request.headers.size();
      request.headers.push_back({name.get<std::string>(), text_from_memfd(fd_at(message, index))});
    }
    return request;
  });
}

Message to_message(const CompileReply& reply) {
  json parameters = json::array();
  for (const KernelParameter& parameter : reply.parameters) parameters.push_back({parameter.offset, parameter.size});
  Message message = plain(kCompiled, {{"outcome", static_cast<int>(reply.outcome)},
                                      {"message", reply.message},
                                      {"lowered_name", reply.lowered_name},
                                      {"parameters", parameters},
                                      {"registers", optional_number(reply.facts.registers)},
                                      {"stack", optional_number(reply.facts.stack_bytes)},
                                      {"spill_stores", optional_number(reply.facts.spill_store_bytes)},
                                      {"spill_loads", optional_number(reply.facts.spill_load_bytes)},
                                      {"static_shared", optional_number(reply.facts.static_shared_bytes)},
                                      {"hash", reply.facts.binary_hash},
                                      {"toolkit", reply.toolkit},
                                      {"milliseconds", reply.milliseconds}});
  message.fds.push_back(memfd_from_text(reply.log, "tuner-log"));
  message.fds.push_back(memfd_from_bytes(reply.cubin, "tuner-cubin"));
  return message;
}

CompileReply reply_from(const Message& message) {
  return parsed(message, [&](const json& object) {
    CompileReply reply;
    reply.outcome = static_cast<Outcome>(object.at("outcome").get<int>());
    object.at("message").get_to(reply.message);
    object.at("lowered_name").get_to(reply.lowered_name);
    for (const json& parameter : object.at("parameters"))
      reply.parameters.push_back({parameter.at(0).get<std::uint32_t>(), parameter.at(1).get<std::uint32_t>()});
    reply.facts.registers = optional_number(object, "registers");
    reply.facts.stack_bytes = optional_number(object, "stack");
    reply.facts.spill_store_bytes = optional_number(object, "spill_stores");
    reply.facts.spill_load_bytes = optional_number(object, "spill_loads");
    reply.facts.static_shared_bytes = optional_number(object, "static_shared");
    object.at("hash").get_to(reply.facts.binary_hash);
    object.at("toolkit").get_to(reply.toolkit);
    object.at("milliseconds").get_to(reply.milliseconds);
    reply.log = text_from_memfd(fd_at(message, 0));
    reply.cubin = bytes_from_memfd(fd_at(message, 1));
    return reply;
  });
}

}  // namespace tuner::engine
