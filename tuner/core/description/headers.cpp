#include "tuner/core/description/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/compiler_options.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/description/source_text.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

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

/// The folders that options of the descriptions in the text name.
std::vector<fs::path> folders_of_options(std::string_view text, const fs::path& file) {
  std::vector<fs::path> folders;
  const auto says = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if (!says("\"-I") && !says("'-I") && !says("-include-path")) return folders;
  try {
    for (const KernelDescription& description : parse_descriptions(text, file)) {
      for (const std::string& option : description.options) {
        if (const auto folder = include_folder(option)) folders.emplace_back(*folder);
      }
    }
  } catch (const Error&) {  // which whoever needs the descriptions reports
  }
  return folders;
}

bool may_declare_integers(std::string_view text) {
  const std::string_view ours = *standard_header("stdint.h");
  const auto is_integer = [&](std::string_view word) {
    return word.ends_with("_t") && ours.find(fmt::format(" {};", word)) != std::string_view::npos;
  };
  for (const std::string_view key : {"typedef", "using"}) {
    for (std::size_t at = find_word(text, key); at != std::string_view::npos;) {
      const std::size_t end = text.find_first_of(";=", at);
      const std::string_view words = search::trimmed(text.substr(at + key.size(), end - at - key.size()));
      if (is_integer(words.substr(words.find_last_of(" \t\r\n") + 1))) return true;
      if (end == std::string_view::npos) break;
      at = find_word(text, key, end);  // behind the declaration: each part of the text is read once
    }
  }
  return false;
}

/// Whether it has integers of its own such as `typedef unsigned long uint64_t;`, which may not be ours. Comments are
/// read only where there may be any: every program's start comes here.
bool declares_integers(std::string_view text) {
  return may_declare_integers(text) && may_declare_integers(read_code(text).code);
}

/// Up to its last include: a source is read at every start of a program, and its includes stand at its beginning.
std::string_view up_to_includes(std::string_view text) {
  const std::size_t name = text.find_first_of("\">", std::min(text.rfind("include"), text.size()));
  return text.substr(0, text.find('\n', name));
}

class HeaderSearch {
 public:
  HeaderSearch(const std::vector<Header>& given, const std::vector<fs::path>& folders,
               const std::vector<fs::path>& folders_of_options)
      : folders_of_options_(folders_of_options) {
    for (const Header& header : given) {
      if (!is_standard(header)) given_.emplace(header.name, &header.text);  // those are found again, in the same order
    }
    for (const fs::path& folder : folders) {
      if (!in_toolkit(folder)) folders_.push_back(folder);
    }
  }

