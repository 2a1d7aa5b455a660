#pragma once

#include <cstddef>
#include <vector>

#include "tuner/host/shim/plan.hpp"
#include "tuner/host/shim/variants.hpp"

namespace tuner::host {

/// A kernel's buffer: exactly its bytes, with nothing that may be touched before or behind it but its padding, which
/// may be read.
struct Buffer {
  PlannedArgument::Role role = PlannedArgument::Role::in;
  unsigned char* data = nullptr;
  std::size_t bytes = 0;
  std::size_t padding = 0;
  const unsigned char* content = nullptr;  ///< before a run; null: none
};

/// The memory of one case.
class Buffers {
 public:
  /// `inputs` is what the plan's offsets count in.
  /// Arrays in constant memory are at `symbols`.
  Buffers(const PlannedCase& planned, const unsigned char* inputs, const std::vector<Symbol>& symbols);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  /// As before a run: inputs filled, everything else full of that byte.
  void reset(unsigned char poison);
  /// The first argument that is not what it was where the kernel may only read, and the byte, counted from the data's
  /// first; -1 if there is none.
  struct Change {
    int argument = -1;
    std::ptrdiff_t byte = 0;
  };
  Change changed_input() const;
  /// For the call: one for each parameter of the kernel.
  void** arguments() { return pointers_.data(); }
  const std::vector<Buffer>& all() const { return buffers_; }
  /// The outputs, one after the other.
  std::vector<unsigned char> outputs() const;

 private:
  std::vector<Buffer> buffers_;  // by argument; scalars have no data
  std::vector<void*> blocks_;
  std::vector<void*> pointers_;
};

}  // namespace tuner::host
