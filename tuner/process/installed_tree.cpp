#include "tuner/process/installed_tree.hpp"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

#include "cache/file/own_library.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

/// The mapped file that this code is in, from a text that has thousands of lines in a program that uses CUDA.
fs::path mapped_file_of_this_code() {
  const auto here = reinterpret_cast<std::uintptr_t>(&mapped_file_of_this_code);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || here < begin || here >= end) continue;
    const std::size_t slash = line.find('/');
    return slash != std::string::npos ? line.substr(slash) : "";
  }
  return {};
}

}  // namespace

fs::path folder_of_this_code() {
  fs::path file = cache::own_library();
  if (file.empty()) return folder_of_this_program();
  // The loader's own name of a library is what the program was started with: a relative one says nothing any more in
  // another folder, where anybody may have put a file of that name.
  if (file.is_relative()) file = mapped_file_of_this_code();
  std::error_code error;
  file = fs::canonical(file, error);
  return error ? fs::path{} : file.parent_path();
}

fs::path folder_of_this_program() {
  std::error_code error;
  const fs::path file = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path{} : file.parent_path();
}

}  // namespace tuner
