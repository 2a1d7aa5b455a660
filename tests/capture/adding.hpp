#pragma once

#include <cuda.h>

#include <string>
#include <vector>

namespace tuner::test {

enum class Launching { plain, extra, extended, cooperative, per_thread };
enum class Memory { plain, managed, pooled };

/// What a program may do in more than one way.
struct Ways {
  Launching launching = Launching::plain;
  Memory memory = Memory::plain;
  unsigned offset = 0;        ///< in bytes: where in their allocations the buffers begin
  bool has_variable = false;  ///< the module has one that each launch reads and changes
  bool has_pointer = false;   ///< the module has a variable `pointer`, which no kernel reads
  bool from_library = false;  ///< the kernel is a CUkernel, whose module is loaded where it is first launched
};

/// A kernel of a binary that the fake driver runs (tests/engine/device/fake_driver/fake_work.cpp).
CUfunction load_kernel(const std::string& name, const std::string& does, std::vector<unsigned> parameter_sizes,
                       const Ways& ways = {});
/// The binary.
std::vector<std::byte> binary_of_kernel(const std::string& name, const std::string& does,
                                        std::vector<unsigned> parameter_sizes, const Ways& ways);

/// Two buffers of numbers, and a kernel "_Z4addsPiPKii" that adds those of the second to those of the first. The kernel
/// is loaded once for each object.
class Adding {
 public:
  static constexpr int kCount = 1000;
  static constexpr const char* kKernel = "_Z4addsPiPKii";

  explicit Adding(const Ways& ways = {});
  ~Adding();
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;

  /// Other contents of the second buffer.
  void fill(int round);
  void launch(CUstream stream = nullptr);
  /// Whether the first buffer has what the launches so far have made of it.
  bool is_right();
  /// Three times other contents and a launch.
  bool run();

  CUdeviceptr sums() const { return arguments_.sums; }
  CUdeviceptr more() const { return arguments_.more; }
  CUfunction function() const { return function_; }
  static std::vector<int> read(CUdeviceptr numbers);

 private:
  struct Arguments {
    CUdeviceptr sums = 0, more = 0;
    int count = kCount;
  };

  Ways ways_;
  CUfunction function_;
  Arguments arguments_;
  int step_ = 0;
  std::vector<int> more_, expected_ = std::vector<int>(kCount);
};

CUstream create_stream();

/// Does what a word of the program says, and ends the process with 9 if a kernel computed something else than it
/// should; false if it is none of these. Adding in the ways above, three launches each: "adds", "extra", "extended",
/// "cooperative", "per_thread", "managed", "pooled", "middle" (of allocations), "variable" (of the module), "lazily" (a
/// CUkernel whose module is loaded by the first launch). Others: "adds_in_threads", two of them; "adds_beside_capture",
/// a launch while another thread captures a stream; "adds_in_graph"; "adds_beside_others", beside memory that no kernel
/// can reach; "pointer_to_managed", "pointer_to_pooled", a pointer to such memory lies in an allocation of the
/// kernel's, in front of its numbers; "variable_to_managed", it lies in a variable of the module; "twins", three
/// launches each of two kernels of one name, whose modules the first launches load, only the second with a variable;
/// "twins_together", the modules are loaded before; "waits", a kernel that ends once a later one ran.
bool run_adding(const std::string& word);

}  // namespace tuner::test
