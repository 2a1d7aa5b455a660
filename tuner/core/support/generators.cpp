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
  std::uint64_t stride = argument.generators.size();
  std::uint64_t count = elements / stride;
  for (std::uint64_t lane = 0; lane < stride; ++lane) {
    const BoundGenerator& generator = argument.generators[static_cast<std::size_t>(lane)];
    int kind = support_number(generator.kind);
    auto [first, second] = generator.parameters;
    std::array<void*, 10> fill{&data, &count, &lane, &stride, &type, &kind, &seed, &position, &first, &second};
    run_support_kernel_on_host("tuner_fill", fill.data());
    if (!generator.is_sorted) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(data) + lane * size_of(argument.type);
    put_in_order_on_host({{{begin, stride, 1, type, static_cast<int>(size_of(argument.type))}}}, count);
  }
  return bytes;
}

}  // namespace tuner
