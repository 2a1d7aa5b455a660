// How a session starts: what every candidate needs before it can be run.
#include <fmt/format.h>

#include "tuner/engine/session/candidate_request.hpp"
#include "tuner/engine/session/pipeline.hpp"

namespace tuner::engine {

void Pipeline::begin() {
  if (task_.space().size() == 0) throw Error(Errc::empty_space, task_.space().why_empty());
  std::vector<SignatureProbe> probes;
  if (const auto baseline = task_.baseline(); baseline && !replay_) probes = signature_probes(task_, *baseline);
  remember_earlier_sessions();
  if (const std::string_view source = parts_.device.support_source(); !source.empty()) {
    CompileRequest request;
    request.source = std::string(source);
    request.file_name = "support.cu";
    request.architecture = task_.device().architecture();
    support_ticket_ = new_ticket();
    parts_.compile.submit(*support_ticket_, std::move(request));
  } else {
    prepare();
  }
  choose_baseline();
  for (SignatureProbe& probe : probes) submit_probe(std::move(probe));
  start_reference();
}

/// A replay repeats a recording and nothing else. A recording holds complete samples, which a search that stops early
/// does not leave behind.
void Pipeline::remember_earlier_sessions() {
  if (replay_) return;
  try {
    earlier_.read_quarantine(parts_.store, common_, options_.launch_timeout);
    reuses_ = options_.reuse && options_.early_kill && EarlierSessions::any(parts_.store, common_.key);
  } catch (const Error& error) {
    parts_.observer.warning(fmt::format("{} What earlier sessions found is not used.", error.what()));
  }
}

/// What may be taken over depends on the toolkit, whose version comes with the first compiled binary. The baseline's is
/// waited for, because it must not become the twin of something that nobody runs.
bool Pipeline::ready_to_ask() {
  if (asks_) return true;
  if (reuses_ && !baseline_compiled_) return false;
  asks_ = true;
  if (reuses_ && !toolkit_.empty()) {
    try {
      earlier_.read_trials(parts_.store, common_, toolkit_);
    } catch (const Error& error) {
      parts_.observer.warning(fmt::format("{} Everything is measured again.", error.what()));
    }
  }
  add_previous_winner();
  add_serving();
  return true;
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

/// The kernel must take what is described before anything is launched with it.
void Pipeline::submit_probe(SignatureProbe probe) {
  const TicketId ticket = new_ticket();
  parts_.compile.submit(ticket, probe.request);
  probes_.emplace(ticket, std::move(probe));
}

/// A kernel that the description names computes the reference.
void Pipeline::start_reference() {
  if (!task_.description().reference.is_named()) return;
  reference_kernel_ticket_ = new_ticket();
  parts_.compile.submit(*reference_kernel_ticket_, reference_request(task_, candidates_[*baseline_].configuration));
}

/// A winner of an earlier session is measured again whatever the strategy asks and `where` excludes: it is what users
/// run now, and only something faster may replace it. A replay repeats a recording and nothing else.
void Pipeline::add_previous_winner() {
  if (replay_) return;
  try {
    const auto decision = parts_.store.find_decision(common_.key);
    if (!decision || decision->reuse_hash != task_.reuse_hash()) return;
    const search::Configuration previous = task_.space().parse(decision->configuration);
    if (!task_.accepts(previous) || previous == candidates_[*baseline_].configuration) return;
    previous_ = candidates_.add(previous);
    start(*previous_);
  } catch (const Error&) {
    // An unreadable store is reported when trials are written; values that are gone from the space need no words.
  }
}

/// What a program uses now is to be compared with the winner, whatever the strategy asks.
void Pipeline::add_serving() {
  if (replay_ || options_.serving.empty()) return;
  try {
    const search::Configuration serving = task_.space().parse(options_.serving);
    if (!task_.accepts(serving)) return;
    for (const auto& known : {baseline_, previous_}) {
      if (known && candidates_[*known].configuration == serving) serving_ = known;
    }
    if (serving_) return;
    serving_ = candidates_.add(serving);
    start(*serving_);
  } catch (const Error&) {
    // A program that uses what the space no longer has is not compared with anything.
  }
}

std::size_t Pipeline::add(const search::Configuration& configuration) {
  const std::size_t entry = candidates_.add(configuration);
  submit_compile(entry, candidates_.request(entry));
  return entry;
}

void Pipeline::submit_compile(std::size_t entry, CompileRequest request) {
  const TicketId ticket = new_ticket();
  compiling_[ticket] = entry;
  parts_.compile.submit(ticket, std::move(request));
}

PrepareProblem Pipeline::problem_of(const Task& task) const {
  PrepareProblem request;
  request.arguments = task.arguments();
  // Problems of other sizes are only looked at if the data is the same there.
  const std::vector<BoundArgument>& with_data = task_.arguments_with_data();
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    request.arguments[i].file = with_data[i].file;
    // What is expected is known for one size; at others the reference kernel says what is right.
    request.arguments[i].expected = &task == &task_ ? with_data[i].expected : std::nullopt;
  }
  request.seed = options_.seed;
  request.deterministic = task.description().deterministic;
  request.mode = options_.mode;
  request.support_cubin = support_cubin_;
  request.launch_timeout = options_.launch_timeout;
  return request;
}

void Pipeline::prepare() {
  prepare_ticket_ = new_ticket();
  submit_to_device(*prepare_ticket_, problem_of(task_));
}

/// Whoever shares the GPU disturbs every sample, and buffers without fences let some faults pass: each is said once.
void Pipeline::note_neighbours(const DeviceReply& reply) {
  const PrepareResult& prepared = reply.result_of<PrepareProblem>();
  if (!prepared.other_processes.empty() && !contended_ && !options_.contended) {
    contended_ = true;
    parts_.observer.warning(
        fmt::format("Other processes compute on {} meanwhile: {}. Times are disturbed and the decision says so; tune "
                    "again when they are gone.",
                    task_.device().name, fmt::join(prepared.other_processes, ", ")));
  }
  if (!prepared.unfenced.empty() && !warned_of_fences_) {
    warned_of_fences_ = true;
    parts_.observer.warning(
        fmt::format("Reads and writes a little beyond a buffer may go unnoticed, because there are no fences: {}",
                    prepared.unfenced));
  }
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
