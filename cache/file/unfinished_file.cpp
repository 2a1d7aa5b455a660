#include "cache/file/unfinished_file.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <string>

namespace tuner::cache {
namespace {

// A signal handler reads this, so it is memory of a fixed size.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> named{false};
  std::array<char, PATH_MAX> path{};
};
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr int kPlaces = 16;
std::array<Slot, kPlaces> places;

}  // namespace

UnfinishedFile::UnfinishedFile(const std::filesystem::path& path) noexcept {
  const std::string& text = path.native();
  if (text.size() >= PATH_MAX) return;
  for (int i = 0; i < kPlaces && place_ < 0; ++i) {
    if (!places[i].taken.exchange(true)) place_ = i;
  }
  if (place_ < 0) return;
  std::memcpy(places[place_].path.data(), text.c_str(), text.size() + 1);
  places[place_].named = true;
}

UnfinishedFile::~UnfinishedFile() {
  if (place_ < 0) return;
  places[place_].named = false;
  places[place_].taken = false;
}

void remove_unfinished_files() noexcept {
  for (const Slot& place : places) {
    if (place.named) unlink(place.path.data());
  }
}

}  // namespace tuner::cache
