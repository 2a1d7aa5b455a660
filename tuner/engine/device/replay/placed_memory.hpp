#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/engine/device/memory/fenced_memory.hpp"

namespace tuner::engine {

/// A stretch of addresses in whole granules, and its memory.
class AddressSpan {
 public:
  /// Without memory. Nothing if the driver does not give these addresses: they are taken, or it has others in mind.
  static std::optional<AddressSpan> at(CUdeviceptr address, std::uint64_t bytes);
  /// Where the driver would place memory if nothing were asked of it.
  static CUdeviceptr first_address();
  AddressSpan(AddressSpan&& other) noexcept;
  AddressSpan& operator=(AddressSpan&& other) noexcept;
  ~AddressSpan();
  void map_memory();
  CUdeviceptr address() const { return address_; }
  bool holds(CUdeviceptr address) const { return address - address_ < bytes_; }
  void set_writable(bool writable) const;

 private:
  AddressSpan() = default;
  CUdeviceptr address_ = 0;
  std::uint64_t bytes_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;  ///< 0: not mapped
};

struct Piece {
  CUdeviceptr address = 0;  ///< where it was
  std::uint64_t size = 0;
};

/// Memory at the addresses that it had in another process. Pieces lie close together, so several share granules.
class OwnAddresses {
 public:
  /// Keeps the addresses for them. What the process itself maps meanwhile would lie there, too.
  explicit OwnAddresses(std::vector<Piece> pieces);
  /// Maps memory for these of them, and lets go of the addresses of all others.
  void map_memory(std::vector<Piece> pieces);
  /// Whether there is memory at a piece's addresses.
  bool has(const Piece& piece) const { return span_of(piece) != nullptr; }
  /// Whether no other piece lies in its granules.
  bool is_alone(const Piece& piece) const;
  void set_writable(const Piece& piece, bool writable) const;

 private:
  const AddressSpan* span_of(const Piece& piece) const;

  std::vector<Piece> pieces_;  ///< by address, as the spans are
  std::vector<AddressSpan> spans_;
};

}  // namespace tuner::engine
