#include "tuner/engine/candidates.hpp"
#include "tuner/engine/compile/program.hpp"

namespace tuner::engine {

CompileRequest Candidates::request(std::size_t position) {
  Entry& entry = entries_[position];
  const Description& description = task_.description();
  entry.geometry = task_.geometry(entry.configuration);
  entry.scratch_lengths = task_.scratch_lengths(entry.configuration);
  // Foreign recordings do not say how anything was launched.
  if (!description.grid.empty()) entry.trial.launch = entry.geometry.text();

  CompileRequest request;
  request.configuration = entry.trial.configuration;
  // A kernel known from a recording has no source: the recorded lane looks the configuration up.
  if (description.source.empty()) return request;
  request.file_name = description.file.string();
  request.name_expression = task_.name_expression(entry.configuration);
  request.architecture = task_.device().architecture();
  request.options = task_.options(entry.configuration);
  for (const QuotedHeader& header : task_.headers()) request.headers.push_back({header.name, header.text});

  ProgramText program;
  program.source = description.blanked_source;
  program.file_name = request.file_name;
  program.headers = request.headers;
  for (const Task::Macro& macro : task_.macros(entry.configuration)) program.macros.push_back({macro.name, macro.text});
  request.source = assemble_source(program);
  return request;
}

}  // namespace tuner::engine
