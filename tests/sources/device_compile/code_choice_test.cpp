#include "tuner/sources/device_compile/code_choice.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tuner::sources;

namespace {

/// "compute_80 sm_80", "compute_80 sm_90 ptx", "compute_80 sm_80 [800,900]", or "none".
std::string choose(const std::vector<std::string>& arguments, int architecture,
                   const std::string& version = "13.0.88") {
  const std::vector<NvccWord> words = read_nvcc_words(arguments);
  const std::vector<NamedCode> named = named_codes(words, version, architecture);
  const std::optional<CodeChoice> chosen = choose_code(named, architecture);
  if (!chosen) return "none";
  std::string text = chosen->virtual_architecture + ' ' + chosen->code + (chosen->from_ptx ? " ptx" : "");
  if (!chosen->architecture_list.empty()) text += " [" + chosen->architecture_list + ']';
  return text;
}

}  // namespace

TEST_CASE("machine code of the architecture is what ran") {
  CHECK_EQ(choose({"-arch=sm_90"}, 90), "compute_90 sm_90");
  CHECK_EQ(choose({"-arch", "compute_80", "-code", "sm_80,sm_90"}, 90), "compute_80 sm_90");
  CHECK_EQ(choose({"--gpu-architecture=compute_80", "--gpu-code=sm_80"}, 80), "compute_80 sm_80");
}

TEST_CASE("what -gencode says may stand in brackets and quotes") {
  for (const char* value : {"arch=compute_80,code=[sm_80,compute_80]", "arch=compute_80,code=\"sm_80,compute_80\"",
                            "arch=compute_80,code=\\\"sm_80,compute_80\\\"", "arch=compute_80,code=sm_80"})
    CHECK_EQ(choose({"-gencode", value}, 80), "compute_80 sm_80");
}

TEST_CASE("without machine code of the architecture, the newest PTX that is not newer is what the driver compiled") {
  CHECK_EQ(choose({"-arch=sm_80"}, 90), "compute_80 sm_90 ptx");
  CHECK_EQ(choose({"-arch=compute_75"}, 90), "compute_75 sm_90 ptx");
  CHECK_EQ(choose({"-gencode=arch=compute_80,code=[sm_80,compute_80]", "-gencode=arch=compute_86,code=compute_86"}, 90),
           "compute_86 sm_90 ptx [800,860]");
}

TEST_CASE("a command that makes only PTX has no machine code that could have run") {
  CHECK_EQ(choose({"-ptx", "-arch=sm_90"}, 90), "compute_90 sm_90 ptx");
}

TEST_CASE("code for other architectures alone is none that ran") {
  CHECK_EQ(choose({"-gencode=arch=compute_80,code=sm_80"}, 90), "none");
  CHECK_EQ(choose({"-arch=sm_100"}, 90), "none");
  CHECK_EQ(choose({"-arch=nonsense"}, 90), "none");
  CHECK_EQ(choose({"-gencode="}, 90), "none");
}

TEST_CASE("code for one GPU's own features comes before code for all of its architecture") {
  CHECK_EQ(choose({"-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_90a,code=sm_90a"}, 90),
           "compute_90a sm_90a");
}

TEST_CASE("a command that names no architecture means that of its nvcc's version") {
  CHECK_EQ(choose({}, 90), "compute_75 sm_90 ptx");
  CHECK_EQ(choose({}, 75), "compute_75 sm_75");
  CHECK_EQ(choose({}, 90, "12.4.131"), "compute_52 sm_90 ptx");
}

TEST_CASE("native, all and all-major come to the architecture that ran, or the first of its kind") {
  CHECK_EQ(choose({"-arch=native"}, 86), "compute_86 sm_86");
  CHECK_EQ(choose({"-arch=all"}, 86), "compute_86 sm_86");
  CHECK_EQ(choose({"-arch=all-major"}, 80), "compute_80 sm_80");
}

TEST_CASE("the build's list of architectures is known where it has several, in order and each once") {
  CHECK_EQ(choose({"-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_80,code=sm_80",
                   "-gencode=arch=compute_80,code=compute_80"},
                  90),
           "compute_90 sm_90 [800,900]");
}
