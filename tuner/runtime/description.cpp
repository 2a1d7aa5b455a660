#include "tuner/description.hpp"

#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/t1/reader.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/runtime/description_content.hpp"

namespace tuner {

Description describe_text(std::string_view text, const std::filesystem::path& file, std::string_view kernel,
                          std::vector<Header> headers, const std::vector<std::filesystem::path>& include_folders) {
  auto content = std::make_shared<Description::Content>();
  content->kernel = choose_description(parse_descriptions(text, file), file, kernel);
  content->kernel.given_headers = std::move(headers);
  // Read once, here, and not for every problem.
  content->kernel.given_headers = quoted_headers(content->kernel, include_folders);
  content->kernel.known_identity = kernel_identity(content->kernel, content->kernel.given_headers);
  return Description(std::move(content));
}

Description Description::from_file(const std::filesystem::path& file, std::string_view kernel,
                                   const std::vector<std::filesystem::path>& include_folders) {
  const std::string text = read_kernel_file(file);
  if (!is_t1(text)) return describe_text(text, file, kernel, {}, include_folders);
  const KernelDescription described = read_t1(text, file).kernel;  // its source says as directives what the JSON said
  return describe_text(described.source, described.file, kernel, {}, include_folders);
}

Description Description::from_text(std::string_view text, const EmbeddedText& embedded) {
  return describe_text(text, embedded.name, embedded.kernel, embedded.headers, {});
}

std::shared_ptr<const KernelDescription> kernel_of(const Description& description) {
  return {description.content(), &description.content()->kernel};
}

const std::string& Description::kernel() const noexcept {
  return content_->kernel.kernel;
}

std::vector<std::string> Description::problem_properties() const {
  std::vector<std::string> names;
  for (const ProblemProperty& property : content_->kernel.problem) names.push_back(property.name);
  return names;
}

}  // namespace tuner
