#pragma once

#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace tuner::test {

/// A header as numpy.save writes it, for a dictionary in any form. Version 1 has a length of two bytes.
inline std::string npy_with_header(const std::string& dictionary, std::string_view data, int version = 1) {
  const std::size_t fixed = version == 1 ? 10 : 12;
  std::string header = dictionary;
  while ((fixed + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (std::size_t i = 0; i < fixed - 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return text + header + std::string(data);
}

/// `shape` as Python writes it: "(3, 4)".
inline std::string npy(const std::string& type, const std::string& shape, std::string_view data, int version = 1) {
  return npy_with_header("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }", data, version);
}

template <typename Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// A file of one dimension with these numbers, which are of the type of numpy's that is named.
template <typename Number>
std::string npy_of(const std::string& type, const std::vector<Number>& numbers) {
  return npy(type, "(" + std::to_string(numbers.size()) + ",)", bytes_of(numbers));
}

/// The same with `count` numbers: `first` and those that follow it.
template <typename Number>
std::string npy_from(const std::string& type, std::size_t count, Number first) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return npy_of(type, numbers);
}

}  // namespace tuner::test
