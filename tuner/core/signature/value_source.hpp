#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner {

// How what value(...) passes is made: the compiler of the kernel initialises the type, so that padding, alignment,
// constructors and conversions are its own. Text behind the source has a function for each such argument, which is
// given the numbers when it runs. Names begin with `tuner_value_`; as in compiled_signature.hpp the text is C++11.

/// A number as that function reads it.
struct ValueNumber {
  double real = 0;
  std::int64_t whole = 0;
  std::int64_t is_whole = 0;  ///< otherwise `whole` says nothing
};

bool has_values(const KernelDescription& description);
/// Of one argument, in the order of its members.
std::vector<ValueNumber> value_numbers(const BoundArgument& argument);

/// What the functions need, once a program.
std::string_view value_types();
/// `int tuner_value_make_POSITION(tuner_value_number*, void* to, void* room)` for the argument at that position of the
/// description: which of its numbers, from 1, does not fit its member; 0: all do. It needs room for another object, as
/// large and full of zeros, and leaves the numbers as they were. The compiler refuses it with a sentence where the
/// numbers do not match the type.
std::string value_function(const KernelDescription& description, std::size_t position,
                           std::string_view more_assertions);
/// What has the compiler compare the type with that of `kernel`'s parameter: another one of the same size would be
/// taken for it. Empty where the text of the source leaves a doubt what the kernel is.
std::string type_assertion(const Task& task, std::size_t position, std::string_view kernel);

/// The functions of all arguments, and a kernel of one thread that calls them: it reads kValueNumbers, all numbers one
/// after the other, and writes kValueMisfits, an int an argument that is a value, and value_bytes(position). Types are
/// compared with the parameters of `kernel` ("scale<128>").
std::string value_kernel(const Task& task, std::string_view kernel);
inline constexpr const char* kValueKernel = "tuner_value_kernel";
inline constexpr const char* kValueNumbers = "tuner_value_numbers";
inline constexpr const char* kValueMisfits = "tuner_value_misfits";
std::string value_bytes(std::size_t position);

/// "value 3 of `box` is 300, which …", for a number that does not fit.
std::string value_misfit(const BoundArgument& argument, int number);

}  // namespace tuner
