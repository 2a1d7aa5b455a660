// Includes are written in one way, which is the one that the other tests of this folder read.
#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/foreign_names.hpp"
#include "tests/support/files.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner::test {
namespace {

/// A line for each directive of `source` that includes something in another way than `#include "name"` or
/// `#include <name>`, and for each that code for NVRTC is not to see, where the tests would not see it either.
std::vector<std::string> odd_includes(const std::string& source) {
  static const std::regex kAny(R"re((^|\n)[ \t]*(#|%:|\?\?=)[ \t]*(include|include_next|import|embed)\b[^\n]*)re");
  static const std::regex kPlain(R"re(#[ \t]*include (<([^>]+)>|"([^"]+)")\s*(//.*)?)re");
  static const std::regex kSplice(R"re(\\\n)re");
  std::set<std::string> seen;
  for (const CodeText::Include& include : read_code(source).includes) seen.insert(include.name);
  const std::string spliced = std::regex_replace(source, kSplice, "");
  std::vector<std::string> lines;
  for (std::sregex_iterator at(spliced.begin(), spliced.end(), kAny); at != std::sregex_iterator(); ++at) {
    std::string line = at->str();
    line.erase(0, line.find_first_not_of("\n \t"));
    std::smatch plain;
    const bool is_plain = std::regex_match(line, plain, kPlain) && source.find(line) != std::string::npos;
    if (!is_plain || !seen.contains(plain[2].str() + plain[3].str())) lines.push_back(line);
  }
  return lines;
}

TEST_CASE("every include is written so that these tests see it") {
  for (const std::string& file : cpp_files(TUNER_SOURCE_DIR, {"search", "cache", "tuner"})) {
    // The shim is compiled with kernels, and knows what NVRTC does not.
    if (file.starts_with("tuner/host/shim/")) continue;
    for (const std::string& line : odd_includes(read_bytes(std::filesystem::path(TUNER_SOURCE_DIR) / file)))
      FAIL_CHECK((file + ": " + line));
  }
}

TEST_CASE("the device code that the host compiles is one file, and includes nothing") {
  const std::filesystem::path root = TUNER_SOURCE_DIR;
  const std::string only = "tuner/core/support/support.cu";
  CHECK(read_code(read_bytes(root / only)).includes.empty());
  for (const std::string& file : cpp_files(root, {"search", "cache", "tuner"})) {
    for (const CodeText::Include& include : read_code(read_bytes(root / file)).includes) {
      if (include.name.ends_with(".cu")) CHECK_MESSAGE(include.name == only, file);
    }
  }
}

TEST_CASE("an include by a macro, behind a guard, by digraph, over two lines or of another kind was not seen") {
  CHECK(odd_includes("#include <vector>\n#  include \"a/b.hpp\"  // why\nint include;\n").empty());
  CHECK(odd_includes("#define H \"a/b.hpp\"\n#include H\n") == std::vector<std::string>{"#include H"});
  CHECK(odd_includes("#ifndef __CUDACC_RTC__\n#include \"a/b.hpp\"\n#endif\n").size() == 1);
  CHECK(odd_includes("%:include \"a/b.hpp\"\n").size() == 1);
  CHECK(odd_includes("#include \\\n\"a/b.hpp\"\n").size() == 1);
  CHECK(odd_includes("#import \"a/b.hpp\"\n").size() == 1);
  CHECK(odd_includes("  #include_next <stdio.h>\n").size() == 1);
}

}  // namespace
}  // namespace tuner::test
