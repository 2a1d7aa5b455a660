#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/base/element_type.hpp"

namespace tuner {

/// What the header of a NumPy file says about the array behind it.
struct NpyHeader {
  ElementType type = ElementType::float32;
  std::vector<std::uint64_t> shape;  ///< empty for a single number
  std::uint64_t elements = 1;        ///< the product of `shape`
  std::uint64_t offset = 0;          ///< of the data in the file, bytes
};

/// Reads the header of an .npy file (format versions 1 to 3) from the bytes that the file begins with. Little-endian
/// arrays of plain numbers in C order; anything else is refused. Throws Error{bad_description} whose sentence begins
/// with `name`: "x.npy is no NumPy file: …". Damaged bytes give that, never anything worse.
NpyHeader parse_npy_header(std::string_view begin, const std::string& name);

/// The most bytes that a header takes; no more of a file is needed to parse it.
inline constexpr std::size_t kLongestNpyHeader = 64 * 1024;

/// Opens the file, reads its header and checks that all the data is there. Throws Error{file_not_found} too.
NpyHeader read_npy_header(const std::filesystem::path& file);

/// What an .npy file with such an array, in C order, has in front of its data.
std::string npy_header(ElementType type, const std::vector<std::uint64_t>& shape);

/// "(480, 640, 4)"
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace tuner
