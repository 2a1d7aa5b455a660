#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tuner::sources {

/// Whether a source is that of a kernel that a program ran.
struct Reproduction {
  enum class Result { reproduced, other_code, no_such_kernel };
  Result result = Result::no_such_kernel;
  std::string sentence;              ///< for the user; empty where it is reproduced
  std::string kernel;                ///< what the kernel is called in the new cubin; empty if it is not there
  std::string_view difference = {};  ///< of other code: "other instructions"
};

/// Compares the kernel `kernel` (mangled) of a program's module, `captured`, with the one in `cubin`, which was
/// compiled by the command of the program's build: the code of both and of the functions that they call, but for
/// addresses that a linker puts there; the compiler's constants, static shared memory, registers and parameters. Names
/// in anonymous namespaces and static kernels match whatever the folder. `source` is for the sentence.
///
/// What a capture has of a module is machine code, also where the program has PTX only: the driver hands out what it
/// made of it. So both are cubins; other bytes have no such kernel. Pure; never throws for damaged bytes.
Reproduction reproduces(std::span<const std::byte> cubin, std::span<const std::byte> captured, std::string_view kernel,
                        std::string_view source);

}  // namespace tuner::sources
