#include "tuner/core/description/headers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/compiler_options.hpp"
#include "tuner/core/description/header_names.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/description/host_data.hpp"
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

/// The macros that may mark functions, as `#define HOST_DEVICE __host__ __device__`, or `#define HOST_DEVICE`. Others
/// would only cost time.
std::vector<CodeText::Macro> marks_of(const std::vector<Header>& headers) {
  std::vector<CodeText::Macro> marks;
  for (const Header& header : headers) {
    if (is_standard(header)) continue;
    for (CodeText::Macro& macro : read_code(header.text).macros) {
      if (std::all_of(macro.body.begin(), macro.body.end(), [](char c) { return is_word_character(c) || c == ' '; }) &&
          (macro.body.empty() || !is_digit(macro.body.front())))
        marks.push_back(std::move(macro));
    }
  }
  return marks;
}

bool says_once(std::string_view text) {
  const std::vector<LiveLine> lines = live_lines(text);
  return std::any_of(lines.begin(), lines.end(),
                     [](const LiveLine& line) { return search::trimmed(line.text) == "pragma once"; });
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
  void follow(std::string_view text, const fs::path& folder, bool leaves_none) {
    source_ = text;
    own_folder_ = folder;
    std::vector<Pending> pending;
    push_includes(text, folder, false, pending);
    while (!pending.empty()) {
      const Pending next = std::move(pending.back());
      pending.pop_back();
      if (next.is_unlisted || !follow_listed(next, pending)) follow_unlisted(next, pending);
    }
    // The compiler finds those with angle brackets by itself, but gets what is blanked in memory, and what includes it.
    if (!leaves_none && !has_program()) leave_unlisted();
    tell_headers_apart();
    for (const FoundHeader& found : listed_) headers_.push_back(found.header);
    add_standard();
  }

  std::vector<Header> take() { return std::move(headers_); }

 private:
  struct Pending {
    std::string name;
    fs::path folder;           ///< of the file that includes it
    bool is_unlisted = false;  ///< included with angle brackets, or by such a header
  };

  void push_includes(std::string_view text, const fs::path& folder, bool is_unlisted, std::vector<Pending>& pending) {
    const std::vector<CodeText::Include> includes = all_includes(text);
    for (auto include = includes.rbegin(); include != includes.rend(); ++include) {
      if (include->is_quoted) pending.push_back({include->name, folder, is_unlisted});
    }
    const auto is_ours = [&](const CodeText::Include& include) {
      return !include.is_quoted && (standard_header(include.name) || given_.contains(include.name));
    };
    if (folders_.empty() && folders_of_options_.empty() && std::none_of(includes.begin(), includes.end(), is_ours))
      return;
    for (const CodeText::Include& include : read_code(up_to_includes(text)).includes) {
      if (!include.is_quoted) pending.push_back({include.name, {}, true});
    }
  }

  /// False if it is not found, and so left to the compiler.
  bool follow_listed(const Pending& next, std::vector<Pending>& pending) {
    if (const auto given = given_.find(next.name); given != given_.end()) {
      if (!names_.insert(next.name).second) return true;
      listed_.push_back({{next.name, *given->second}, {}, {}});
      push_includes(*given->second, next.folder, false, pending);
      return true;
    }
    const auto file = find(next, {});
    if (!file) return false;
    const fs::path canonical = canonical_of(*file);
    if (!listed_files_.emplace(next.name, canonical).second) return true;
    auto content = read_text(*file);
    if (!content) return true;
    names_.insert(next.name);
    // The same file under a second name is a header of its own for the compiler, but what it includes is known.
    if (seen_.insert(canonical).second) push_includes(*content, canonical.parent_path(), false, pending);
    listed_.push_back({{next.name, *std::move(content)}, canonical, canonical.parent_path()});
    return true;
  }

  /// What a folder of the user's or of an option has.
  void follow_unlisted(const Pending& next, std::vector<Pending>& pending) {
    if (const auto given = given_.find(next.name); given != given_.end()) {
      if (!unlisted_files_.emplace(next.name, fs::path()).second) return;
      push_includes(*given->second, {}, true, pending);
      unlisted_.push_back({{next.name, *given->second}, {}, {}});
      return;
    }
    const auto file = find(next, folders_of_options_);
    if (!file) {
      library_.push_back(next.name);
      return;
    }
    const fs::path canonical = canonical_of(*file);
    if (!unlisted_files_.emplace(next.name, canonical).second) return;
    auto content = read_text(*file);
    if (!content) return;
    if (seen_unlisted_.insert(canonical).second) push_includes(*content, file->parent_path(), true, pending);
    unlisted_.push_back({{next.name, *std::move(content)}, canonical, file->parent_path()});
  }

  /// Whether the source, or one of its headers, has host code. Looked at only where it makes a difference.
  bool has_program() const {
    const auto has = [](const FoundHeader& found) { return has_host_code(found.header.text); };
    return !unlisted_.empty() && (has_host_code(source_) || std::any_of(listed_.begin(), listed_.end(), has) ||
                                  std::any_of(unlisted_.begin(), unlisted_.end(), has));
  }

  void leave_unlisted() {
    const auto left = std::stable_partition(unlisted_.begin(), unlisted_.end(),
                                            [](const FoundHeader& found) { return found.file.empty(); });
    left_.assign(std::make_move_iterator(left), std::make_move_iterator(unlisted_.end()));
    unlisted_.erase(left, unlisted_.end());
  }

  void tell_headers_apart() {
    std::set<std::pair<std::string_view, fs::path>> known;
    for (const FoundHeader& found : listed_) known.emplace(found.header.name, found.file);
    // One name of one file is enough: the other is included in its place.
    std::erase_if(unlisted_, [&](const FoundHeader& found) { return known.contains({found.header.name, found.file}); });
    const std::size_t count = listed_.size();
    listed_.insert(listed_.end(), std::make_move_iterator(unlisted_.begin()), std::make_move_iterator(unlisted_.end()));
    std::set<fs::path> files;
    for (const FoundHeader& found : listed_) files.insert(found.file);
    tell_apart(source_, own_folder_, listed_, [&](const CodeText::Include& include, const fs::path& folder) {
      const auto file =
          find({include.name, include.is_quoted ? folder : fs::path(), !include.is_quoted}, folders_of_options_);
      const fs::path canonical = file ? canonical_of(*file) : fs::path();
      return files.contains(canonical) ? canonical : fs::path();
    });
    unlisted_.assign(std::make_move_iterator(listed_.begin() + static_cast<std::ptrdiff_t>(count)),
                     std::make_move_iterator(listed_.end()));
    listed_.resize(count);
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
    for (const FoundHeader& found : unlisted_) headers_.push_back(found.header);
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
      if (!text || !names_.insert(name).second) continue;
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
        for (const std::vector<FoundHeader>* all : {&listed_, &unlisted_, &left_}) {
          for (const FoundHeader& found : *all) {
            if (found.header.name == *name) pending.push_back(found.header.text);
          }
        }
      }
    }
    return names;
  }

  /// Whether the source or a header of the user's declares integers, which may not be ours.
  bool has_integers() const {
    const auto declares = [](const FoundHeader& found) { return declares_integers(found.header.text); };
    return declares_integers(source_) || std::any_of(listed_.begin(), listed_.end(), declares) ||
           std::any_of(unlisted_.begin(), unlisted_.end(), declares) ||
           std::any_of(left_.begin(), left_.end(), declares);
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

  static fs::path canonical_of(const fs::path& file) {
    std::error_code ignored;
    return fs::weakly_canonical(file, ignored);
  }

  std::map<std::string_view, const std::string*> given_;
  std::vector<fs::path> folders_;
  std::vector<fs::path> folders_of_options_;
  std::string_view source_;
  fs::path own_folder_;
  std::set<std::string> names_;  ///< of what is listed
  std::set<std::pair<std::string, fs::path>> listed_files_, unlisted_files_;
  std::set<fs::path> seen_, seen_unlisted_;
  std::vector<std::string> library_;   ///< names that no file of the user's has
  std::vector<FoundHeader> listed_;    ///< included with quotes
  std::vector<FoundHeader> unlisted_;  ///< included with angle brackets, or by such a header
  std::vector<FoundHeader> left_;      ///< of these, what the compiler finds by itself
  std::vector<Header> headers_;
};

}  // namespace

