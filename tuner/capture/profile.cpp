#include "tuner/capture/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/capture/kernel_name.hpp"

namespace tuner::capture {
namespace {

constexpr std::size_t kMostKernels = 20000, kMostNameBytes = 64 * 1024 * 1024;
/// Of a kernel, and of all; each kernel has one.
constexpr std::size_t kMostShapes = 1000, kMostShapesInAll = 50000;
constexpr std::size_t kMostProcesses = 100000, kMostTroubles = 20;

constexpr auto kMoreTimeFirst = [](const auto& a, const auto& b) { return a.sums.total > b.sums.total; };

std::string bytes_of(const LaunchShape& shape) {
  return {reinterpret_cast<const char*>(&shape), sizeof shape};
}

}  // namespace

std::string KernelProfile::why_not_captured() const {
  return in_graphs == sums.launches ? "launched by graphs only" : "";
}

double relative_spread(const LaunchSums& sums) {
  if (sums.launches < 2 || sums.total <= 0) return 0;
  const auto count = static_cast<double>(sums.launches);
  const double mean = sums.total / count;
  const double variance = (sums.squares - sums.total * mean) / (count - 1);
  return std::sqrt(std::max(variance, 0.0)) / mean;
}

void ProfileBuilder::add(std::span<const std::byte> packet) {
  const std::optional<Incoming> message = read_message(packet);
  if (!message)
    return add_trouble("The program sent something that is no message of the injected library; it was left out.");
  switch (message->kind) {
    case MessageKind::hello:
      ++profile_.processes;
      // Twice the same number: the first was replaced by another program before it could send everything.
      if (unfinished_.size() >= kMostProcesses || !unfinished_.insert(message->process).second)
        profile_.complete = false;
      break;
    case MessageKind::bye:
      unfinished_.erase(message->process);
      break;
    case MessageKind::launches:
      add_launches(*message);
      break;
    case MessageKind::stored:  // these are for those who asked for launches
    case MessageKind::done:
      break;
    case MessageKind::trouble:
      unfinished_.erase(message->process);
      add_trouble(message->text);
      break;
  }
}

void ProfileBuilder::add_launches(const Incoming& message) {
  if (!kernels_.contains(message.text)) {
    if (kernels_.size() >= kMostKernels || name_bytes_ + message.text.size() > kMostNameBytes)
      return add_trouble(
          fmt::format("The program has more than {} kernels; the others were left out.", kernels_.size()));
    name_bytes_ += message.text.size();
  }
  Shapes& kernel = kernels_[message.text];
  profile_.sums.add(message.sums);
  kernel.sums.add(message.sums);
  if (message.shape.in_graph != 0) kernel.in_graphs += message.sums.launches;
  const std::string key = bytes_of(message.shape);
  if (!kernel.listed.contains(key)) {
    const bool is_full = kernel.listed.size() >= kMostShapes || shapes_ >= kMostShapesInAll;
    if (is_full && !kernel.listed.empty()) {
      kernel.others += message.sums.launches;
      return;
    }
    ++shapes_;
  }
  ShapeProfile& shape = kernel.listed[key];
  shape.shape = message.shape;
  shape.sums.add(message.sums);
}

void ProfileBuilder::add_trouble(const std::string& sentence) {
  std::vector<std::string>& troubles = profile_.troubles;
  if (troubles.size() < kMostTroubles && std::ranges::find(troubles, sentence) == troubles.end())
    troubles.push_back(sentence);
}

Profile ProfileBuilder::take() {
  for (auto& [name, seen] : std::exchange(kernels_, {})) {
    KernelProfile kernel{.name = name,
                         .readable = readable_name(name),
                         .sums = seen.sums,
                         .in_graphs = seen.in_graphs,
                         .other_launches = seen.others};
    kernel.library = library_of(kernel.readable);
    for (auto& [key, shape] : seen.listed) kernel.shapes.push_back(shape);
    std::ranges::stable_sort(kernel.shapes, kMoreTimeFirst);
    profile_.kernels.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(profile_.kernels, kMoreTimeFirst);
  profile_.complete = profile_.complete && unfinished_.empty();
  return std::exchange(profile_, {});
}

}  // namespace tuner::capture
