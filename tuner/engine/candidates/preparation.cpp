#include "tuner/engine/candidates/preparation.hpp"

#include <fmt/format.h>

#include <utility>

#include "tuner/engine/candidates/candidate_request.hpp"

namespace tuner::engine {

void Preparation::prepare_device(const std::vector<std::string>& support_sources) {
  support_cubins_.resize(support_sources.size());
  const auto baseline = task_.baseline();
  std::optional<CompileRequest> values;
  // A recording and a fake run nothing, and have nothing to check it with either.
  if (baseline && !support_sources.empty()) values = value_request(task_, *baseline);
  support_parts_ = support_sources.size() + (values ? 1 : 0);
  if (support_parts_ == 0) return device_.prepare({}, {});
  if (values) {
    compile_.submit(*std::move(values), [this](CompileReply reply) {
      value_cubin_ = value_cubin(std::move(reply));
      take_part();
    });
  }
  for (std::size_t part = 0; part < support_sources.size(); ++part) {
    compile_.submit(support_request(support_sources[part], task_.device().architecture()),
                    [this, part](CompileReply reply) { take_support(part, std::move(reply)); });
  }
}

void Preparation::take_support(std::size_t part, CompileReply reply) {
  if (reply.outcome == Outcome::compile_error) {
    throw Error(Errc::internal, "The device code that checks results does not compile: " + reply.message);
  }
  if (reply.outcome != Outcome::ok) {
    throw Error(Errc::baseline_failed,
                fmt::format("The device code that checks results could not be compiled, so nothing can be checked: {} "
                            "Raise --compile-timeout, or try again when this machine is less busy.",
                            reply.message));
  }
  support_cubins_[part] = std::move(reply.cubin.bytes);
  take_part();
}

void Preparation::take_part() {
  if (--support_parts_ == 0) device_.prepare(std::move(support_cubins_), std::move(value_cubin_));
}

void Preparation::compile_probes(std::vector<SignatureProbe> probes) {
  for (SignatureProbe& probe : probes) {
    ++probes_;
    CompileRequest request = std::move(probe.request);
    compile_.submit(std::move(request), [this, probe = std::move(probe)](const CompileReply& reply) {
      --probes_;
      check_signature(task_, probe, reply);
    });
  }
}

void Preparation::compile_reference(const search::Configuration& baseline) {
  if (!task_.description().reference.is_named()) return;
  compile_.submit(reference_request(task_, baseline), [this](CompileReply reply) {
    if (reply.outcome != Outcome::ok) {
      throw Error(Errc::baseline_failed,
                  fmt::format("The reference kernel {} does not compile, so nothing can be compared with it: {}",
                              task_.description().reference.kernel, reply.message));
    }
    reference_kernel_ = std::move(reply);
  });
}

std::optional<Candidate> Preparation::reference(const search::Configuration& baseline) const {
  if (!reference_kernel_) return std::nullopt;
  return reference_candidate(task_, baseline, *reference_kernel_);
}

}  // namespace tuner::engine
