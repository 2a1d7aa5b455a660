#include "tests/structure/foreign_names.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <regex>
#include <stdexcept>
#include <thread>

#include "tests/support/files.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner::test {
namespace {

namespace fs = std::filesystem;

/// What may stand between a library's namespace and the name that one of its headers declares.
const std::set<std::string> kInnerNamespaces{"chrono",       "filesystem",      "ranges",   "this_thread", "views",
                                             "placeholders", "chrono_literals", "literals", "numbers"};

/// "std::chrono::steady_clock::now" becomes "std::chrono::steady_clock".
std::string declared_part(const std::string& path) {
  std::size_t end = path.find("::");
  while (end != std::string::npos) {
    const std::size_t begin = end + 2;
    end = path.find("::", begin);
    if (!kInnerNamespaces.contains(path.substr(begin, end - begin))) break;
  }
  return path.substr(0, end);
}

bool is_namespace(const std::string& name) {
  return kInnerNamespaces.contains(name.substr(name.rfind(':') + 1));
}
bool may_be_macro(const std::string& name) {
  return name.find(':') == std::string::npos;
}

/// The file of ours that `including` means; empty if there is none. The compiler is told of two folders of ours, so
/// that angle brackets find what is in them, too.
std::string file_of_ours(const fs::path& root, const std::string& including, const CodeText::Include& include) {
  const fs::path beside = fs::path(including).parent_path() / include.name;
  for (const fs::path& file : {fs::path(include.name), "tuner/include" / fs::path(include.name), beside}) {
    if (file == beside && !include.is_quoted) continue;
    if (fs::is_regular_file(root / file)) return file.lexically_normal().generic_string();
  }
  return {};
}

/// A source that includes a header.
struct Probe {
  std::string text;
  std::map<int, std::string> names;  ///< by the line that is an error where the name is not known
};

Probe probe_of(const std::string& header, const std::set<std::string>& names) {
  Probe probe;
  probe.text = "#if __has_include(<" + header + ">)\n#include <" + header + ">\n#endif\n";
  int line = 4;
  for (const std::string& name : names) {
    if (may_be_macro(name)) {
      probe.text += "#ifndef " + name + "\n#error not known\n#endif\n";
      probe.names[line + 1] = name;
      line += 3;
    } else {
      const std::string number = std::to_string(line);
      probe.text += is_namespace(name) ? "namespace name_" + number + " = " + name + ";\n"
                                       : "namespace at_" + number + " { using " + name + "; }\n";
      probe.names[line++] = name;
    }
  }
  return probe;
}

std::set<std::string> ask(const std::string& compiler, const fs::path& file, const Probe& probe) {
  write_bytes(file, probe.text);
  const std::string command = compiler + " -std=c++20 -fsyntax-only -w " + shell_word(file) + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string said;
  char part[4096];
  for (std::size_t count; (count = std::fread(part, 1, sizeof part, pipe)) > 0;) said.append(part, count);
  const int status = pclose(pipe);

  std::set<std::string> known;
  for (const auto& [line, name] : probe.names) known.insert(name);
  const std::string begin = file.string() + ":";
  for (std::size_t at = 0; (at = said.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::size_t end = said.find('\n', at);
    if (said.substr(at, end - at).find("error:") == std::string::npos) continue;
    if (const auto found = probe.names.find(std::stoi(said.substr(at))); found != probe.names.end())
      known.erase(found->second);
  }
  // It ends with 1 where a name is not known, and says which: anything else is no answer.
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1 || (status != 0 && known.size() == probe.names.size()))
    throw std::runtime_error(command + " ended with " + std::to_string(status) + ": " + said.substr(0, 1000));
  return known;
}

std::set<std::string> names_in(const std::string& code) {
  static const std::regex kAlias(R"(namespace (\w+) = ([\w:]+);)");
  static const std::regex kName(R"((::)?\b([A-Za-z_]\w*(?:::\w+)*))");
  std::map<std::string, std::string> aliases;
  for (std::sregex_iterator at(code.begin(), code.end(), kAlias); at != std::sregex_iterator(); ++at)
    aliases[(*at)[1]] = (*at)[2];

  std::set<std::string> names;
  for (std::sregex_iterator at(code.begin(), code.end(), kName); at != std::sregex_iterator(); ++at) {
    std::string name = (*at)[2];
    const std::size_t end = name.find("::");
    if (const auto alias = aliases.find(name.substr(0, end)); alias != aliases.end() && end != std::string::npos)
      name = alias->second + name.substr(end);
    if (name.starts_with("std::") || name.starts_with("fmt::") || name.starts_with("nlohmann::")) {
      names.insert(declared_part(name));
    } else if (end == std::string::npos && name.size() > 2 &&
               (name == "errno" ||
                std::none_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c); }))) {
      names.insert(name);
    }
  }
  return names;
}

}  // namespace

