#include "tuner/sources/recorded/response_file.hpp"

#include <optional>
#include <utility>

#include "tuner/sources/recorded/bounded_file.hpp"
#include "tuner/sources/recorded/words.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestResponse = std::size_t{16} << 20;
constexpr int kDeepestResponse = 10;  // of files that name files

class Expansion {
 public:
  Expansion(CompilerKind kind, fs::path folder) : is_nvcc_(kind == CompilerKind::nvcc), folder_(std::move(folder)) {}

  void add(const std::vector<std::string>& words, int depth) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!is_nvcc_) {
        if (!word.starts_with('@') || !add_file(word.substr(1), depth)) result_.push_back(word);
        continue;
      }
      const std::size_t equals = word.find('=');
      if (!is_options_file(word)) {
        result_.push_back(word);
      } else if (equals != std::string::npos) {
        add_files(word.substr(equals + 1), depth);
      } else if (i + 1 < words.size()) {
        add_files(words[++i], depth);
      }
    }
  }

  std::vector<std::string> take() { return std::move(result_); }

 private:
  /// Names with commas between them.
  void add_files(const std::string& names, int depth) {
    for (std::size_t begin = 0; begin <= names.size();) {
      const std::size_t end = std::min(names.find(',', begin), names.size());
      const std::string name = names.substr(begin, end - begin);
      if (!name.empty() && !add_file(name, depth)) {
        result_.emplace_back("--options-file");
        result_.push_back(name);
      }
      begin = end + 1;
    }
  }

  bool add_file(const fs::path& name, int depth) {
    if (depth >= kDeepestResponse) return false;
    const std::optional<std::string> text = read_bounded(folder_ / name, kLongestResponse - read_);
    if (!text) return false;
    const auto words = split_words(*text, is_nvcc_ ? Quoting::nvcc : Quoting::gnu);
    if (!words) return false;
    read_ += text->size();
    add(*words, depth + 1);
    return true;
  }

  bool is_nvcc_;
  fs::path folder_;
  std::size_t read_ = 0;
  std::vector<std::string> result_;
};

}  // namespace

bool is_options_file(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return name == "-optf" || name == "--options-file";
}

std::vector<std::string> with_response_files(const std::vector<std::string>& words, CompilerKind kind,
                                             const std::string& folder) {
  Expansion expansion(kind, folder);
  expansion.add(words, 0);
  return expansion.take();
}

}  // namespace tuner::sources
