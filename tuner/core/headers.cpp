#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "tuner/core/source_text.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

/// The name in `#include "name"`, or nothing for any other line.
std::optional<std::string> quoted_name(std::string_view line) {
  constexpr std::string_view blank = " \t\v\f";
  const auto skip_blank = [&] { line.remove_prefix(std::min(line.find_first_not_of(blank), line.size())); };
  line.remove_prefix(1);
  skip_blank();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_blank();
  if (!line.starts_with('"')) return std::nullopt;
  const std::size_t close = line.find('"', 1);
  if (close == std::string_view::npos || close == 1) return std::nullopt;
  return std::string(line.substr(1, close - 1));
}

std::optional<std::string> read_text(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    return read_kernel_file(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Whether `folder` or one above it is a toolkit's include folder: its headers are identified by the toolkit's version.
bool in_toolkit(const fs::path& folder) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(folder, ignored);
  for (fs::path at = canonical; !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / "cuda_runtime_api.h", ignored)) return true;
    if (at == at.parent_path()) break;
  }
  return false;
}

class HeaderSearch {
 public:
  HeaderSearch(const std::vector<QuotedHeader>& given, const std::vector<fs::path>& folders) {
    for (const QuotedHeader& header : given) given_.emplace(header.name, &header.text);
    for (const fs::path& folder : folders) {
      if (!in_toolkit(folder)) folders_.push_back(folder);
    }
  }

  /// Adds the headers that `text`, a file of `folder`, includes. An explicit list of work instead of recursion: a chain
  /// of includes may be long.
  void follow(std::string_view text, const fs::path& folder) {
    std::vector<Pending> pending;
    push_includes(text, folder, pending);
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      if (const auto given = given_.find(next.name); given != given_.end()) {
        take_given(next, *given->second, pending);
        continue;
      }
      const auto file = find(next);
      if (!file) continue;
      std::error_code ignored;
      const fs::path canonical = fs::weakly_canonical(*file, ignored);
      const auto [position, is_new] = by_name_.emplace(next.name, canonical);
      if (!is_new) {
        if (position->second != canonical) refuse_ambiguous(next.name, position->second, canonical);
        continue;
      }
      auto content = read_text(*file);
      if (!content) {
        by_name_.erase(position);
        continue;
      }
      headers_.push_back({next.name, *content});
      // The same file under a second name is a header of its own for the compiler, but what it includes is known.
      if (seen_.insert(canonical).second) push_includes(*content, canonical.parent_path(), pending);
    }
  }

  std::vector<QuotedHeader> take() { return std::move(headers_); }

 private:
  struct Pending {
    std::string name;
    fs::path folder;  ///< of the file that includes it
  };

  void take_given(const Pending& next, const std::string& text, std::vector<Pending>& pending) {
    if (!by_name_.emplace(next.name, next.name).second) return;
    headers_.push_back({next.name, text});
    push_includes(text, next.folder, pending);
  }

  static void push_includes(std::string_view text, const fs::path& folder, std::vector<Pending>& pending) {
    std::vector<Pending> found;
    for (const PreprocessorLine& line : preprocessor_lines(text)) {
      if (auto name = quoted_name(line.text)) found.push_back({*std::move(name), folder});
    }
    pending.insert(pending.end(), std::make_move_iterator(found.rbegin()), std::make_move_iterator(found.rend()));
  }

  std::optional<fs::path> find(const Pending& wanted) const {
    std::error_code ignored;
    std::vector<fs::path> folders{wanted.folder};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const fs::path& folder : folders) {
      const fs::path file = folder / wanted.name;  // an absolute name replaces the folder
      if (!fs::is_regular_file(file, ignored)) continue;
      if (in_toolkit(file.parent_path())) return std::nullopt;
      return file;
    }
    return std::nullopt;
  }

  [[noreturn]] static void refuse_ambiguous(const std::string& name, const fs::path& first, const fs::path& second) {
    throw Error(
        Errc::bad_description,
        fmt::format("#include \"{}\" means {} in one file and {} in another, and the compiler could not tell them "
                    "apart; rename one of the two.",
                    name, first.string(), second.string()));
  }

  std::map<std::string_view, const std::string*> given_;
  std::vector<fs::path> folders_;
  std::map<std::string, fs::path> by_name_;
  std::set<fs::path> seen_;
  std::vector<QuotedHeader> headers_;
};

}  // namespace

std::vector<QuotedHeader> quoted_headers(const KernelDescription& description,
                                         const std::vector<fs::path>& include_folders) {
  HeaderSearch search(description.given_headers, include_folders);
  search.follow(description.blanked_source, description.file.parent_path());
  return search.take();
}

}  // namespace tuner