std::set<std::string> foreign_names(std::string_view source) {
  return names_in(read_code(source).code);
}

std::vector<std::string> cpp_files(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
        files.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  return files;
}

std::set<std::string> files_of_ours(const fs::path& root, const std::string& file, const CodeText& text) {
  std::set<std::string> files;
  for (const CodeText::Include& include : text.includes) {
    if (std::string ours = file_of_ours(root, file, include); !ours.empty()) files.insert(std::move(ours));
  }
  return files;
}

std::map<std::string, FileUse> read_uses(const fs::path& root, const std::vector<std::string>& folders) {
  std::map<std::string, FileUse> uses;
  for (const std::string& name : cpp_files(root, folders)) {
    const CodeText text = read_code(read_bytes(root / name));
    FileUse& use = uses[name];
    use.names = names_in(text.code);
    use.files = files_of_ours(root, name, text);
    for (const CodeText::Include& include : text.includes) {
      if (file_of_ours(root, name, include).empty()) use.headers.insert(include.name);
    }
  }
  return uses;
}

std::map<std::string, std::set<std::string>> known_names(const std::string& compiler,
                                                         const std::set<std::string>& headers,
                                                         const std::set<std::string>& names) {
  const TemporaryFolder folder;
  const std::vector<std::string> list(headers.begin(), headers.end());
  std::vector<std::set<std::string>> known(list.size());
  std::atomic<std::size_t> next = 0;
  std::exception_ptr trouble;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < list.size();)
        known[i] = ask(compiler, folder / (std::to_string(i) + ".cpp"), probe_of(list[i], names));
    } catch (...) {
      const std::lock_guard lock(mutex);
      trouble = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  }
  if (trouble) std::rethrow_exception(trouble);
  std::map<std::string, std::set<std::string>> by_header;
  for (std::size_t i = 0; i < list.size(); ++i) by_header[list[i]] = std::move(known[i]);
  return by_header;
}

std::vector<std::string> find_missing(const std::map<std::string, FileUse>& uses,
                                      const std::map<std::string, std::set<std::string>>& known) {
  std::set<std::string> foreign;
  for (const auto& [header, names] : known) foreign.insert(names.begin(), names.end());
  std::vector<std::string> missing;
  for (const auto& [file, use] : uses) {
    std::set<std::string> reached{file}, left = use.names;
    for (std::vector<std::string> open{file}; !open.empty();) {
      const auto found = uses.find(open.back());
      open.pop_back();
      if (found == uses.end()) continue;
      for (const std::string& header : found->second.headers) {
        for (const std::string& name : known.at(header)) left.erase(name);
      }
      for (const std::string& next : found->second.files) {
        if (reached.insert(next).second) open.push_back(next);
      }
    }
    for (const std::string& name : left) {
      if (foreign.contains(name) || !may_be_macro(name))
        missing.push_back(file + " uses " + name + ", and no header that it includes makes it known");
    }
  }
  return missing;
}

}  // namespace tuner::test
