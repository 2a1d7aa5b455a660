#include "tuner/engine/compile/foreign_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/source_text.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner::engine {
namespace {

constexpr std::string_view kLine = "line ";

/// Adds the includes of `text` that are not in memory, by the lines that `#line` counts.
void add_includes(std::string_view text, std::string_view file, const CompileRequest& request,
                  std::vector<ForeignInclude>& found) {
  std::size_t counted = 0, line = 0;  // line `counted` of the text is called `line`
  for (const LiveLine& live : live_lines(text)) {
    if (live.text.starts_with(kLine)) {
      counted = live.number + 1;
      line = std::strtoul(std::string(live.text.substr(kLine.size())).c_str(), nullptr, 10);
    }
    if (!live.text.starts_with("include")) continue;
    for (const CodeText::Include& include : read_code(fmt::format("#{}\n", live.text)).includes) {
      const bool in_memory = std::any_of(request.headers.begin(), request.headers.end(),
                                         [&](const Header& header) { return header.name == include.name; });
      if (!in_memory) found.push_back({fmt::format("{}({})", file, live.number - counted + line), include.name});
    }
  }
}

/// Whether what `name` names leads to `file` by the includes of files in `folders`, whatever their conditions.
bool leads_to(const std::string& name, const std::filesystem::path& file,
              const std::vector<std::filesystem::path>& folders) {
  std::error_code ignored;
  std::set<std::filesystem::path> seen;
  std::vector<std::filesystem::path> pending;
  const auto push = [&](const std::filesystem::path& candidate) {
    const bool is_file = std::filesystem::is_regular_file(candidate, ignored);
    if (is_file && seen.insert(candidate.lexically_normal()).second) pending.push_back(candidate.lexically_normal());
    return is_file;
  };
  const auto look = [&](const std::string& wanted) {
    for (const std::filesystem::path& folder : folders) {
      if (push(folder / wanted)) return;
    }
  };
  look(name);
  while (!pending.empty() && !seen.contains(file)) {
    const std::filesystem::path next = std::move(pending.back());
    pending.pop_back();
    std::ifstream in(next);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (const CodeText::Include& include : all_includes(text)) {
      if (!include.is_quoted || !push(next.parent_path() / include.name)) look(include.name);
    }
  }
  return seen.contains(file);
}

}  // namespace

ForeignInclude foreign_include(const CompileRequest& request, std::string_view place,
                               const std::vector<std::filesystem::path>& folders) {
  const std::string_view file = place.substr(0, place.rfind('('));
  const auto holds = [&](const std::filesystem::path& folder) { return file.starts_with(folder.string() + "/"); };
  if (std::none_of(folders.begin(), folders.end(), holds)) return {};
  std::vector<ForeignInclude> includes;
  add_includes(request.source, request.file_name, request, includes);
  for (const Header& header : request.headers) {
    if (!is_standard(header)) add_includes(header.text, header.name, request, includes);
  }
  const auto leads = [&](const ForeignInclude& one) { return leads_to(one.name, std::string(file), folders); };
  const auto found = std::find_if(includes.begin(), includes.end(), leads);
  return found == includes.end() ? ForeignInclude{} : *found;
}

}  // namespace tuner::engine
