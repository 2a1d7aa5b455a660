#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tuner/core/task/task.hpp"

namespace tuner {

/// One element as messages show it: shortest digits that say the value, "nan" and "inf" where it is that.
std::string element_text(ElementType type, std::span<const std::byte> bytes);

}  // namespace tuner
