#include "tuner/engine/session/decision_texts.hpp"

#include "cache/records/samples.hpp"

namespace tuner::engine {

std::vector<cache::DecisionText> decision_texts(const Task& task, const SessionOptions& options,
                                                const TuneReport& report) {
  using cache::TextKind;
  std::vector<cache::DecisionText> texts;
  const KernelDescription& description = task.description();
  if (options.keeps_source && options.origin != cache::Origin::replay && !description.source.empty()) {
    texts.push_back({TextKind::source, description.file.filename().string(), description.source});
    // As they are written: their identity is that of the kernel.
    for (const Header& header : task.own_headers()) texts.push_back({TextKind::header, header.name, header.text});
  }
  for (const FinalistReport& finalist : report.finalists) {
    if (finalist.samples_ns.empty()) continue;
    texts.push_back({TextKind::samples, finalist.configuration, cache::to_json(finalist.samples_ns)});
  }
  return texts;
}

}  // namespace tuner::engine
