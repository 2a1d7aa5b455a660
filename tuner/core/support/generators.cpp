#include "tuner/core/support/generators.hpp"

#include <array>

#include "tuner/core/support/support.hpp"
#include "tuner/core/task/input_file.hpp"

namespace tuner {

std::vector<std::byte> generate(const BoundArgument& argument, std::uint64_t position, std::uint64_t seed) {
  if (argument.file) return read_data(*argument.file);
  std::uint64_t elements = argument.length * static_cast<std::uint64_t>(argument.lanes);
  std::vector<std::byte> bytes(elements * size_of(argument.type));
  std::byte* data = bytes.data();
  int type = support_number(argument.type);
  int kind = support_number(argument.generator);
  double first = argument.generator_parameters[0];
  double second = argument.generator_parameters[1];
  std::array<void*, 8> arguments{&data, &elements, &type, &kind, &seed, &position, &first, &second};
  run_support_kernel_on_host("tuner_fill", arguments.data());
  return bytes;
}

}  // namespace tuner
