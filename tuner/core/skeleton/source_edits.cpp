#include "tuner/core/skeleton/source_edits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/skeleton/plain_constants.hpp"

namespace tuner {

std::size_t line_begin(const std::string& text, std::size_t at) {
  const std::size_t behind_line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::size_t line = std::max(behind_line, mark_length(text));
  return text.find_first_not_of(" \t", line) >= at ? line : at;
}

std::string apply(std::string text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  for (std::size_t i = edits.size(); i-- > 0;)
    text.replace(edits[i].begin, edits[i].end - edits[i].begin, edits[i].text);
  return text;
}

std::string add_changes(const KernelSkeleton& proposed, std::set<std::string>& guarded, std::vector<Edit>& edits) {
  const PlainSource& source = proposed.source;
  std::string lines;
  for (const SourceInsertion& insertion : proposed.insertions)
    edits.push_back({insertion.at, insertion.at, insertion.text});
  for (const auto& [from, to] : proposed.removals) edits.push_back({from, to, ""});
  for (const std::string& name : proposed.guarded) {
    if (!guarded.insert(name).second) continue;
    if (source.constant(name) == nullptr)
      lines += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, proposed.parameters.at(name));
    for (const PlainConstant& constant : source.constants) {
      if (constant.name != name || constant.is_guarded || !constant.is_own) continue;
      for (const SourceInsertion& insertion : guard(source, constant))
        edits.push_back({insertion.at, insertion.at, insertion.text});
    }
  }
  return lines;
}

PlainSource read_own_source(std::string_view text, std::string_view elsewhere) {
  PlainSource source = read_plain_source(std::string(text) + std::string(elsewhere));
  find_constants(source);
  for (PlainConstant& constant : source.constants) constant.is_own = constant.begin < text.size();
  return source;
}

std::vector<const PlainFunction*> own_kernels(const PlainSource& source, std::size_t size) {
  std::vector<const PlainFunction*> kernels;
  for (const PlainFunction& function : source.functions) {
    if (function.kind == PlainFunction::Kind::kernel && function.begin < size) kernels.push_back(&function);
  }
  return kernels;
}

bool is_kernel_called(const PlainFunction& function, std::string_view name) {
  return function.kind == PlainFunction::Kind::kernel &&
         (function.name == name || function.name.ends_with("::" + std::string(name)));
}

}  // namespace tuner
