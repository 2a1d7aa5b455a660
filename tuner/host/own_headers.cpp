#include "tuner/host/own_headers.hpp"

#include <algorithm>
#include <string>

#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/host/shim_source.hpp"

namespace tuner::host {

std::vector<Header> own_headers(const KernelDescription& description, const std::vector<Header>& headers,
                                const std::vector<std::filesystem::path>& include_folders) {
  std::vector<Header> own = without_standard(headers);
  if (include_folders.empty()) return own;
  const auto is_known = [&](const std::string& name) {
    return is_of_shim(name) || standard_header(name) ||
           std::any_of(own.begin(), own.end(), [&](const Header& header) { return header.name == name; });
  };
  const auto take = [&](std::string_view text) {
    for (const CodeText::Include& include : read_code(text).includes) {
      if (include.is_quoted || is_known(include.name)) continue;
      // As if with quotes, by a file that has no others beside it.
      const std::string line = "#include \"" + include.name + "\"\n";
      for (Header& found : quoted_headers(line, "/", {}, include_folders)) {
        if (!is_known(found.name)) own.push_back(std::move(found));
      }
    }
  };
  take(description.blanked_source);
  for (std::size_t i = 0; i < own.size(); ++i) take(std::string(own[i].text));
  return own;
}

}  // namespace tuner::host
