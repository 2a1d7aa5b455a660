#include "tuner/engine/device/worker/rounded_reference.hpp"

#include <span>
#include <string>
#include <utility>

#include "tuner/engine/device/worker/random_rounding.hpp"

namespace tuner::engine {

void RoundedReference::set(const Candidate& reference) {
  if (reference.ptx != candidate_.ptx || reference.cubin.kernel != candidate_.cubin.kernel) {
    is_loaded_ = false;
    kernel_.reset();
  }
  candidate_ = reference;
  if (!kernel_) return;
  kernel_->geometry = reference.geometry;
  kernel_->scratch_lengths = reference.scratch_lengths;
}

void RoundedReference::load(const std::vector<ArgumentState>& arguments, const DeviceInfo& device) {
  is_loaded_ = true;
  const std::optional<std::string> text = with_random_rounding(candidate_.ptx);
  if (!text) return;
  LoadedKernel kernel;
  std::size_t bytes = 0;
  if (!load_kernel(candidate_, arguments, device, kernel, *text).ok()) return;
  if (driver().module_global(&seed_, &bytes, kernel.module.get(), kRoundingSeed) != CUDA_SUCCESS) return;
  kernel_ = std::move(kernel);
}

const LoadedKernel* RoundedReference::prepare(std::uint32_t seed, const std::vector<ArgumentState>& arguments,
                                              const DeviceInfo& device, WorkStream& stream) {
  if (!is_loaded_) load(arguments, device);
  if (!kernel_) return nullptr;
  stream.upload(seed_, std::as_bytes(std::span(&seed, 1)));
  return &*kernel_;
}

}  // namespace tuner::engine
