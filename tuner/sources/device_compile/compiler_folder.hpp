#pragma once

#include <string_view>

#include "tuner/process/private_folder.hpp"

namespace tuner::sources {

/// A folder for what a compiler writes meanwhile: below TMPDIR, or below /tmp where nvcc or the shell that it runs its
/// tools by reads a character of TMPDIR's name, such as a blank or a comma. Throws as PrivateFolder does.
PrivateFolder compiler_folder(std::string_view purpose);

}  // namespace tuner::sources
