#pragma once

#include <string>

#include "tests/core/support.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::test {

/// A kernel file in a folder of data, with one output; `arguments` follow on line 4.
inline Task filter_task(const TemporaryFolder& folder, const std::string& arguments, std::int64_t n = 4) {
  const std::string text =
      "#pragma tuner kernel(filter)\n"
      "#pragma tuner problem(n: size) problem_constraint(n >= 1)\n"
      "#pragma tuner grid(1) block(32) out(z, float, n)\n"
      "#pragma tuner " +
      arguments + "\n";
  return Task(parse_descriptions(text, folder.path() / "filter.cu").front(), {{"n", n}}, known_device("H200"));
}

/// What is wrong with the data of its arguments, without the name of the folder; "no error" if nothing is.
inline std::string refusal(const TemporaryFolder& folder, const std::string& arguments, std::int64_t n = 4) {
  std::string result = error_of([&] { filter_task(folder, arguments, n).arguments_with_data(); });
  const std::string path = folder.path().string() + "/";
  for (std::size_t at; (at = result.find(path)) != std::string::npos;) result.erase(at, path.size());
  return result;
}

}  // namespace tuner::test