  /// Adds the headers that `text`, a file of `folder`, includes. An explicit list of work instead of recursion: a chain
  /// of includes may be long.
  void follow(std::string_view text, const fs::path& folder) {
    source_ = text;
    own_folder_ = folder;
    std::vector<Pending> pending;
    push_includes(text, folder, false, pending);
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      if (next.is_unlisted) {
        follow_unlisted(next, pending);
        continue;
      }
      if (const auto given = given_.find(next.name); given != given_.end()) {
        take_given(next, *given->second, pending);
        continue;
      }
      const auto file = find(next, {});
      if (!file) {
        follow_unlisted(next, pending);
        continue;
      }
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
      if (seen_.insert(canonical).second) push_includes(*content, canonical.parent_path(), false, pending);
    }
    add_standard();
  }

  std::vector<Header> take() { return std::move(headers_); }

 private:
  struct Pending {
    std::string name;
    fs::path folder;           ///< of the file that includes it
    bool is_unlisted = false;  ///< included with angle brackets, or by such a header: the compiler finds it
  };

  void take_given(const Pending& next, const std::string& text, std::vector<Pending>& pending) {
    if (!by_name_.emplace(next.name, next.name).second) return;
    headers_.push_back({next.name, text});
    push_includes(text, next.folder, false, pending);
  }

  void push_includes(std::string_view text, const fs::path& folder, bool is_unlisted, std::vector<Pending>& pending) {
    const std::vector<CodeText::Include> includes = all_includes(text);
    for (auto include = includes.rbegin(); include != includes.rend(); ++include) {
      if (include->is_quoted) pending.push_back({include->name, folder, is_unlisted});
    }
    const auto is_ours = [](const CodeText::Include& include) {
      return !include.is_quoted && standard_header(include.name);
    };
    if (folders_.empty() && folders_of_options_.empty() && std::none_of(includes.begin(), includes.end(), is_ours))
      return;
    for (const CodeText::Include& include : read_code(up_to_includes(text)).includes) {
      if (!include.is_quoted) pending.push_back({include.name, {}, true});
    }
  }

  /// What a folder of the user's or of an option has stays with the compiler, as it is; but it may include standard
  /// headers.
  void follow_unlisted(const Pending& next, std::vector<Pending>& pending) {
    const auto file = find(next, folders_of_options_);
    if (!file) {
      library_.push_back(next.name);
      return;
    }
    std::error_code ignored;
    if (!seen_unlisted_.insert(fs::weakly_canonical(*file, ignored)).second) return;
    auto content = read_text(*file);
    if (!content) return;
    push_includes(*content, file->parent_path(), true, pending);
    unlisted_.push_back({next.name, *std::move(content)});
  }

  /// Last, because a header of the user's takes the place of one of these. What counts in the kernel's identity is
  /// first; then what the compiler may never come to, and what only the runtime's headers bring.
  void add_standard() {
    std::vector<std::string> of_runtime, uncertain;
    const std::set<std::string> certain = certain_names();
    for (std::string& name : std::exchange(library_, {})) {
      std::vector<std::string>& names = is_of_runtime(name)      ? of_runtime
                                        : certain.contains(name) ? library_
                                                                 : uncertain;
      names.push_back(std::move(name));
    }
    add_all(std::move(library_), false);
    const std::size_t counted = headers_.size();
    add_all(std::move(uncertain), false);
    if (headers_.size() > counted) headers_.insert(headers_.begin() + counted, mark_of_uncounted());
    add_all(std::move(of_runtime), true);
  }

  /// With what they include.
  void add_all(std::vector<std::string> names, bool in_runtime) {
    while (!names.empty()) {
      const std::string name = std::move(names.back());
      names.pop_back();
      auto text = standard_header(name);
      if (!text || !by_name_.emplace(name, name).second) continue;
      if (in_runtime && name.ends_with("cstdint") && has_integers()) text = empty_header();
      headers_.push_back({name, std::string(*text)});
      for (const CodeText::Include& include : read_code(*text).includes) names.push_back(include.name);
    }
  }

  /// The names of headers that are included whatever is defined. All of them where nothing hangs on it.
  std::set<std::string> certain_names() const {
    const auto counts = [](const std::string& name) {
      const auto text = standard_header(name);
      return text && *text != empty_header() && !is_of_runtime(name);
    };
    if (std::none_of(library_.begin(), library_.end(), counts)) return {library_.begin(), library_.end()};
    std::set<std::string> names;
    std::vector<std::string_view> pending{source_};
    while (!pending.empty()) {
      const std::string_view text = pending.back();
      pending.pop_back();
      for (CertainInclude& include : certain_includes(up_to_includes(text))) {
        const auto [name, is_new] = names.insert(std::move(include.name));
        if (!is_new) continue;
        for (const std::vector<Header>* found : {&headers_, &unlisted_}) {
          for (const Header& header : *found) {
            if (header.name == *name) pending.push_back(header.text);
          }
        }
      }
    }
    return names;
  }

  /// Whether the source or a header of the user's declares integers, which may not be ours.
  bool has_integers() const {
    const auto declares = [](const Header& header) { return !is_standard(header) && declares_integers(header.text); };
    return declares_integers(source_) || std::any_of(headers_.begin(), headers_.end(), declares) ||
           std::any_of(unlisted_.begin(), unlisted_.end(), declares);
  }

  std::optional<fs::path> find(const Pending& wanted, const std::vector<fs::path>& further) const {
    std::error_code ignored;
    std::vector<fs::path> folders;
    if (!wanted.folder.empty() || !wanted.is_unlisted) folders.push_back(wanted.folder);
    folders.insert(folders.end(), folders_.begin(), folders_.end());
    folders.insert(folders.end(), further.begin(), further.end());
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
  std::vector<fs::path> folders_of_options_;
  std::string_view source_;
  fs::path own_folder_;
  std::map<std::string, fs::path> by_name_;
  std::set<fs::path> seen_, seen_unlisted_;
  std::vector<std::string> library_;  ///< names that no file of the user's has
  std::vector<Header> unlisted_;      ///< headers that stay with the compiler
  std::vector<Header> headers_;
};

}  // namespace

std::vector<Header> quoted_headers(std::string_view text, const fs::path& file, const std::vector<Header>& given,
                                   const std::vector<fs::path>& include_folders) {
  HeaderSearch search(given, include_folders, folders_of_options(text, file));
  search.follow(text, file.parent_path());
  return search.take();
}

std::vector<Header> quoted_headers(const KernelDescription& description, const std::vector<fs::path>& include_folders) {
  return quoted_headers(description.source.empty() ? description.blanked_source : description.source, description.file,
                        description.given_headers, include_folders);
}

std::vector<Header> blank_host_code(std::vector<Header> headers, bool in_program) {
  for (Header& header : headers) {
    if (is_standard(header)) continue;
    if (in_program || has_host_code(header.text)) header.text = blank_host_code(header.text);
    blank_mark(header.text);
  }
  return headers;
}

}  // namespace tuner
