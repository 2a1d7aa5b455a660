#include "tuner/engine/candidates/candidate_request.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "tuner/core/signature/value_source.hpp"
#include "tuner/engine/compile/program.hpp"
#include "tuner/error.hpp"

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
  for (const Macro& macro : macros) request.macros.push_back(macro.name);

  request.source =
      assemble_source({description.blanked_source, request.file_name, macros, request.headers, task.implicit_names()});
  return request;
}

}  // namespace

CompileRequest compile_request(const Task& task, const search::Configuration& configuration) {
  CompileRequest request;
  // A kernel known from a recording has no source: the recorded lane looks the configuration up.
  if (!task.description().source.empty())
    request = request_of(task, configuration, task.compiled_macros(configuration));
  request.configuration = task.space().text(configuration);
  // It shows whether a kernel waits for its whole grid, whatever the source calls the grid.
  const bool has_groups = request.source.find("cooperative_groups") != std::string::npos;
  request.keeps_ptx = has_groups || configuration == task.space().defaults();
  return request;
}

CompileRequest support_request(const std::string& source, const std::string& architecture) {
  CompileRequest request;
  request.source = source;
  request.file_name = "support.cu";
  request.architecture = architecture;
  return request;
}

std::optional<CompileRequest> value_request(const Task& task, const search::Configuration& baseline) {
  if (!has_values(task.description()) || task.description().source.empty()) return std::nullopt;
  CompileRequest request = request_of(task, baseline, task.macros(baseline));
  request.source += '\n' + value_kernel(task, request.name_expression);  // a last line may lack its end
  request.name_expression.clear();
  return request;
}

void check_values(const CompileReply& reply) {
  if (reply.outcome != Outcome::compile_error) return;
  const std::size_t first = reply.log.find("error: ");
  if (reply.log.substr(0, reply.log.find("\n\n", first)).find("tuner_value_", first) == std::string::npos) return;
  // "user.cu(3): error: static assertion failed with "…"", of which the last is a sentence of our own.
  constexpr std::string_view kError = "): error: ", kAssertion = "static assertion failed with \"";
  std::string said = reply.message;
  const std::size_t end = said.find(kError), line = said.rfind('(', end);
  if (end != std::string::npos && line != std::string::npos)
    said = fmt::format("{}:{}: {}", said.substr(0, line), said.substr(line + 1, end - line - 1),
                       said.substr(end + kError.size()));
  if (const std::size_t at = said.find(kAssertion); at == std::string::npos)
    said += fmt::format("{} Write the type as the kernel's source does, with its namespace.",
                        said.ends_with('.') ? "" : ".");
  else
    said = said.substr(0, at) + said.substr(at + kAssertion.size(), said.rfind('"') - at - kAssertion.size());
  throw Error(Errc::bad_description, said);
}

std::vector<std::byte> value_cubin(CompileReply reply) {
  check_values(reply);
  if (reply.outcome == Outcome::ok) return std::move(reply.cubin.bytes);
  throw Error(
      Errc::baseline_failed,
      fmt::format("What value(...) passes could not be compiled, so nothing can be launched: {}", reply.message));
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
