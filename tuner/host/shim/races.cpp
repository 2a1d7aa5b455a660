// Watches every access of a kernel to its buffers and to shared memory: the compiler calls the functions at the end for
// each (-fsanitize=thread, without its library). Each byte remembers who wrote and who read it last. What it says:
//   access CASE WHAT MEMORY OFFSET WRITES OTHER_WRITES DEPTH ADDRESS... DEPTH ADDRESS...
// where WHAT is race (of two accesses that nothing orders, one writes), input (an input is written), copy (an
// asynchronous copy to there has not been waited for) or uninitialised (nobody has written there); MEMORY is the number
// of an argument, -1 for dynamic and -2 for static shared memory; then come the calls that led to the access and to the
// one it meets.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tuner/host/shim/buffers.hpp"
#include "tuner/host/shim/clocks.hpp"
#include "tuner/host/shim/runs.hpp"
#include "tuner/host/shim/watch.hpp"

extern unsigned char __start_tuner_shared[] __attribute__((weak));
extern unsigned char __stop_tuner_shared[] __attribute__((weak));

namespace tuner::host {
namespace {

constexpr std::size_t kMostReports = 40;  // of one case
constexpr unsigned kDepth = 4;
constexpr int kDynamic = -1, kStatic = -2;

/// The calls that led to an access, innermost first.
struct CallSite {
  void* address[kDepth] = {};
  bool operator==(const CallSite& other) const { return std::memcmp(address, other.address, sizeof address) == 0; }
};

/// Sites by number, so that a byte remembers one in four bytes.
class CallSites {
 public:
  std::uint32_t number(const CallSite& site) {
    if (sites_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& slot = find(site);
    if (slot == 0) {
      sites_.push_back(site);
      slot = static_cast<std::uint32_t>(sites_.size());
    }
    return slot;
  }
  const CallSite& at(std::uint32_t number) const { return sites_[number - 1]; }

 private:
  std::uint32_t& find(const CallSite& site) {
    std::uint64_t hash = 0;
    for (void* address : site.address) hash = (hash ^ reinterpret_cast<std::uintptr_t>(address)) * 0x9e3779b97f4a7c15u;
    for (std::size_t i = hash >> 20;; ++i) {
      std::uint32_t& slot = slots_[i % slots_.size()];
      if (slot == 0 || sites_[slot - 1] == site) return slot;
    }
  }
  void grow() {
    slots_.assign(slots_.size() * 2 + 1024, 0);
    for (std::size_t i = 0; i < sites_.size(); ++i) find(sites_[i]) = static_cast<std::uint32_t>(i + 1);
  }
  std::vector<CallSite> sites_;
  std::vector<std::uint32_t> slots_;
};

struct Access {
  Clocks::Moment moment;
  std::uint32_t site = 0;
  bool atomic = false;
};

/// What is known of one byte. All zeros: nothing.
struct Byte {
  Access write;
  Access reads[2];
  std::uint32_t written = 0;  ///< block
  std::uint32_t copying = 0;  ///< block
};

/// Memory that is watched.
struct Region {
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;
  int memory = 0;         ///< number of the argument
  bool input = false;     ///< must not be written
  bool filled = false;    ///< has a content from the beginning
  bool of_block = false;  ///< shared memory: each block has its own
  Byte* state = nullptr;
};

struct Reported {
  const char* what;
  std::uint32_t site, other;
};

/// The calls that a thread is in.
struct Calls {
  static constexpr unsigned kMost = 256;
  void* from[kMost];
  unsigned depth = 0;
};

class Watch {
 public:
  void begin_case(std::size_t number, const Buffers& buffers) {
    number_ = number;
    reported_.clear();
    for (const Region& region : regions_) munmap(region.state, region.bytes * sizeof(Byte));
    regions_.clear();
    for (std::size_t i = 0; i < buffers.all().size(); ++i) {
      const Buffer& buffer = buffers.all()[i];
      if (buffer.data == nullptr) continue;
      const bool input = buffer.role == PlannedArgument::Role::in || buffer.role == PlannedArgument::Role::constant;
      add({buffer.data, buffer.bytes, static_cast<int>(i), input, buffer.content != nullptr, false, nullptr});
    }
  }

  void begin_launch(const Launch& launch, void* dynamic) {
    threads_ = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
    if (calls_.size() < threads_) calls_.resize(threads_);
    clocks_.begin_launch();
    add({static_cast<unsigned char*>(dynamic), launch.shared_bytes, kDynamic, false, false, true, nullptr});
    add({launch.static_shared, launch.static_shared_bytes, kStatic, false, false, true, nullptr});
    add({__start_tuner_shared, static_cast<std::size_t>(__stop_tuner_shared - __start_tuner_shared), kStatic, false,
         false, true, nullptr});
  }

