#include "tuner/engine/candidate_request.hpp"

#include "tuner/engine/compile/program.hpp"

namespace tuner::engine {

CompileRequest compile_request(const Task& task, const search::Configuration& configuration) {
  const KernelDescription& description = task.description();
  CompileRequest request;
  request.configuration = task.space().text(configuration);
  // A kernel known from a recording has no source: the recorded lane looks the configuration up.
  if (description.source.empty()) return request;
  request.file_name = description.file.string();
  request.name_expression = task.name_expression(configuration);
  request.architecture = task.device().architecture();
  request.options = task.options(configuration);
  for (const QuotedHeader& header : task.headers()) request.headers.push_back({header.name, header.text});

  ProgramText program;
  program.source = description.blanked_source;
  program.file_name = request.file_name;
  program.headers = request.headers;
  for (const Task::Macro& macro : task.macros(configuration)) program.macros.push_back({macro.name, macro.text});
  request.source = assemble_source(program);
  return request;
}

CompileRequest reference_request(const Task& task, const search::Configuration& baseline) {
  CompileRequest request = compile_request(task, baseline);
  request.configuration.clear();
  request.name_expression = task.description().reference_kernel;
  return request;
}

bool same_program(const CompileRequest& a, const CompileRequest& b) {
  return a.source == b.source && a.name_expression == b.name_expression && a.architecture == b.architecture &&
         a.options == b.options && a.headers == b.headers;
}

}  // namespace tuner::engine
