#pragma once

#include "tuner/engine/compile/compile.hpp"
#include "tuner/process/header_fields.hpp"

// The fields of requests to the compiler and its replies, as record.hpp wants them.

namespace tuner {

void describe(auto& fields, KernelParameter& parameter) {
  auto& [offset, size] = parameter;
  fields("offset", offset)("size", size);
}

}  // namespace tuner

namespace tuner::cache {

void describe(auto& fields, ResourceFacts& facts) {
  auto& [registers, stack, spill_stores, spill_loads, static_shared, dynamic_shared, occupancy, limiter, hash] = facts;
  fields("registers", registers)("stack_bytes", stack)("spill_store_bytes", spill_stores);
  fields("spill_load_bytes", spill_loads)("static_shared_bytes", static_shared);
  fields("dynamic_shared_bytes", dynamic_shared)("occupancy", occupancy)("occupancy_limiter", limiter);
  fields("binary_hash", hash);
}

}  // namespace tuner::cache

namespace tuner::engine {

void describe(auto& fields, CompileRequest& request) {
  auto& [configuration, source, file_name, name_expression, architecture, options, headers, front_end_only] = request;
  fields("configuration", configuration)("source", source)("file_name", file_name);
  fields("name_expression", name_expression)("architecture", architecture)("options", options)("headers", headers);
  fields("front_end_only", front_end_only);
}

void describe(auto& fields, CompileReply& reply) {
  auto& [outcome, message, log, cubin, lowered_name, parameters, facts, toolkit, milliseconds] = reply;
  fields("outcome", outcome)("message", message)("log", log)("cubin", cubin)("lowered_name", lowered_name);
  fields("parameters", parameters)("facts", facts)("toolkit", toolkit)("milliseconds", milliseconds);
}

}  // namespace tuner::engine
