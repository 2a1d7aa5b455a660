#include "tuner/core/description/headers.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/source_text.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

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
  HeaderSearch(const std::vector<Header>& given, const std::vector<fs::path>& folders) {
    for (const Header& header : given) given_.emplace(header.name, &header.text);
    for (const fs::path& folder : folders) {
      if (!in_toolkit(folder)) folders_.push_back(folder);
    }
  }

  /// Adds the headers that `text`, a file of `folder`, includes. An explicit list of work instead of recursion: a chain
  /// of includes may be long.
  void follow(std::string_view text, const fs::path& folder) {
    own_folder_ = folder;
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

  std::vector<Header> take() { return std::move(headers_); }

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
    const std::vector<std::string> names = quoted_includes(text);
    for (auto name = names.rbegin(); name != names.rend(); ++name) pending.push_back({*name, folder});
  }

  std::optional<fs::path> find(const Pending& wanted) const {
    std::error_code ignored;
    std::vector<fs::path> folders{wanted.folder};
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    for (const fs::path& folder : folders) {
      const fs::path file = folder / wanted.name;  // an absolute name replaces the folder
      if (!fs::is_regular_file(file, ignored)) continue;
      // What is beside the source is its own, wherever it is: looking costs a dozen system calls.
      if (file.parent_path() != own_folder_ && in_toolkit(file.parent_path())) return std::nullopt;
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
  fs::path own_folder_;
  std::map<std::string, fs::path> by_name_;
  std::set<fs::path> seen_;
  std::vector<Header> headers_;
};

}  // namespace

std::vector<Header> quoted_headers(std::string_view text, const fs::path& file, const std::vector<Header>& given,
                                   const std::vector<fs::path>& include_folders) {
  HeaderSearch search(given, include_folders);
  search.follow(text, file.parent_path());
  return search.take();
}

std::vector<Header> quoted_headers(const KernelDescription& description, const std::vector<fs::path>& include_folders) {
  return quoted_headers(description.blanked_source, description.file, description.given_headers, include_folders);
}

}  // namespace tuner
