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
  /// `inputs` is what the plan's offsets count in. Arrays in constant memory and what makes values are the variant's.
  Buffers(const PlannedCase& planned, const unsigned char* inputs, const Variant& variant);
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
  /// A number that does not fit its member: from 1, and of which argument, from 0; 0 if there is none.
  struct Misfit {
    int number = 0;
    std::size_t argument = 0;
  };
  Misfit misfit() const { return misfit_; }
  /// The outputs, one after the other.
  std::vector<unsigned char> outputs() const;

 private:
  void* make(const ValueMaker& maker, const PlannedArgument& argument);

  std::vector<Buffer> buffers_;  // by argument; scalars and values have no data
  std::vector<void*> values_;    // by argument: what is made; null for others
  Misfit misfit_;
  std::vector<void*> blocks_;
  std::vector<void*> pointers_;
};

}  // namespace tuner::host
