#include "tuner/engine/session/candidate_request.hpp"

#include "tuner/engine/compile/program.hpp"

namespace tuner::engine {

namespace {

CompileRequest request_of(const Task& task, const search::Configuration& configuration,
                          const std::vector<Macro>& macros) {
  const KernelDescription& description = task.description();
  CompileRequest request;
  request.file_name = description.file.string();
  request.name_expression = task.name_expression(configuration);
  request.architecture = task.device().architecture();
  request.options = task.options(configuration);
  request.headers = task.headers();

  request.source = assemble_source({description.blanked_source, request.file_name, macros, request.headers});
  return request;
}

}  // namespace

CompileRequest compile_request(const Task& task, const search::Configuration& configuration) {
  CompileRequest request;
  // A kernel known from a recording has no source: the recorded lane looks the configuration up.
  if (!task.description().source.empty()) request = request_of(task, configuration, task.macros(configuration));
  request.configuration = task.space().text(configuration);
  request.keeps_ptx = !task.description().reference.is_named() && configuration == task.space().defaults();
  return request;
}

CompileRequest support_request(const std::string& source, const std::string& architecture) {
  CompileRequest request;
  request.source = source;
  request.file_name = "support.cu";
  request.architecture = architecture;
  return request;
}

CompileRequest reference_request(const Task& task, const search::Configuration& baseline) {
  CompileRequest request = request_of(task, baseline, task.reference_macros(baseline));
  request.name_expression = task.description().reference.kernel;
  request.keeps_ptx = true;
  return request;
}

Candidate reference_candidate(const Task& task, const search::Configuration& baseline, const CompileReply& binary) {
  return {.cubin = binary.cubin,
          .parameters = binary.parameters,
          .geometry = task.reference_geometry(baseline),
          .scratch_lengths = task.scratch_lengths(baseline),
          .takes = task.reference_arguments(),
          .ptx = binary.ptx};
}

cache::Binary binary_to_keep(const CompileReply& reply, const std::string& architecture, const std::string& key) {
  return {reply.cubin, architecture, key, reply.log};
}

bool same_program(const CompileRequest& a, const CompileRequest& b) {
  return a.source == b.source && a.name_expression == b.name_expression && a.architecture == b.architecture &&
         a.options == b.options && a.headers == b.headers;
}

}  // namespace tuner::engine
