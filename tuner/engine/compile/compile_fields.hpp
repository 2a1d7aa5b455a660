#pragma once

#include "tuner/core/binary/parameter_fields.hpp"
#include "tuner/engine/compile/compile.hpp"
#include "tuner/process/header_fields.hpp"

// The fields of requests to the compiler and its replies, as packed_text.hpp wants them.

namespace tuner::sources {

void describe(auto& fields, CompilerCommand& command) {
  auto& [program, folder, arguments, environment] = command;
  fields("program", program)("folder", folder)("arguments", arguments)("environment", environment);
}

void describe(auto& fields, SourceOfBuild& recorded) {
  auto& [command, source, linked] = recorded;
  fields("command", command)("source", source)("linked", linked);
}

}  // namespace tuner::sources

namespace tuner::engine {

void describe(auto& fields, NvccSource& nvcc) {
  auto& [recorded, version, toolkit] = nvcc;
  fields("recorded", recorded)("version", version)("toolkit", toolkit);
}

void describe(auto& fields, CompileRequest& request) {
  auto& [configuration, source, file_name, name_expression, architecture, options, headers, macros, front_end_only,
         keeps_ptx, nvcc] = request;
  fields("configuration", configuration)("source", source)("file_name", file_name);
  fields("name_expression", name_expression)("architecture", architecture)("options", options)("headers", headers);
  fields("macros", macros)("front_end_only", front_end_only)("keeps_ptx", keeps_ptx)("nvcc", nvcc);
}

void describe(auto& fields, CompileReply& reply) {
  auto& [outcome, message, log, cubin, ptx, parameters, facts, toolkit, milliseconds] = reply;
  fields("outcome", outcome)("message", message)("log", log)("cubin", cubin)("ptx", ptx);
  fields("parameters", parameters)("facts", facts)("toolkit", toolkit)("milliseconds", milliseconds);
}

}  // namespace tuner::engine
