#include "tuner/engine/device/replay/placed_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tuner::engine {

std::optional<AddressSpan> AddressSpan::at(CUdeviceptr address, std::uint64_t bytes) {
  CUdeviceptr reserved = 0;
  if (driver().reserve_addresses(&reserved, bytes, 0, address, 0) != CUDA_SUCCESS) return std::nullopt;
  AddressSpan span;
  span.address_ = reserved;
  span.bytes_ = bytes;
  // Kept, addresses elsewhere would lie where the next stretch should go.
  if (reserved != address) return std::nullopt;
  return span;
}

void AddressSpan::map_memory() {
  const CUmemAllocationProp properties = memory_on_device();
  check(driver().create_memory(&memory_, bytes_, &properties, 0), "cuMemCreate");
  check(driver().map_memory(address_, bytes_, 0, memory_, 0), "cuMemMap");
  set_writable(true);
}

CUdeviceptr AddressSpan::first_address() {
  CUdeviceptr address = 0;
  const std::uint64_t granule = fence_granularity();
  check(driver().reserve_addresses(&address, granule, 0, 0, 0), "cuMemAddressReserve");
  driver().free_addresses(address, granule);
  return address;
}

AddressSpan::AddressSpan(AddressSpan&& other) noexcept
    : address_(std::exchange(other.address_, 0)),
      bytes_(std::exchange(other.bytes_, 0)),
      memory_(std::exchange(other.memory_, 0)) {}

AddressSpan& AddressSpan::operator=(AddressSpan&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(memory_, other.memory_);
  return *this;
}

AddressSpan::~AddressSpan() {
  if (device_abandoned() || address_ == 0) return;
  if (memory_ != 0) {
    driver().unmap_memory(address_, bytes_);
    driver().release_memory(memory_);
  }
  driver().free_addresses(address_, bytes_);
}

void AddressSpan::set_writable(bool writable) const {
  set_memory_access(address_, bytes_, writable);
}

OwnAddresses::OwnAddresses(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  if (pieces_.empty()) return;
  std::ranges::sort(pieces_, {}, &Piece::address);
  const std::uint64_t granule = fence_granularity();
  const auto begin_of = [&](const Piece& piece) { return piece.address / granule * granule; };
  const auto end_of = [&](const Piece& piece) {
    return (piece.address + piece.size + granule - 1) / granule * granule;
  };
  CUdeviceptr begin = begin_of(pieces_.front()), end = begin;
  const auto keep_so_far = [&] {
    if (std::optional<AddressSpan> span = AddressSpan::at(begin, end - begin)) spans_.push_back(std::move(*span));
  };
  for (const Piece& piece : pieces_) {
    // Where pieces share no granule each gets a stretch of its own, which can be read-only by itself.
    if (begin_of(piece) >= end && end > begin) {
      keep_so_far();
      begin = begin_of(piece);
    }
    end = std::max(end, end_of(piece));
  }
  keep_so_far();
}

void OwnAddresses::map_memory(std::vector<Piece> pieces) {
  pieces_ = std::move(pieces);
  std::ranges::sort(pieces_, {}, &Piece::address);
  std::erase_if(spans_, [&](const AddressSpan& span) {
    const auto first = std::ranges::lower_bound(pieces_, span.address(), {}, &Piece::address);
    return first == pieces_.end() || !span.holds(first->address);
  });
  for (AddressSpan& span : spans_) span.map_memory();
}

const AddressSpan* OwnAddresses::span_of(const Piece& piece) const {
  const auto behind = std::ranges::upper_bound(spans_, piece.address, {}, &AddressSpan::address);
  if (behind == spans_.begin() || !std::prev(behind)->holds(piece.address)) return nullptr;
  return &*std::prev(behind);
}

bool OwnAddresses::is_alone(const Piece& piece) const {
  const AddressSpan* const span = span_of(piece);
  if (span == nullptr) return false;
  const auto first = std::ranges::lower_bound(pieces_, span->address(), {}, &Piece::address);
  return std::next(first) == pieces_.end() || !span->holds(std::next(first)->address);
}

void OwnAddresses::set_writable(const Piece& piece, bool writable) const {
  if (const AddressSpan* const span = span_of(piece)) span->set_writable(writable);
}

}  // namespace tuner::engine
