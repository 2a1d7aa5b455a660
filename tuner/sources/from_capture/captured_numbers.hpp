#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "tuner/core/base/element_type.hpp"

namespace tuner::sources {

/// The number that the bytes are, of one element; whole numbers of 64 bits may be rounded.
double number_of(ElementType type, std::span<const std::byte> bytes);

/// The integer that they are; nothing if they are a real, a truth value or above what 64 bits with a sign hold.
std::optional<std::int64_t> integer_of(ElementType type, std::span<const std::byte> bytes);

/// How an expression writes that number so that the same bytes come of it: "0.1", "-5", "true". Nothing if no
/// expression does: infinities, what is no number, and -0.
std::optional<std::string> exact_text(ElementType type, std::span<const std::byte> bytes);

/// "0000803f"
std::string hex_digits(std::span<const std::byte> bytes);

/// Clauses without which an output would be refused as one that proves nothing, or would prove little: ", trivial" if
/// it is the same as before or one number throughout, and ", rtol 0, atol 0" if that is so within the tolerance only.
/// `before` is empty for what the kernel does not read.
std::string proof_clauses(const TypeShape& type, std::span<const std::byte> before, std::span<const std::byte> after);

}  // namespace tuner::sources
