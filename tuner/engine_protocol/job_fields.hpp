#pragma once

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/device/device_fields.hpp"
#include "tuner/engine_protocol/jobs.hpp"
#include "tuner/process/header_fields.hpp"

// The fields of jobs and answers, as record.hpp wants them.

namespace tuner::cache {

void describe(auto& fields, DecisionKey& key) {
  auto& [kernel_name, kernel_identity, problem, device, mode, objective] = key;
  fields("kernel_name", kernel_name)("kernel_identity", kernel_identity)("problem", problem)("device", device);
  fields("mode", mode)("objective", objective);
}

void describe(auto& fields, Conditions& conditions) {
  auto& [tuner_version, toolkit, driver] = conditions;
  fields("tuner_version", tuner_version)("toolkit", toolkit)("driver", driver);
}

void describe(auto& fields, Tie& tie) {
  auto& [configuration, relative_time] = tie;
  fields("configuration", configuration)("relative_time", relative_time);
}

void describe(auto& fields, Decision& decision) {
  auto& [key, reuse_hash, session, configuration, baseline, time_ns, baseline_time_ns, speedup, speedup_low,
         speedup_high, confidence, ties, race_blocks, verified, awkward_sizes, noisy, contended, binary_hash, launch,
         counters, conditions, origin, created_unix_ms, row] = decision;
  fields("key", key)("reuse_hash", reuse_hash)("session", session)("configuration", configuration);
  fields("baseline", baseline)("time_ns", time_ns)("baseline_time_ns", baseline_time_ns)("speedup", speedup);
  fields("speedup_low", speedup_low)("speedup_high", speedup_high)("confidence", confidence)("ties", ties);
  fields("race_blocks", race_blocks)("verified", verified)("awkward_sizes", awkward_sizes)("noisy", noisy);
  fields("contended", contended)("binary_hash", binary_hash)("launch", launch)("counters", counters);
  fields("conditions", conditions)("origin", origin)("created_unix_ms", created_unix_ms)("row", row);
}

}  // namespace tuner::cache

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
  auto& [outcome, message, cubin, lowered_name, binary_hash] = answer;
  fields("outcome", outcome)("message", message)("cubin", cubin)("lowered_name", lowered_name);
  fields("binary_hash", binary_hash);
}

void describe(auto& fields, TuneJob& job) {
  auto& [subject, timing, evaluations, limit, share, compile_workers, launch_timeout, since_unix_ms, serving] = job;
  fields("subject", subject)("timing", timing)("evaluations", evaluations)("limit_ms", limit)("share", share);
  fields("compile_workers", compile_workers)("launch_timeout_ms", launch_timeout)("since_unix_ms", since_unix_ms);
  fields("serving", serving);
}

void describe(auto& fields, TuneAnswer& answer) {
  auto& [result, message, decision, cut_short, gain_low, database, cubin, lowered_name] = answer;
  fields("result", result)("message", message)("decision", decision)("cut_short", cut_short)("gain_low", gain_low);
  fields("database", database)("cubin", cubin)("lowered_name", lowered_name);
}

}  // namespace tuner
