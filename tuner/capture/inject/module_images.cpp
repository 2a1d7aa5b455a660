#include "tuner/capture/inject/module_images.hpp"

#include <algorithm>
#include <utility>

#include "tuner/core/binary/cubin.hpp"

namespace tuner::capture {

void ModuleImages::add(std::uint32_t module, std::span<const std::byte> image) {
  if (!facts_from_cubin(image, kernel_)) return;
  Image copy = std::make_shared<const std::vector<std::byte>>(image.begin(), image.end());
  const std::lock_guard lock(mutex_);
  images_.insert_or_assign(module, std::move(copy));
}

void ModuleImages::remove(std::uint32_t module) {
  const std::lock_guard lock(mutex_);
  images_.erase(module);
}

ModuleImages::Image ModuleImages::only_one() const {
  const std::lock_guard lock(mutex_);
  if (images_.empty()) return nullptr;
  const Image& first = images_.begin()->second;
  return std::ranges::all_of(images_, [&](const auto& each) { return *each.second == *first; }) ? first : nullptr;
}

}  // namespace tuner::capture
