#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/sources/recorded/nvcc_options.hpp"

namespace tuner::sources {

/// What a command makes of one virtual architecture.
struct NamedCode {
  std::string virtual_architecture;  ///< "compute_80"
  std::vector<std::string> codes;    ///< "sm_80", and "compute_80" for PTX
};

/// What a command says with -arch, -code, -gencode and -ptx; where it says nothing, what nvcc of that version
/// ("13.0.88") does. `architecture` is that of the code that the program ran: what -arch=native and -arch=all have come
/// to.
std::vector<NamedCode> named_codes(std::span<const NvccWord> words, std::string_view version, int architecture);

/// The code of a command that ran.
struct CodeChoice {
  std::string virtual_architecture;  ///< "compute_80"
  std::string code;                  ///< "sm_90", also where the driver compiled PTX for it
  bool from_ptx = false;
  std::string architecture_list;  ///< "800,900": what the build had for __CUDA_ARCH_LIST__; empty if that is one number
};

/// As the driver chooses: machine code of this architecture, or else the newest PTX that is not newer. Nothing if there
/// is neither.
std::optional<CodeChoice> choose_code(std::span<const NamedCode> named, int architecture);

/// 90 of "sm_90", "compute_90" and "sm_90a"; 0 of other texts.
int architecture_number(std::string_view name);

}  // namespace tuner::sources
