#include "tuner/core/skeleton/program_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "search/expression/quoting.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/skeleton/plain_source.hpp"
#include "tuner/core/skeleton/source_edits.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 200;
constexpr std::size_t kMostText = std::size_t{16} << 20;
constexpr int kDeepestInclude = 16;

std::optional<std::string> read_text(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    return read_kernel_file(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool has_kernel(const PlainSource& source) {
  return std::any_of(source.functions.begin(), source.functions.end(),
                     [](const PlainFunction& function) { return function.kind == PlainFunction::Kind::kernel; });
}

bool is_of_toolkit(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::any_of(std::array{"cuda_runtime.h", "cub/cub.cuh", "thrust/version.h"},
                             [&](const char* header) { return fs::exists(folder / header, ignored); });
}

class KernelIncluder {
 public:
  /// `angled`: where what is included with angle brackets is looked for.
  KernelIncluder(fs::path folder, const std::vector<fs::path>& folders, std::vector<fs::path> angled)
      : folder_(std::move(folder)), folders_(folders), angled_(std::move(angled)) {}

  /// The text of a file of `folder` with what it includes that has kernels.
  std::string expanded(std::string_view text, const fs::path& folder, int depth) {
    std::string result;
    std::size_t copied = 0;
    for (const LiveLine& line : live_lines(text)) {
      const auto at = static_cast<std::size_t>(line.text.data() - text.data());
      const std::size_t begin = text.rfind('#', at), end = at + line.text.size();
      const auto include = include_of(text.substr(begin, end - begin));
      std::string in_place;
      if (depth > 0 && search::trimmed(line.text) == "pragma once") {
        in_place = "// #pragma once";
      } else if (include) {
        const auto found = find(*include, folder);
        if (!found) continue;
        if (has_kernel_inside(*found, depth + 1)) {
          in_place = text_of(include->name, *found, depth);
        } else if (include->is_quoted && folder != folder_ && *found == (folder / include->name).lexically_normal()) {
          in_place = fmt::format("#include \"{}\"", found->lexically_proximate(folder_).generic_string());
        }
      }
      if (in_place.empty()) continue;
      result += text.substr(copied, begin - copied);
      result += in_place;
      copied = end;
    }
    result += text.substr(copied);
    return result;
  }

  std::set<fs::path> seen;
  std::vector<std::string> names;

 private:
  std::optional<fs::path> find(const CodeText::Include& include, const fs::path& folder) const {
    std::error_code ignored;
    std::vector<fs::path> all = include.is_quoted ? folders_ : angled_;
    if (include.is_quoted) all.insert(all.begin(), folder);
    for (const fs::path& each : all) {
      if (fs::is_regular_file(each / include.name, ignored)) return (each / include.name).lexically_normal();
    }
    return std::nullopt;
  }

  /// Whether the file, or what it includes, defines a kernel.
  bool has_kernel_inside(const fs::path& file, int depth) {
    const auto [known, is_new] = has_kernel_.emplace(file, false);
    if (!is_new || depth > kDeepestInclude || has_kernel_.size() > kMostFiles) return known->second;
    const auto text = read_text(file);
    if (!text) return false;
    bool result = text->find("__global__") != std::string::npos && has_kernel(read_plain_source(*text));
    for (const CodeText::Include& include : read_code(*text).includes) {
      const auto inner = find(include, file.parent_path());
      if (inner && has_kernel_inside(*inner, depth + 1)) result = true;
    }
    has_kernel_[file] = result;
    return result;
  }

  std::string text_of(const std::string& name, const fs::path& file, int depth) {
    if (!seen.insert(file).second) return fmt::format("// #include \"{}\", whose text stands above", name);
    const auto text = depth < kDeepestInclude ? read_text(file) : std::nullopt;
    if (!text || size_ + text->size() > kMostText) return {};
    size_ += text->size();
    names.push_back(name);
    return fmt::format("// The text of \"{}\", where the line stood that includes it.\n{}\n// The end of \"{}\".", name,
                       expanded(text->substr(mark_length(*text)), file.parent_path(), depth + 1), name);
  }

  const fs::path folder_;
  const std::vector<fs::path>& folders_;
  const std::vector<fs::path> angled_;
  std::map<fs::path, bool> has_kernel_;
  std::size_t size_ = 0;
};

bool has_kernel(std::string_view text, std::string_view name) {
  const PlainSource source = read_plain_source(std::string(text));
  return std::ranges::any_of(source.functions, [&](const PlainFunction& one) { return is_kernel_called(one, name); });
}

/// The names of the kernels of `source` that it does not launch, namespaces left out.
std::set<std::string> kernels_without_launch(const PlainSource& source) {
  std::set<std::string> names;
  for (const PlainFunction& function : source.functions) {
    if (function.kind == PlainFunction::Kind::kernel && source.launch(function.name) == nullptr) {
      names.insert(function.name.substr(function.name.rfind(':') + 1));  // npos + 1 is 0
    }
  }
  return names;
}

/// The text of the files beside `file` that launch these kernels.
std::string launching_text(std::set<std::string> kernels, const fs::path& file, const std::set<fs::path>& known) {
  static const std::set<fs::path> kEndings{".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".c"};
  std::error_code ignored;
  std::set<fs::path> beside;
  for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    const fs::path path = entry.path().lexically_normal();
    const bool is_own = path == file || known.contains(path) || !kEndings.contains(path.extension());
    if (!is_own && beside.size() < kMostFiles) beside.insert(path);
  }
  std::string result;
  for (const fs::path& path : beside) {
    if (kernels.empty()) break;
    const auto text = read_text(path);
    if (!text || text->find("<<<") == std::string::npos || result.size() + text->size() > kMostText) continue;
    const PlainSource source = read_plain_source(*text);
    const auto is_wanted = [&](const PlainLaunch& launch) {
      return kernels.contains(launch.kernel) &&
             std::none_of(source.functions.begin(), source.functions.end(), [&](auto& f) {
               return f.kind == PlainFunction::Kind::kernel && f.name == launch.kernel;  // it launches its own
             });
    };
    if (std::none_of(source.launches.begin(), source.launches.end(), is_wanted)) continue;
    for (const PlainLaunch& launch : source.launches) kernels.erase(launch.kernel);
    result += "\n" + *text;
  }
  return result;
}

}  // namespace

ProgramText program_text(std::string_view text, const fs::path& file, const std::vector<fs::path>& folders,
                         std::string_view kernel) {
  const fs::path own = (file.has_parent_path() ? file : "." / file).lexically_normal();
  const fs::path folder = own.has_parent_path() ? own.parent_path() : fs::path(".");
  KernelIncluder includer(folder, folders, {});
  ProgramText program;
  program.text = includer.expanded(text, folder, 0);
  if (!kernel.empty() && !has_kernel(program.text, kernel)) {
    std::vector<fs::path> angled = folders;
    std::erase_if(angled, is_of_toolkit);
    KernelIncluder further(folder, folders, std::move(angled));
    program.text = further.expanded(text, folder, 0);
    std::swap(further.seen, includer.seen);
    std::swap(further.names, includer.names);
  }
  program.included = std::move(includer.names);
  if (program.text.find("__global__") != std::string::npos) {
    const auto missing = kernels_without_launch(read_plain_source(program.text));
    if (!missing.empty()) program.elsewhere = launching_text(missing, folder / own.filename(), includer.seen);
  }
  return program;
}

}  // namespace tuner
