#include "tests/capture/working.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/capture/adding.hpp"
#include "tests/capture/driver_calls.hpp"
#include "tuner/driver/driver.hpp"

namespace tuner::test {
namespace {

constexpr int kCount = 4000, kPadding = 24;

CUdeviceptr allocate_bytes(std::size_t bytes) {
  CUdeviceptr address = 0;
  cuda::check(cuda::driver().allocate(&address, bytes), "cuMemAlloc");
  return address;
}

template <typename T>
CUdeviceptr on_device(const std::vector<T>& values) {
  const CUdeviceptr address = allocate_bytes(values.size() * sizeof(T));
  cuda::check(driver_call<PFN_cuMemcpyHtoD_v3020>("cuMemcpyHtoD")(address, values.data(), values.size() * sizeof(T)),
              "cuMemcpyHtoD");
  return address;
}

void launch_twice(CUfunction function, void** arguments) {
  for (int i = 0; i < 2; ++i)
    cuda::check(cuda::driver().launch(function, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel");
  cuda::check(cuda::driver().wait_for_context(), "cuCtxSynchronize");
}

template <typename T>
struct Numbers {
  CUdeviceptr out, in;
  int count = kCount;

  Numbers() {
    std::vector<T> written, read;
    for (int i = 0; i < kCount + kPadding; ++i) {
      written.push_back(static_cast<T>(i % 1000));
      read.push_back(static_cast<T>(3 * i + 1));
    }
    out = on_device(written);
    in = on_device(read);
  }
};

template <typename T>
void work_on_arrays(const std::string& name, const std::string& does) {
  Numbers<T> numbers;
  void* arguments[] = {&numbers.out, &numbers.in, &numbers.count};
  launch_twice(load_kernel(name, does, {8, 8, 4}), arguments);
}

void work_on_structure() {
  Numbers<int> numbers;
  void* arguments[] = {&numbers};
  launch_twice(load_kernel("_Z4work7Numbers", "structure", {sizeof numbers}), arguments);
}

/// Each in an allocation of its own, the first at the highest address.
void work_on_list() {
  struct Node {
    CUdeviceptr next;
    std::int64_t number;
  };
  CUdeviceptr first = 0;
  for (int i = 0; i < 3; ++i) first = on_device<Node>({{first, 10 * i}});
  void* arguments[] = {&first};
  launch_twice(load_kernel("_Z4workP4Node", "list", {sizeof first}), arguments);
}

}  // namespace

bool run_working(const std::string& word) {
  static const std::set<std::string> kernels = {
      "copies",  "increments", "copies_some",  "pads",        "rewrites",       "reads_back", "clamps",
      "fills",   "clears",     "reads",        "idles",       "swaps",          "varies",     "shuffles",
      "depends", "disturbed",  "faults_again", "hangs_again", "copies_to_even", "raises",     "varies_later"};
  const bool is_list = word == "list", is_structure = word == "structure", is_real = word == "rounds";
  if (!is_list && !is_structure && !is_real && !kernels.contains(word)) return false;
  use_context();
  allocate_bytes(1 << 12);
  if (is_list) {
    work_on_list();
  } else if (is_structure) {
    work_on_structure();
  } else if (is_real) {
    work_on_arrays<float>("_Z4workPfPKfi", word);
  } else {
    work_on_arrays<int>("_Z4workPiPKii", word);
  }
  return true;
}

}  // namespace tuner::test