std::vector<Header> quoted_headers(std::string_view text, const fs::path& file, const std::vector<Header>& given,
                                   const std::vector<fs::path>& include_folders) {
  HeaderSearch search(given, include_folders, folders_of_options(text, file));
  search.follow(text, file.parent_path(), false);
  return search.take();
}

std::vector<Header> quoted_headers(const KernelDescription& description, const std::vector<fs::path>& include_folders) {
  return quoted_headers(description.source.empty() ? description.blanked_source : description.source, description.file,
                        description.given_headers, include_folders);
}

std::vector<Header> all_headers(const KernelDescription& description, const std::vector<fs::path>& include_folders) {
  HeaderSearch search(description.given_headers, include_folders, {});
  search.follow(description.source, description.file.parent_path(), true);
  return search.take();
}

std::vector<Header> blank_host_code(std::vector<Header> headers, std::string_view program) {
  const std::vector<CodeText::Macro> macros = program.empty() ? std::vector<CodeText::Macro>() : marks_of(headers);
  for (Header& header : headers) {
    if (is_standard(header)) continue;
    if (!program.empty() || has_host_code(header.text))
      header.text = blank_host_variables(blank_host_code(header.text, macros));
    blank_mark(header.text);
  }
  if (!program.empty()) blank_unused(program, headers);
  std::map<std::string, std::string> once;  // names by texts
  for (Header& header : headers) {
    if (is_standard(header) || !says_once(header.text)) continue;
    const auto [first, is_new] = once.emplace(header.text, header.name);
    if (!is_new) header.text = fmt::format("#include \"{}\"\n", first->second);
  }
  return headers;
}

}  // namespace tuner
