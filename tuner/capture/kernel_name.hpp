#pragma once

#include <string>
#include <string_view>

namespace tuner::capture {

/// "void scale<float>(float*, int)" of "_Z5scaleIfEvPT_i"; other names as they are.
std::string readable_name(const std::string& mangled);

/// "scale<float>" of it: neither what it returns nor its parameters.
std::string short_name(std::string_view readable);

/// "cuBLAS", "CUB": the library that the kernel is from, by its readable name; empty for the program's own.
std::string_view library_of(std::string_view readable);

}  // namespace tuner::capture
