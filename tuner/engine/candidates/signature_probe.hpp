#pragma once

#include <vector>

#include "tuner/core/signature/signature.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// A question to the compiler: what the parameters of a function really are. A program of its own that only the front
/// end sees, so that the binary of no configuration changes and it costs tens of milliseconds.
struct SignatureProbe {
  DescribedCall call;
  CompileRequest request;
};

/// What the text of the task's source leaves open: often nothing. Throws Error{bad_description} for the mistakes that
/// the text shows. The task must outlive the probes.
std::vector<SignatureProbe> signature_probes(const Task& task, const search::Configuration& baseline);

/// Throws Error{bad_description} if the description says something else than the compiler. Source that does not compile
/// is for others to judge.
void check_signature(const Task& task, const SignatureProbe& probe, const CompileReply& reply);

}  // namespace tuner::engine
