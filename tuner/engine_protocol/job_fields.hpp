#pragma once

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/device/device_fields.hpp"
#include "tuner/effort.hpp"
#include "tuner/engine_protocol/jobs.hpp"
#include "tuner/process/header_fields.hpp"

// The fields of jobs and answers, as packed_text.hpp wants them; a decision describes its own.

namespace tuner {

void describe(auto& fields, JobSubject& subject) {
  auto& [text, file, kernel, headers, problem, device, database] = subject;
  fields("text", text)("file", file)("kernel", kernel)("headers", headers)("problem", problem)("device", device);
  fields("database", database);
}

void describe(auto& fields, CompileJob& job) {
  auto& [subject, configuration, limit] = job;
  fields("subject", subject)("configuration", configuration)("limit_ms", limit);
}

void describe(auto& fields, CompileAnswer& answer) {
  auto& [outcome, message, cubin] = answer;
  fields("outcome", outcome)("message", message)("cubin", cubin);
}

void describe(auto& fields, TuneJob& job) {
  auto& [subject, timing, effort, evaluations, limit, share, compile_workers, launch_timeout, since_unix_ms, serving] =
      job;
  fields("subject", subject)("timing", timing)("effort", effort)("evaluations", evaluations);
  fields("limit_ms", limit)("share", share);
  fields("compile_workers", compile_workers)("launch_timeout_ms", launch_timeout)("since_unix_ms", since_unix_ms);
  fields("serving", serving);
}

void describe(auto& fields, TuneAnswer& answer) {
  auto& [result, message, decision, cut_short, gain_low, database, cubin] = answer;
  fields("result", result)("message", message)("decision", decision)("cut_short", cut_short)("gain_low", gain_low);
  fields("database", database)("cubin", cubin);
}

}  // namespace tuner
