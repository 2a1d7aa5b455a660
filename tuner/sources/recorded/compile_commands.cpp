#include "tuner/sources/recorded/compile_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tuner/error.hpp"
#include "tuner/sources/recorded/compiler_start.hpp"
#include "tuner/sources/recorded/json_file.hpp"
#include "tuner/sources/recorded/words.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// An entry of the file, with what its sentences name.
class Entry {
 public:
  Entry(const json& value, std::size_t number, const fs::path& file) : value_(value), number_(number), file_(file) {
    if (!value_.is_object()) refuse("is no object");
    text("file");  // the words say it again, and say more
  }

  std::string text(const char* key) const {
    const auto found = value_.find(key);
    if (found == value_.end()) refuse(fmt::format("has no `{}`", key));
    if (!is_word(*found)) refuse(fmt::format("has a `{}` that is no text", key));
    return found->get<std::string>();
  }

  std::vector<std::string> words() const {
    const auto arguments = value_.find("arguments");
    if (arguments != value_.end()) {
      if (!arguments->is_array() || !std::ranges::all_of(*arguments, is_word))
        refuse("has `arguments` that are no list of texts");
      return not_empty(arguments->get<std::vector<std::string>>());
    }
    if (!value_.contains("command")) refuse("has neither `command` nor `arguments`");
    auto words = split_words(text("command"), Quoting::shell);
    if (!words) refuse("has a `command` in which a quote stands open");
    return not_empty(std::move(*words));
  }

 private:
  std::vector<std::string> not_empty(std::vector<std::string> words) const {
    if (words.empty() || words.front().empty()) refuse("names no compiler");
    return words;
  }
  [[noreturn]] void refuse(std::string_view how) const {
    throw Error(Errc::bad_usage, fmt::format("{} cannot be used: entry {} {}. Have the build write it again.",
                                             file_.string(), number_, how));
  }

  const json& value_;
  std::size_t number_;
  const fs::path& file_;
};

}  // namespace

RecordedBuild read_compile_commands(const fs::path& file) {
  const std::optional<JsonFile> read = read_json_file(file);
  if (!read || !read->value.is_array()) {
    throw Error(Errc::bad_usage, fmt::format("{} is no compile_commands.json: it is not a list in JSON. Have the build "
                                             "write it again.",
                                             file.string()));
  }
  const fs::path beside = fs::absolute(file).parent_path();
  const char* const path = std::getenv("PATH");
  RecordedBuild build{.distrust = read->distrust};
  for (std::size_t i = 0; i < read->value.size(); ++i) {
    const Entry entry(read->value[i], i + 1, file);
    const fs::path folder = (beside / entry.text("directory")).lexically_normal();
    SeenStart seen = seen_start(start_of(entry.words(), folder, path == nullptr ? "/usr/bin:/bin" : path));
    if (!seen.command) continue;
    seen.command->environment.clear();
    build.commands.push_back(std::move(*seen.command));
  }
  return build;
}

}  // namespace tuner::sources
