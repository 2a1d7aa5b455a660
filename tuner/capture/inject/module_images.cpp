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
  std::erase_if(known_, [&](const auto& each) { return each.second == module; });
}

bool ModuleImages::is_first_launch(CUfunction function) {
  const std::lock_guard lock(mutex_);
  return launched_.insert(function).second;
}

ModuleImages::Image ModuleImages::of(CUmodule module) {
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(module); known != known_.end()) return images_.at(known->second);
  if (images_.empty()) return nullptr;
  std::vector<std::uint32_t> unclaimed;
  for (const auto& [id, image] : images_) {
    const bool is_claimed = std::ranges::any_of(known_, [&](const auto& each) { return each.second == id; });
    if (!is_claimed) unclaimed.push_back(id);
  }
  if (module != nullptr && unclaimed.size() == 1) {
    known_.emplace(module, unclaimed.front());
    return images_.at(unclaimed.front());
  }
  const Image& first = images_.begin()->second;
  return std::ranges::all_of(images_, [&](const auto& each) { return *each.second == *first; }) ? first : nullptr;
}

}  // namespace tuner::capture