  void begin_block() {
    clocks_.begin_block(threads_);
    for (Calls& calls : calls_) calls.depth = 0;
  }

  void resume(unsigned thread) {
    active_ = &calls_[thread];
    clocks_.resume(thread);
  }
  void suspend() { active_ = nullptr; }
  Clocks& clocks() { return clocks_; }
  bool active() const { return active_ != nullptr; }

  void enter(void* from) {
    if (active_ == nullptr) return;
    if (active_->depth < Calls::kMost) active_->from[active_->depth] = from;
    ++active_->depth;
  }
  void leave() {
    if (active_ != nullptr && active_->depth > 0) --active_->depth;
  }

  void access(const volatile void* address, std::size_t size, bool writes, bool atomic, void* from) {
    if (active_ == nullptr) return;
    const unsigned char* at = static_cast<const unsigned char*>(const_cast<const void*>(address));
    const Region* region = find(at);
    if (region == nullptr) return;
    size = std::min<std::size_t>(size, static_cast<std::size_t>(region->begin + region->bytes - at));
    const std::uint32_t site = site_of(from);
    if (writes && region->input) report("input", *region, at, true, site, 0, false);
    const Clocks::Moment now = clocks_.now();
    Byte* bytes = region->state + (at - region->begin);
    // The bytes of one number nearly always have one history: what is found of the first is found of the others.
    const Byte before = bytes[0];
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0 && std::memcmp(&bytes[i], &before, sizeof before) == 0)
        bytes[i] = bytes[0];
      else
        look_at(bytes[i], *region, at + i, writes, atomic, now, site);
    }
  }

  void set_copying(const void* address, std::size_t size, bool copying) {
    const unsigned char* at = static_cast<const unsigned char*>(address);
    const Region* region = find(at);
    if (region == nullptr) return;
    for (std::size_t i = 0; i < size && at + i < region->begin + region->bytes; ++i)
      region->state[at + i - region->begin].copying = copying ? clocks_.block() : 0;
  }

 private:
  void add(Region region) {
    if (region.bytes == 0) return;
    for (const Region& known : regions_) {
      if (known.begin == region.begin) return;
    }
    void* state = mmap(nullptr, region.bytes * sizeof(Byte), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (state == MAP_FAILED) return;  // too large to be watched
    region.state = static_cast<Byte*>(state);
    regions_.push_back(region);
  }

  const Region* find(const unsigned char* at) const {
    for (const Region& region : regions_) {
      if (at >= region.begin && at < region.begin + region.bytes) return &region;
    }
    return nullptr;
  }

  std::uint32_t site_of(void* from) {
    CallSite site;
    site.address[0] = from;
    const unsigned depth = std::min(active_->depth, Calls::kMost);
    for (unsigned i = 1; i < kDepth && i <= depth; ++i) site.address[i] = active_->from[depth - i];
    return sites_.number(site);
  }

  bool counts(const Access& access, const Region& region) const {
    if (access.moment.block == 0) return false;
    return region.of_block ? access.moment.block == clocks_.block() : clocks_.in_this_launch(access.moment);
  }

  void look_at(Byte& byte, const Region& region, const unsigned char* at, bool writes, bool atomic,
               const Clocks::Moment& now, std::uint32_t site) {
    if (byte.copying != 0 && byte.copying == clocks_.block())
      report("copy", region, at, writes, site, byte.write.site, true);
    const auto meets = [&](const Access& other) {
      return counts(other, region) && !(atomic && other.atomic) && !clocks_.knows(other.moment);
    };
    if (meets(byte.write)) report("race", region, at, writes, site, byte.write.site, true);
    if (writes) {
      for (const Access& read : byte.reads) {
        if (meets(read)) report("race", region, at, true, site, read.site, false);
      }
      byte.write = {now, site, atomic};
      byte.reads[0] = byte.reads[1] = {};
      byte.written = clocks_.block();
      return;
    }
    const bool written = region.filled || (region.of_block ? byte.written == clocks_.block()
                                                           : clocks_.in_this_launch({byte.written, 0, 0, 0}));
    if (!written) report("uninitialised", region, at, false, site, 0, false);
    // Two readers are remembered; one that this thread knows of gives way.
    Access& place =
        !counts(byte.reads[0], region) || clocks_.knows(byte.reads[0].moment) ? byte.reads[0] : byte.reads[1];
    place = {now, site, atomic};
  }

  void report(const char* what, const Region& region, const unsigned char* at, bool writes, std::uint32_t site,
              std::uint32_t other, bool other_writes) {
    if (reported_.size() >= kMostReports) return;
    for (const Reported& known : reported_) {
      if (known.site == site && known.other == other && std::strcmp(known.what, what) == 0) return;
    }
    reported_.push_back({what, site, other});
    char text[1024];
    int size = std::snprintf(text, sizeof text, "access %zu %s %d %td %d %d", number_, what, region.memory,
                             at - region.begin, writes, other_writes);
    for (const std::uint32_t number : {site, other}) {
      const CallSite none;
      const CallSite& calls = number == 0 ? none : sites_.at(number);
      const unsigned depth = static_cast<unsigned>(std::count_if(std::begin(calls.address), std::end(calls.address),
                                                                 [](void* address) { return address != nullptr; }));
      size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), " %u", depth);
      for (unsigned i = 0; i < depth; ++i)
        size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), " %p", calls.address[i]);
    }
    event("%s\n", text);
  }

  std::size_t number_ = 0;
  std::size_t threads_ = 0;
  std::vector<Region> regions_;
  std::vector<Calls> calls_;
  Calls* active_ = nullptr;
  Clocks clocks_;
  CallSites sites_;
  std::vector<Reported> reported_;
};

