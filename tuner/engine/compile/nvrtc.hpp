#pragma once

#include <nvrtc.h>

#include "tuner/engine/compile/toolkit.hpp"

namespace tuner::engine {

/// NVRTC's functions, loaded at first use and kept. The only way to call them.
struct Nvrtc {
  Toolkit toolkit;
  decltype(&nvrtcGetErrorString) error_string = nullptr;
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) architecture_count = nullptr;
  decltype(&nvrtcGetSupportedArchs) architectures = nullptr;
  decltype(&nvrtcCreateProgram) create_program = nullptr;
  decltype(&nvrtcDestroyProgram) destroy_program = nullptr;
  decltype(&nvrtcCompileProgram) compile_program = nullptr;
  decltype(&nvrtcAddNameExpression) add_name_expression = nullptr;
  decltype(&nvrtcGetLoweredName) lowered_name = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
};

/// As toolkit() finds it, and throws.
const Nvrtc& nvrtc();

}  // namespace tuner::engine
