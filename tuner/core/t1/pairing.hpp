#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/t1/content.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// The MemoryType of an argument; Vector if it has none.
std::string t1_memory(const T1Node& argument);
/// Whether it is constant memory alone, without a place in the signature.
bool is_t1_symbol(const T1Node& argument);
/// Whether it is constant memory, if only by its MemType.
bool is_t1_constant(const T1Node& argument);

/// Which parameter of the kernel each argument is for.
struct T1Pairing {
  std::vector<std::string_view> parameters;  ///< by argument, parts of the code; empty where that is not known
  bool constants_are_passed = false;         ///< what MemType copies to constant memory is an argument as well
};

/// As far as the source's text shows it.
T1Pairing pair_t1_arguments(const std::vector<T1Node>& arguments, const T1Surroundings& around);

/// Where the list is empty: throws Error{bad_description} that says what the kernel takes, unless that is nothing.
void refuse_no_t1_arguments(const T1Node& arguments, const T1Surroundings& around);

/// Throws Error{bad_description} that says which argument could be the output.
[[noreturn]] void refuse_without_t1_output(const T1Node& arguments, const T1Pairing& pairing);

}  // namespace tuner