Watch the_watch;

}  // namespace

bool watch_case(std::size_t number, std::size_t run, const Buffers& buffers) {
  if (run == 0) the_watch.begin_case(number, buffers);
  return run == 0 || run >= kRunsOverPoison;  // what memory holds makes no difference here
}

namespace watch {

void begin_launch(const Launch& launch, void* dynamic_shared) {
  the_watch.begin_launch(launch, dynamic_shared);
}
void begin_block(unsigned) {
  the_watch.begin_block();
}
void barrier() {
  the_watch.clocks().barrier();
}
void warp_met(unsigned warp, unsigned lanes) {
  the_watch.clocks().warp_met(warp, lanes);
}
void resume(unsigned thread) {
  the_watch.resume(thread);
}
void suspend() {
  the_watch.suspend();
}
void end_launch() {}
void copy_started(void* to, const void* from, std::size_t size) {
  the_watch.access(from, size, false, false, __builtin_return_address(0));
  the_watch.access(to, size, true, false, __builtin_return_address(0));
  the_watch.set_copying(to, size, true);
}
void copy_arrived(void* to, std::size_t size) {
  the_watch.set_copying(to, size, false);
  the_watch.access(to, size, true, false, __builtin_return_address(0));
}
void copy_dropped(void* to, std::size_t size) {
  the_watch.set_copying(to, size, false);
}
void atomic(void* address, std::size_t size) {
  if (!the_watch.active()) return;
  the_watch.access(address, size, true, true, __builtin_return_address(0));
  the_watch.clocks().atomic(address);
}
void fence() {
  if (the_watch.active()) the_watch.clocks().fence();
}

}  // namespace watch
}  // namespace tuner::host

// What the compiler calls.
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void* from) {
  tuner::host::the_watch.enter(from);
}
void __tsan_func_exit(void*) {
  tuner::host::the_watch.leave();
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* address, unsigned long size) {
  tuner::host::the_watch.access(address, size, false, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long size) {
  tuner::host::the_watch.access(address, size, true, false, __builtin_return_address(0));
}
#define TUNER_ACCESS(NAME, SIZE)                                                             \
  void __tsan_read##NAME(void* address) {                                                    \
    tuner::host::the_watch.access(address, SIZE, false, false, __builtin_return_address(0)); \
  }                                                                                          \
  void __tsan_write##NAME(void* address) {                                                   \
    tuner::host::the_watch.access(address, SIZE, true, false, __builtin_return_address(0));  \
  }
TUNER_ACCESS(1, 1)
TUNER_ACCESS(2, 2)
TUNER_ACCESS(4, 4)
TUNER_ACCESS(8, 8)
TUNER_ACCESS(16, 16)
#undef TUNER_ACCESS
#define TUNER_ACCESS(SIZE)                                                                   \
  void __tsan_unaligned_read##SIZE(void* address) {                                          \
    tuner::host::the_watch.access(address, SIZE, false, false, __builtin_return_address(0)); \
  }                                                                                          \
  void __tsan_unaligned_write##SIZE(void* address) {                                         \
    tuner::host::the_watch.access(address, SIZE, true, false, __builtin_return_address(0));  \
  }
TUNER_ACCESS(2)
TUNER_ACCESS(4)
TUNER_ACCESS(8)
TUNER_ACCESS(16)
#undef TUNER_ACCESS
}
