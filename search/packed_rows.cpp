#include "search/packed_rows.hpp"

#include <algorithm>
#include <bit>

namespace tuner::search {

PackedRows::PackedRows(std::span<const std::size_t> counts) {
  std::uint32_t left = 0;
  for (const std::size_t count : counts) {
    const auto bits = static_cast<std::uint32_t>(count > 1 ? std::bit_width(std::uint64_t{count - 1}) : 0);
    if (bits > left) {
      ++stride_;
      left = 64;
    }
    left -= bits;
    Field field;
    field.word = static_cast<std::uint32_t>(stride_ > 0 ? stride_ - 1 : 0);
    field.shift = bits > 0 ? left : 0;
    field.mask = (std::uint64_t{1} << bits) - 1;
    fields_.push_back(field);
  }
}

std::vector<std::uint64_t> PackedRows::packed(std::span<const std::uint32_t> row) const {
  std::vector<std::uint64_t> result(stride_);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].mask != 0) result[fields_[i].word] |= std::uint64_t{row[i]} << fields_[i].shift;
  }
  return result;
}

void PackedRows::push(std::span<const std::uint32_t> row) {
  const std::vector<std::uint64_t> words = packed(row);
  words_.insert(words_.end(), words.begin(), words.end());
  ++size_;
}

void PackedRows::read(std::uint64_t index, std::span<std::uint32_t> row) const {
  const std::uint64_t* const words = words_.data() + index * stride_;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    row[i] = field.mask != 0 ? static_cast<std::uint32_t>((words[field.word] >> field.shift) & field.mask) : 0;
  }
}

std::optional<std::uint64_t> PackedRows::find(std::span<const std::uint32_t> row) const {
  const std::vector<std::uint64_t> wanted = packed(row);
  std::uint64_t begin = 0;
  std::uint64_t end = size_;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    const auto words = words_.begin() + static_cast<std::ptrdiff_t>(middle * stride_);
    const auto order = std::lexicographical_compare_three_way(words, words + static_cast<std::ptrdiff_t>(stride_),
                                                              wanted.begin(), wanted.end());
    if (order == 0) return middle;
    if (order < 0) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return std::nullopt;
}

}  // namespace tuner::search
