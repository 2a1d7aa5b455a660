#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The bytes of rank 0 on every rank. Collective: every rank calls it. What the others pass is ignored.
inline std::vector<std::byte> broadcast(std::vector<std::byte> bytes, MPI_Comm ranks) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, ranks);
  bytes.resize(size);
  constexpr std::size_t kMost = std::size_t{1} << 30;  // a count of MPI is an int
  for (std::size_t begin = 0; begin < bytes.size(); begin += kMost) {
    const std::size_t count = bytes.size() - begin < kMost ? bytes.size() - begin : kMost;
    MPI_Bcast(bytes.data() + begin, static_cast<int>(count), MPI_BYTE, 0, ranks);
  }
  return bytes;
}
