#pragma once

#include <string>

#include "cache/records/resource_facts.hpp"
#include "tuner/core/binary/code_facts.hpp"

namespace tuner {

/// "96 registers (12 to spare), no spills, 128-bit loads, 8,192 B of static shared memory, occupancy 50 % (limited by
/// registers)": as much of it as is known.
std::string resources_text(const cache::ResourceFacts& facts, const CodeFacts& code);
/// Bytes: the greater number of those stored and loaded; "-" where neither is known.
std::string spills_text(const cache::ResourceFacts& facts);

}  // namespace tuner
