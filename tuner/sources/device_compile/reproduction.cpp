#include "tuner/sources/device_compile/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tuner/core/base/printable.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/sources/device_compile/file_local_name.hpp"

namespace tuner::sources {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint64_t kInstruction = 16;  // bytes, since Volta

/// What `name` of another build of the source is called here; empty if it is not here.
std::string same_name(Bytes cubin, std::string_view name) {
  const std::string plain = without_file(name);
  std::string found;
  for (std::string& candidate : functions_in_cubin(cubin)) {
    if (candidate == name) return candidate;
    if (found.empty() && without_file(candidate) == plain) found = std::move(candidate);
  }
  return found;
}

/// The code with zeros for the instructions at those places.
std::vector<std::byte> without_addresses(Bytes code, const std::vector<std::uint64_t>& places) {
  std::vector<std::byte> text(code.begin(), code.end());
  for (const std::uint64_t place : places) {
    const std::uint64_t begin = std::min<std::uint64_t>(place / kInstruction * kInstruction, text.size());
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(begin),
                std::min<std::uint64_t>(kInstruction, text.size() - begin), std::byte{0});
  }
  return text;
}

/// In what two functions differ: "other instructions"; nothing if in nothing.
std::string_view difference(const CubinFunction& ours, const CubinFunction& theirs) {
  // Places of either: a linked program's are fewer.
  std::vector<std::uint64_t> places = ours.relocated;
  places.insert(places.end(), theirs.relocated.begin(), theirs.relocated.end());
  if (without_addresses(ours.code, places) != without_addresses(theirs.code, places)) return "other instructions";
  if (!std::ranges::equal(ours.literals, theirs.literals)) return "other constants";
  if (ours.shared_bytes != theirs.shared_bytes) return "another size of shared memory";
  return {};
}

std::string_view difference(Bytes ours, std::string_view our_name, Bytes theirs, std::string_view their_name) {
  const std::optional<CubinFunction> our_code = function_in_cubin(ours, our_name);
  const std::optional<CubinFunction> their_code = function_in_cubin(theirs, their_name);
  if (!our_code) return {};  // of another source of the program
  if (!their_code) return "other instructions";
  return difference(*our_code, *their_code);
}

bool same_parameters(const CubinFacts& a, const CubinFacts& b) {
  return std::ranges::equal(a.parameters, b.parameters, [](const KernelParameter& x, const KernelParameter& y) {
    return x.offset == y.offset && x.size == y.size;
  });
}

/// Of the kernels and all that they call.
std::string_view difference_of_kernels(Bytes ours, std::string_view our_name, Bytes theirs,
                                       std::string_view their_name) {
  const std::optional<CubinFacts> our_facts = facts_from_cubin(ours, our_name);
  const std::optional<CubinFacts> their_facts = facts_from_cubin(theirs, their_name);
  if (!our_facts || !their_facts || !same_parameters(*our_facts, *their_facts)) return "other parameters";
  if (const std::string_view what = difference(ours, our_name, theirs, their_name); !what.empty()) return what;
  const std::vector<std::string> called = functions_called(ours, our_name);
  for (const std::string& function : called) {
    const std::string_view what = difference(ours, function, theirs, same_name(theirs, function));
    if (!what.empty()) return "other instructions in a function that it calls";
  }
  // A linker gives a kernel the registers of all that it calls.
  return !called.empty() || our_facts->registers == their_facts->registers ? "" : "another number of registers";
}

/// Where the compilers are of two versions, that alone may be why.
std::string other_versions(Bytes cubin, Bytes captured) {
  const std::string ours = compiler_version(cubin), theirs = compiler_version(captured);
  if (ours == theirs || ours.empty() || theirs.empty()) return {};
  return fmt::format(" The code that ran was made by a compiler of version {}, and this one is of {}.",
                     one_line(theirs), one_line(ours));
}

}  // namespace

Reproduction reproduces(Bytes cubin, Bytes captured, std::string_view kernel, std::string_view source) {
  Reproduction answer;
  const std::string shown = one_line(kernel), file = one_line(source);
  if (!function_in_cubin(captured, kernel)) {
    answer.sentence = fmt::format("The capture has no machine code of {}: capture the program again.", shown);
    return answer;
  }
  answer.kernel = same_name(cubin, kernel);
  if (answer.kernel.empty()) {
    answer.sentence = fmt::format(
        "{}, compiled as the program's build did, has no kernel {}: either it has changed since, or the kernel is that "
        "of another source.",
        file, shown);
    return answer;
  }
  const std::string_view what = difference_of_kernels(cubin, answer.kernel, captured, kernel);
  answer.result = what.empty() ? Reproduction::Result::reproduced : Reproduction::Result::other_code;
  answer.difference = what;
  if (!what.empty()) {
    answer.sentence = fmt::format(
        "The source or the options have changed since the capture: {}, compiled as the program's build did, gives {} "
        "for {}.{}",
        file, what, shown, other_versions(cubin, captured));
  }
  return answer;
}

}  // namespace tuner::sources
