#include "tuner/description.hpp"

#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/description/kernel_text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/t1/reader.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/served_winner.hpp"
#include "tuner/runtime/description_content.hpp"

namespace tuner {

Description::Content::Content(std::string its_text, std::filesystem::path its_file, std::string_view chosen,
                              const std::vector<Header>& given,
                              const std::vector<std::filesystem::path>& include_folders)
    : text(std::move(its_text)),
      file(std::move(its_file)),
      kernel(chosen),
      headers(quoted_headers(text, file, given, include_folders)) {
  // Whether the kernel is alone in its text is not known yet.
  const std::vector<Header> compiled = blank_host_code(headers, has_host_code(text) ? std::string_view(text) : "");
  possible_sources.push_back(served_source(text, "", compiled));
  if (!kernel.empty()) possible_sources.push_back(served_source(text, kernel, compiled));
}

const KernelDescription& Description::Content::parsed() const {
  once_.run([this] {
    std::vector<KernelDescription> all = parse_descriptions(text, file);
    source_ = all.size() == 1 ? 0 : 1;
    KernelDescription chosen = choose_description(std::move(all), file, kernel);
    chosen.given_headers = headers;
    // Computed once, here, and not for every problem.
    chosen.known_identity = kernel_identity(chosen, headers);
    parsed_ = std::move(chosen);
  });
  return *parsed_;
}

const std::string& Description::Content::source() const {
  parsed();
  return possible_sources[source_];
}

Description Description::from_file(const std::filesystem::path& file, std::string_view kernel,
                                   const std::vector<std::filesystem::path>& include_folders) {
  std::string text = read_kernel_file(file);
  if (!is_t1(text)) {
    return Description(
        std::make_shared<const Content>(std::move(text), file, kernel, std::vector<Header>{}, include_folders));
  }
  const KernelDescription described = read_t1(text, file).kernel;  // its source says as directives what the JSON said
  const auto content =
      std::make_shared<const Content>(described.source, described.file, kernel, std::vector<Header>{}, include_folders);
  content->parsed();
  return Description(content);
}

Description Description::from_text(std::string_view text, const EmbeddedText& embedded) {
  return Description(std::make_shared<const Content>(std::string(text), embedded.name, embedded.kernel,
                                                     embedded.headers, std::vector<std::filesystem::path>{}));
}

const std::string& Description::kernel() const {
  return content_->parsed().kernel;
}

std::vector<std::string> Description::problem_properties() const {
  std::vector<std::string> names;
  for (const ProblemProperty& property : content_->parsed().problem) names.push_back(property.name);
  return names;
}

}  // namespace tuner
