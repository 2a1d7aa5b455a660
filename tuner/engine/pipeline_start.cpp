// How a session starts: what every candidate needs before it can be run.
#include <fmt/format.h>

#include "tuner/engine/pipeline.hpp"

namespace tuner::engine {

void Pipeline::begin() {
  if (task_.space().size() == 0) throw Error(Errc::empty_space, task_.space().why_empty());
  if (const std::string_view source = parts_.device.support_source(); !source.empty()) {
    CompileRequest request;
    request.source = std::string(source);
    request.file_name = "support.cu";
    request.architecture = task_.device().architecture();
    support_ticket_ = new_ticket();
    parts_.compile.submit(*support_ticket_, std::move(request));
  } else {
    prepare({});
  }
  choose_baseline();
  start_reference();
  add_previous_winner();
}

void Pipeline::choose_baseline() {
  if (const auto configuration = task_.baseline()) {
    baseline_ = add(*configuration);
  } else if (replay_) {
    baseline_compiled_ = reference_done_ = true;
  } else {
    throw Error(Errc::baseline_failed,
                fmt::format("The baseline, which all candidates are compared with, is not valid: {} Choose defaults "
                            "that satisfy every constraint.",
                            task_.space().why_invalid(task_.space().defaults()).value_or("")));
  }
}

/// A kernel that the description names computes the reference with the baseline's macros and launch.
void Pipeline::start_reference() {
  if (task_.description().reference_kernel.empty()) return;
  CompileRequest request = candidates_.request(*baseline_);
  request.configuration.clear();
  request.name_expression = task_.description().reference_kernel;
  reference_kernel_ticket_ = new_ticket();
  parts_.compile.submit(*reference_kernel_ticket_, std::move(request));
}

/// A winner of an earlier session is measured again whatever the strategy asks and `where` excludes: it is what users
/// run now, and only something faster may replace it. A replay repeats a recording and nothing else.
void Pipeline::add_previous_winner() {
  if (replay_) return;
  try {
    const auto decision = parts_.store.find_decision(common_.key);
    if (!decision || decision->reuse_hash != common_.reuse_hash) return;
    const search::Configuration previous = task_.space().parse(decision->configuration);
    if (!task_.accepts(previous) || previous == candidates_[*baseline_].configuration) return;
    previous_ = candidates_.add(previous);
    compile_or_refuse(*previous_);
  } catch (const Error&) {
    // An unreadable store is reported when trials are written; values that are gone from the space need no words.
  }
}

std::size_t Pipeline::add(const search::Configuration& configuration) {
  const std::size_t entry = candidates_.add(configuration);
  submit_compile(entry);
  return entry;
}

void Pipeline::submit_compile(std::size_t entry) {
  CompileRequest request = candidates_.request(entry);  // may throw: then nothing is under way
  const TicketId ticket = new_ticket();
  compiling_[ticket] = entry;
  parts_.compile.submit(ticket, std::move(request));
}

void Pipeline::prepare(std::vector<std::byte> support_cubin) {
  PrepareProblem request;
  request.arguments = task_.arguments();
  request.seed = options_.seed;
  request.deterministic = task_.description().deterministic;
  request.mode = options_.mode;
  request.support_cubin = std::move(support_cubin);
  request.launch_timeout = options_.launch_timeout;
  prepare_ticket_ = new_ticket();
  submit_to_device(*prepare_ticket_, std::move(request));
}

/// Without a baseline nothing can be verified, except in a replay, where the rows say what was right.
void Pipeline::fail_baseline(const cache::Trial& trial) {
  if (replay_) {
    baseline_.reset();
    reference_done_ = true;
    return;
  }
  const std::string sentence = fmt::format(
      "The baseline {} fails with {}: {} Every candidate is compared with it, so it has to run: correct "
      "the kernel or its defaults.",
      trial.configuration, to_string(trial.outcome), trial.message);
  record_finished();
  log_.flush();
  throw Error(Errc::baseline_failed, sentence);
}

}  // namespace tuner::engine
