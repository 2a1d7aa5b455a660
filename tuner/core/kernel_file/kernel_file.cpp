#include "tuner/core/kernel_file/kernel_file.hpp"

#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/t1/reader.hpp"

namespace tuner {

std::vector<KernelDescription> load_descriptions(const std::filesystem::path& file, const WarningSink& warn) {
  const std::string text = read_kernel_file(file);
  if (!is_t1(text)) return parse_descriptions(text, file);
  T1Description t1 = read_t1(text, file);
  for (const std::string& warning : t1.warnings) {
    if (warn) warn(warning);
  }
  std::vector<KernelDescription> descriptions;
  descriptions.push_back(std::move(t1.kernel));
  return descriptions;
}

KernelDescription load_description(const std::filesystem::path& file, std::string_view kernel,
                                   const WarningSink& warn) {
  return choose_description(load_descriptions(file, warn), file, kernel, "--kernel");
}

}  // namespace tuner
