#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner {

/// The content that the device worker gives to argument number `position` (from 0, in signature order), bit for bit: a
/// function of the generator, the seed and the position. Elements are `length * lanes`. An argument whose content is a
/// file must have been looked at (Task::arguments_with_data) and is read from it, whatever the seed; throws as
/// read_data.
std::vector<std::byte> generate(const BoundArgument& argument, std::uint64_t position, std::uint64_t seed);

}  // namespace tuner
