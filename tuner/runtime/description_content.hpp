#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/description.hpp"

namespace tuner {

/// What a public Description holds.
struct Description::Content {
  KernelDescription kernel;  ///< with the text of its headers
};

/// The description in `text` of the kernel called `kernel`, or of the only one. Throws Error{bad_description}.
Description describe_text(std::string_view text, const std::filesystem::path& file, std::string_view kernel,
                          std::vector<Header> headers, const std::vector<std::filesystem::path>& include_folders);

/// The parsed description, which lives on with the pointer.
std::shared_ptr<const KernelDescription> kernel_of(const Description& description);

}  // namespace tuner
