#pragma once

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/binary/parameter_fields.hpp"
#include "tuner/core/task/launch_fields.hpp"
#include "tuner/engine/device/lane/device.hpp"

// The fields of requests and replies, as packed_text.hpp wants them.

namespace tuner {

void describe(auto& fields, NotCompared& left) {
  auto& [buffer, elements, first, of] = left;
  fields("buffer", buffer)("elements", elements)("first", first)("of", of);
}

constexpr bool is_known(Unproven::Why why) {
  return why >= Unproven::Why::not_a_number && why <= Unproven::Why::behind_count;
}

void describe(auto& fields, Unproven& one) {
  auto& [buffer, why, elements, of] = one;
  fields("buffer", buffer)("why", why)("elements", elements)("of", of);
}

void describe(auto& fields, LikeRounding& rejected) {
  auto& [buffer, atol, time_ns] = rejected;
  fields("buffer", buffer)("atol", atol)("time_ns", time_ns);
}

}  // namespace tuner

namespace tuner::engine {

// ---- Requests ----

void describe(auto& fields, Candidate& candidate) {
  auto& [configuration, cubin, parameters, geometry, scratch_lengths, takes, ptx] = candidate;
  fields("configuration", configuration)("cubin", cubin)("parameters", parameters);
  fields("geometry", geometry)("scratch_lengths", scratch_lengths)("takes", takes)("ptx", ptx);
}

void describe(auto& fields, ScreenPolicy& policy) {
  auto& [samples, kill_after_first, kill_after_second, enough_after_first, early_kill, uninterrupted_after] = policy;
  fields("samples", samples)("kill_after_first", kill_after_first)("kill_after_second", kill_after_second);
  fields("enough_after_first", enough_after_first)("early_kill", early_kill);
  fields("uninterrupted_after", uninterrupted_after);
}

void describe(auto& fields, Isolation& isolation) {
  auto& [diagnose, launch_timeout] = isolation;
  fields("diagnose", diagnose)("launch_timeout_ms", launch_timeout);
}

void describe(auto& fields, PrepareProblem& request) {
  auto& [arguments, seed, deterministic, mode, may_measure_rounding, support_cubins, value_cubin, launch_timeout] =
      request;
  fields("arguments", arguments)("seed", seed)("deterministic", deterministic)("mode", mode);
  fields("may_measure_rounding", may_measure_rounding)("support_cubins", support_cubins);
  fields("value_cubin", value_cubin)("launch_timeout_ms", launch_timeout);
}

void describe(auto& fields, RunReference& request) {
  auto& [candidate, policy, isolation] = request;
  fields("candidate", candidate)("policy", policy)("isolation", isolation);
}

void describe(auto& fields, ScreenCandidate& request) {
  auto& [candidate, policy, best_ns, isolation] = request;
  fields("candidate", candidate)("policy", policy)("best_ns", best_ns)("isolation", isolation);
}

void describe(auto& fields, LoadFinalists& request) {
  auto& [candidates, launches, beside_screening] = request;
  fields("candidates", candidates)("launches", launches)("beside_screening", beside_screening);
}

void describe(auto& fields, RunBlock& request) {
  auto& [order, launches] = request;
  fields("order", order)("launches", launches);
}

void describe(auto& fields, RecheckFinalist& request) {
  auto& [finalist, launches, wins] = request;
  fields("finalist", finalist)("launches", launches)("wins", wins);
}

void describe(auto& fields, ConfirmCandidate& request) {
  auto& [reference, candidate, seed, isolation] = request;
  fields("reference", reference)("candidate", candidate)("seed", seed)("isolation", isolation);
}

constexpr bool is_known(FenceSide side) {
  return side >= FenceSide::behind && side <= FenceSide::inside;
}

void describe(auto& fields, FenceProbe& probe) {
  auto& [argument, side, gap, alignment] = probe;
  fields("argument", argument)("side", side)("gap", gap)("alignment", alignment);
}

void describe(auto& fields, ProbeFences& request) {
  auto& [candidate, probes] = request;
  fields("candidate", candidate)("probes", probes);
}

void describe(auto& fields, CountCandidate& request) {
  auto& [candidate, metrics, isolation] = request;
  fields("candidate", candidate)("metrics", metrics)("isolation", isolation);
}

void describe(auto& fields, ReplayLaunch& request) {
  auto& [folder, launch, at_own_addresses, elements, written, read_only, patterned, records, times, may_fault,
         launch_timeout] = request;
  fields("folder", folder)("launch", launch)("at_own_addresses", at_own_addresses)("elements", elements);
  fields("written", written)("read_only", read_only)("patterned", patterned)("records", records)("times", times);
  fields("may_fault", may_fault)("launch_timeout_ms", launch_timeout);
}

// ---- Replies ----

void describe(auto& fields, TimedRun& run) {
  auto& [samples_ns, censored, occupancy, occupancy_limiter, local_bytes] = run;
  fields("samples_ns", samples_ns)("censored", censored)("occupancy", occupancy);
  fields("occupancy_limiter", occupancy_limiter)("local_bytes", local_bytes);
}

void describe(auto& fields, PrepareResult& result) {
  auto& [unfenced, other_processes] = result;
  fields("unfenced", unfenced)("other_processes", other_processes);
}

void describe(auto& fields, ReferenceResult& result) {
  auto& [run, not_compared, unproven] = result;
  fields("run", run)("not_compared", not_compared)("unproven", unproven);
}

void describe(auto& fields, ScreenResult& result) {
  auto& [run, like_rounding] = result;
  fields("run", run)("like_rounding", like_rounding);
}

void describe(auto& fields, LoadResult& result) {
  auto& [launches_per_sample, culprit] = result;
  fields("launches_per_sample", launches_per_sample)("culprit", culprit);
}

void describe(auto& fields, BlockResult& result) {
  auto& [samples_ns, launches_per_sample, disturbed, culprit] = result;
  fields("samples_ns", samples_ns)("launches_per_sample", launches_per_sample)("disturbed", disturbed);
  fields("culprit", culprit);
}

void describe(auto&, RecheckResult&) {}

void describe(auto& fields, ConfirmResult& result) {
  auto& [reference_failed, unproven] = result;
  fields("reference_failed", reference_failed)("unproven", unproven);
}

void describe(auto& fields, ProbeResult& result) {
  auto& [passed, misaligned] = result;
  fields("passed", passed)("misaligned", misaligned);
}

void describe(auto& fields, CountResult& result) {
  auto& [counters, passes, refused] = result;
  fields("counters", counters)("passes", passes)("refused", refused);
}

void describe(auto& fields, ReplayedMemory& memory) {
  auto& [is_reached, is_at_own_address, is_missing, can_be_read_only, pointers, different, is_within_tolerance,
         permuted, varies] = memory;
  fields("is_reached", is_reached)("is_at_own_address", is_at_own_address)("is_missing", is_missing);
  fields("can_be_read_only", can_be_read_only)("pointers", pointers)("different", different);
  fields("is_within_tolerance", is_within_tolerance)("permuted", permuted);
  fields("varies", varies);
}

void describe(auto& fields, ByteRange& range) {
  auto& [begin, end] = range;
  fields("begin", begin)("end", end);
}

void describe(auto& fields, PatternResult& result) {
  auto& [output, follows, depends, ranges, written] = result;
  fields("output", output)("follows", follows)("depends", depends);
  fields("ranges", ranges)("written", written);
}

void describe(auto& fields, ReplayResult& result) {
  auto& [memories, pattern, first_address] = result;
  fields("memories", memories)("pattern", pattern)("first_address", first_address);
}

void describe(auto& fields, DeviceReply& reply) {
  auto& [outcome, message, launches, load_ms, verify_ms, timing_ms, confirmed, fence_fault, misaligned, rounding_failed,
         gpu, result] = reply;
  fields("outcome", outcome)("message", message)("launches", launches)("load_ms", load_ms)("verify_ms", verify_ms);
  fields("timing_ms", timing_ms)("confirmed", confirmed)("fence_fault", fence_fault);
  fields("misaligned", misaligned)("rounding_failed", rounding_failed)("gpu", gpu);
  fields("result", result);
}

}  // namespace tuner::engine
