#include "tuner/core/task/served_winner.hpp"

#include "cache/file/packed_text.hpp"
#include "tuner/core/task/hashed_fields.hpp"
#include "tuner/core/task/launch_fields.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/version.hpp"

namespace tuner {

void describe(auto& fields, ServedWinner& winner) {
  auto& [decision, facts] = winner;
  fields("decision", decision)("facts", facts);
}

/// What a request has to know of it.
void describe(auto& fields, ProblemProperty& property) {
  auto& [name, kind, default_value, place] = property;
  fields("name", name)("kind", kind)("default_value", default_value);
}

void describe(auto& fields, SourceOutline& outline) {
  auto& [kernel, problem] = outline;
  fields("kernel", kernel)("problem", problem);
}

std::string served_source(std::string_view text, std::string_view kernel, const std::vector<Header>& headers) {
  HashedFields fields("source8");  // of the packed texts, too: a field more in a decision is another number here
  fields.add("version", kVersion);
  fields.add("kernel", kernel);
  fields.add("text", cache::content_hash(text));
  for (const Header& header : headers) {
    fields.add("header", header.name);
    fields.add("text", cache::content_hash(header.text));
  }
  return fields.text();
}

std::optional<std::string> served_source(const Task& task) {
  const KernelDescription& description = task.description();
  if (description.source.empty() || description.is_altered) return std::nullopt;
  return served_source(description.source, description.chosen_by, task.headers());
}

std::string served_place(std::string_view problem, const DeviceInfo& device, std::string_view mode) {
  HashedFields fields("place1");
  fields.add("problem", problem);
  fields.add("mode", mode);
  fields.add("device", device.identity());
  search::Scope readable;
  device.define_names(readable);
  for (const std::string& name : readable.names()) fields.add(name, readable.get(name).text());
  return fields.text();
}

cache::Served served_row(const Task& task, std::string source, const cache::Decision& decision,
                         const cache::Cubin& cubin) {
  const LaunchFacts facts = launch_facts(task, task.space().parse(decision.configuration));
  return {std::move(source),
          cache::packed(SourceOutline{task.description().kernel, task.description().problem}),
          served_place(problem_text(task.problem()), task.device(), decision.key.mode),
          "",
          cache::served_mark(decision),
          cache::packed(ServedWinner{decision, facts}),
          {cache::content_hash(cubin.bytes), cubin.kernel, cubin.bytes}};
}

SourceOutline outline_of(std::string_view text) {
  return cache::unpacked<SourceOutline>(text);
}

ServedWinner winner_of(const cache::Served& row) {
  auto winner = cache::unpacked<ServedWinner>(row.launch);
  winner.decision.row = std::stoll(row.decision);  // an export gives it another one
  return winner;
}

}  // namespace tuner
