#pragma once

#include "tuner/core/binary/cubin.hpp"

// The fields of a kernel's parameter, as packed_text.hpp wants them.

namespace tuner {

void describe(auto& fields, KernelParameter& parameter) {
  auto& [offset, size] = parameter;
  fields("offset", offset)("size", size);
}

}  // namespace tuner
