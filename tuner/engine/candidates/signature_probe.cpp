#include "tuner/engine/candidates/signature_probe.hpp"

#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"

namespace tuner::engine {

std::vector<SignatureProbe> signature_probes(const Task& task, const search::Configuration& baseline) {
  const KernelDescription& description = task.description();
  if (check_written_signatures(description, task.headers())) return {};
  std::vector<SignatureProbe> probes{{kernel_call(description), compile_request(task, baseline)}};
  if (auto call = reference_call(description)) {
    probes.push_back({*std::move(call), reference_request(task, baseline)});
  }
  for (SignatureProbe& probe : probes) {
    CompileRequest& request = probe.request;
    request.configuration.clear();
    request.front_end_only = true;
    // A last line may lack its end.
    request.source += '\n';
    request.source += signature_types();
    request.source += signature_kernel();
    request.name_expression = signature_expression(request.name_expression);
  }
  return probes;
}

void check_signature(const Task& task, const SignatureProbe& probe, const CompileReply& reply) {
  if (reply.outcome != Outcome::ok) return;
  if (const auto signature = signature_from_symbol(reply.cubin.kernel)) {
    check_compiled_signature(task, probe.call, *signature);
  }
}

}  // namespace tuner::engine
