#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/core/signature/signature.hpp"

namespace tuner {

// How a compiler is asked for a function's parameters, with every macro, typedef and template argument put in: text
// behind the source makes a type of them, whose mangled name comes back. NVRTC gives that of a kernel with the type as
// its argument, C++ that of the type.

/// C++11 to be put behind a source. Its names begin with `tuner_signature_`; a kernel among them is in `probe_kernel`.
std::string_view signature_types();
std::string_view signature_kernel();

/// The type for `function`: "prefetch<128, float>".
std::string signature_type(std::string_view function);
/// The name expression of the kernel for it.
std::string signature_expression(std::string_view function);

/// Reads the mangled name of the type, or of the kernel; nothing if it is none of these.
std::optional<Signature> signature_from_symbol(const std::string& mangled);

/// The types of a kernel's parameters, as far as its own mangled name has them: sizes are not known, and structures not
/// told from other types. Nothing if it is not mangled, as names of C are not.
std::optional<Signature> signature_from_kernel_name(const std::string& mangled);

}  // namespace tuner
