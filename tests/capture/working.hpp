#pragma once

#include <string>

namespace tuner::test {

/// Launches twice, on the same memory, the kernel that does what the word says (fake_kernels.cpp and fake_work.cpp in
/// tests/engine/device/fake_driver): "copies", "structure", "list" and so on. Other memory lies beside its own, which
/// it cannot reach. False if there is no such kernel. Kernels are called `work`, whatever they do.
bool run_working(const std::string& word);

}  // namespace tuner::test
