#pragma once

#include <optional>
#include <string>

namespace fake {

/// What an image given to the driver is, of which only the address is known.
struct Image {
  bool support = false;      ///< the kernels of support.cu
  std::string instructions;  ///< of a candidate: what it does, and its settings
  std::string symbols;       ///< of a cubin: its bytes, in which the names of its kernels stand
  bool has_kernel(const std::string& name) const;
};

/// A line of text says what it is. A cubin, made by the real compiler, is a support module if it has some of its
/// kernels; else its instructions are what its source wrote down for this driver: a zero-terminated array of characters
/// that begins with "FAKE:". Nothing if it is neither.
std::optional<Image> read_image(const void* image);

}  // namespace fake
