#pragma once

#include "tuner/error.hpp"

namespace tuner::cache {

/// Whether the error says no more than that another process had the file for too long, so that another attempt may
/// succeed.
bool is_busy(const Error& error) noexcept;

}  // namespace tuner::cache
