// Links in the manual lead somewhere: to a file of the sources, and to a heading in it.
#include <doctest/doctest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

const fs::path kManual = TUNER_SOURCE_DIR;

/// The lines of a page that are prose: neither between fences nor indented as code.
std::vector<std::string> prose_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  bool is_fenced = false;
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("```")) is_fenced = !is_fenced;
    if (!is_fenced && !line.starts_with("```") && !line.starts_with("    ")) lines.push_back(line);
  }
  return lines;
}

/// The anchor that Git hosts and pandoc give a heading: small letters, blanks as hyphens, no other punctuation.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(letter));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::set<std::string> anchors_in(const std::string& text) {
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  for (const std::string& line : prose_lines(text)) {
    const std::size_t end = line.find_first_not_of('#');
    if (end == 0 || end == std::string::npos || line[end] != ' ') continue;
    const std::string anchor = anchor_of(line.substr(end + 1));
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

std::vector<std::string> links_in(const std::string& text) {
  std::string prose;
  for (const std::string& line : prose_lines(text)) prose += line + "\n";
  prose = std::regex_replace(prose, std::regex("`[^`]*`"), "code");
  static const std::regex link("\\]\\(([^)\\s]*)\\)");
  std::vector<std::string> links;
  for (std::sregex_iterator at(prose.begin(), prose.end(), link), end; at != end; ++at) links.push_back((*at)[1]);
  return links;
}

/// Why the link, which `page` has, leads nowhere; empty if it does. What is not here is not asked for.
std::string trouble_with(const std::string& link, const fs::path& page) {
  if (link.find("://") != std::string::npos || link.starts_with("mailto:")) return {};
  const std::size_t hash = std::min(link.find('#'), link.size());
  const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
  if (!fs::exists(target)) return "there is no such file";
  if (hash == link.size()) return {};
  return anchors_in(read_bytes(target)).contains(link.substr(hash + 1)) ? "" : "there is no such heading";
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found{kManual / "README.md", kManual / "ARCHITECTURE.md", kManual / "CONTRIBUTING.md"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kManual / "docs")) {
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  }
  return found;
}

TEST_CASE("every link between pages of the manual leads to a file and a heading") {
  std::size_t links = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& link : links_in(read_bytes(page))) {
      INFO(page << ": " << link);
      CHECK(trouble_with(link, page) == "");
      ++links;
    }
  }
  CHECK(links > 100);
}

TEST_CASE("a link to nothing is noticed") {
  const fs::path page = kManual / "docs/cli.md";
  CHECK(trouble_with("#tune", page) == "");
  CHECK(trouble_with("json.md#winner", page) == "");
  CHECK(trouble_with("#nothing-of-that-name", page) == "there is no such heading");
  CHECK(trouble_with("nothing.md", page) == "there is no such file");
  CHECK(links_in("a [b](c.md#d), `[e](f)`\n    [g](h)\n") == std::vector<std::string>{"c.md#d"});
  CHECK(anchors_in("# A `b-c`, (d)\n## X\n## X\n") == std::set<std::string>{"a-b-c-d", "x", "x-1"});
}

}  // namespace
