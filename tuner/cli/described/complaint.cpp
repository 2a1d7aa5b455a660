#include "tuner/cli/described/complaint.hpp"

#include <fmt/format.h>

#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

std::string complaint_about(const std::string& text, const std::filesystem::path& file,
                            const std::vector<std::filesystem::path>& folders) {
  try {
    for (const KernelDescription& description : parse_descriptions(text, file)) {
      check_written_signatures(description, quoted_headers(description, folders));
      const Task task(description, ProblemValues(), known_device(kPlanDevice), {}, {});
      if (!task.baseline()) {
        return fmt::format("The configuration {}.", task.space().why_invalid(task.space().defaults()).value_or(""));
      }
    }
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace tuner::cli
