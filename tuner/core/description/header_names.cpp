#include "tuner/core/description/header_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tuner/core/description/source_text.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class HeaderNames {
 public:
  HeaderNames(std::string_view source, const fs::path& folder, const IncludedFile& file_of) : file_of_(file_of) {
    for (const CodeText::Include& include : all_includes(source)) {
      const fs::path file = file_of(include, folder);
      if (file.empty()) continue;
      const auto [position, is_new] = owners_.emplace(include.name, file);
      if (is_new) names_.emplace(std::pair(include.name, file), include.name);
      if (position->second != file) refuse(include.name, position->second, file);
    }
  }

  /// To each file the name by which it is included, where that is free.
  void name_all(std::vector<FoundHeader>& headers) {
    for (const FoundHeader& header : headers) {
      for (const CodeText::Include& include : all_includes(header.header.text)) {
        const fs::path file = header.file.empty() ? fs::path() : file_of_(include, header.folder);
        if (!file.empty()) note(include.name, file, header.header.name);
      }
    }
    for (FoundHeader& header : headers) {
      if (header.file.empty()) continue;
      write_names(header);
      const auto name = names_.find({header.header.name, header.file});
      if (name != names_.end()) header.header.name = name->second;
    }
  }

 private:
  [[noreturn]] static void refuse(const std::string& name, const fs::path& first, const fs::path& second) {
    throw Error(Errc::bad_description,
                fmt::format("The source includes two files as {}: {} and {}. The compiler cannot tell them apart. "
                            "Rename one of the two.",
                            name, first.string(), second.string()));
  }

  void note(const std::string& said, const fs::path& file, const std::string& from) {
    if (names_.contains({said, file})) return;
    std::string name = said;
    if (!is_free(name, file)) name = (fs::path(from).parent_path() / said).lexically_normal().string();
    while (!is_free(name, file)) name = "other/" + name;
    owners_.emplace(name, file);
    names_.emplace(std::pair(said, file), std::move(name));
  }

  bool is_free(const std::string& name, const fs::path& file) const {
    const auto owner = owners_.find(name);
    return owner == owners_.end() || owner->second == file;
  }

  void write_names(FoundHeader& header) const {
    std::string& text = header.header.text;
    std::vector<PreprocessorLine> lines = preprocessor_lines(text);
    std::reverse(lines.begin(), lines.end());  // so that places in front stay
    for (const PreprocessorLine& line : lines) {
      const auto include = include_of(line.text);
      if (!include || include->name.empty()) continue;
      const auto name = names_.find({include->name, file_of_(*include, header.folder)});
      if (name == names_.end() || name->second == include->name) continue;
      const std::size_t begin = line.text.find(include->name, line.text.find_first_of("\"<"));
      text.replace(line.offsets[begin], line.offsets[begin + include->name.size()] - line.offsets[begin], name->second);
    }
  }

  const IncludedFile& file_of_;
  std::map<std::string, fs::path> owners_;
  std::map<std::pair<std::string, fs::path>, std::string> names_;  ///< of a file that is included by the first name
};

}  // namespace

void tell_apart(std::string_view source, const fs::path& folder, std::vector<FoundHeader>& headers,
                const IncludedFile& file_of) {
  std::map<std::string_view, const fs::path*> files;
  const bool are_apart = std::all_of(headers.begin(), headers.end(), [&](const FoundHeader& header) {
    return *files.emplace(header.header.name, &header.file).first->second == header.file;
  });
  if (!are_apart) HeaderNames(source, folder, file_of).name_all(headers);
}

}  // namespace tuner
