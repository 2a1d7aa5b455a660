#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tuner {

/// Offset and size in bytes of one kernel parameter, from the binary's own table.
struct KernelParameter {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

/// What a cubin says about one of its kernels.
struct CubinFacts {
  std::vector<KernelParameter> parameters;  ///< in signature order
  std::optional<int> registers;
};

/// Nothing if the bytes are no cubin or it has no such kernel. Reads the bytes as data: damaged ones give less, never a
/// crash.
std::optional<CubinFacts> facts_from_cubin(std::span<const std::byte> cubin, std::string_view lowered_name);

/// The instructions of one of its kernels; empty if it has no such kernel.
std::span<const std::byte> kernel_code(std::span<const std::byte> cubin, std::string_view lowered_name);

/// A kernel of a cubin, or another function that has code of its own, as far as its source and the compiler decide it.
struct CubinFunction {
  std::span<const std::byte> code;
  std::vector<std::uint64_t> relocated;  ///< offsets in the code at which a linker, or the driver, puts addresses
  std::span<const std::byte> literals;  ///< constants that the compiler keeps for it: of the source's numbers, of jumps
  std::uint64_t shared_bytes = 0;       ///< its static shared memory
};
/// Nothing if it has no such function.
std::optional<CubinFunction> function_in_cubin(std::span<const std::byte> cubin, std::string_view lowered_name);
/// The names of all of them, lowered.
std::vector<std::string> functions_in_cubin(std::span<const std::byte> cubin);

/// An array in the constant or global memory of a binary.
struct CubinArray {
  std::string symbol;  ///< as the driver knows it: mangled where the array belongs to a namespace
  std::uint64_t bytes = 0;
};

/// The array that the source calls `name`, in whatever namespace; nothing if there is none, or more than one. The
/// compiler keeps the names of all of them, also of those that no kernel uses or that are static.
std::optional<CubinArray> array_in_cubin(std::span<const std::byte> cubin, std::string_view name);

/// The variables in the global memory of a binary, which keep what they hold as long as it is loaded: static ones and
/// those of namespaces and functions too, the compiler's own texts not.
std::vector<CubinArray> globals_in_cubin(std::span<const std::byte> cubin);

/// Those, the compiler's own texts too, and those in constant memory: all that a kernel may find in its module.
std::vector<CubinArray> variables_in_cubin(std::span<const std::byte> cubin);

/// The functions that one of its kernels calls, directly or not, by their symbols: those of the driver ("malloc",
/// "vprintf") among them, and none that the compiler put into the kernel's own code. A call through a pointer counts as
/// one of each function that it may reach, where the compiler knows that.
std::vector<std::string> functions_called(std::span<const std::byte> cubin, std::string_view lowered_name);

/// 90 for sm_90; 0 if the bytes are no cubin.
int cubin_architecture(std::span<const std::byte> cubin);

/// "13.0.88" of the compiler that made it, which the cubin names; empty if it does not.
std::string compiler_version(std::span<const std::byte> cubin);

}  // namespace tuner
