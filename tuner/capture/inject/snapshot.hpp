#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/capture/inject/driver_calls.hpp"
#include "tuner/capture/inject/live_memory.hpp"
#include "tuner/capture/inject/memory_file.hpp"
#include "tuner/capture/inject/parent.hpp"
#include "tuner/capture/message.hpp"
#include "tuner/capture/snapshot_format.hpp"

namespace tuner::capture {

/// A launch, as the driver is about to make it.
struct Launch {
  std::string kernel;  ///< mangled
  std::uint64_t ordinal = 0;
  LaunchShape shape;
  bool cooperative = false;
  std::vector<std::pair<int, std::int64_t>> attributes;  ///< CUlaunchAttributeID, the first bytes of its value
  CUfunction function = nullptr;                         ///< or a CUkernel: the runtime passes that
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  void** parameters = nullptr;
  void** extra = nullptr;
};

/// All that a launch can reach, before it and after it. The context is idle when these functions are called, and nobody
/// else uses it. They throw std::bad_alloc only.
class Snapshot {
 public:
  /// nullptr, and `why_not`, the rest of a sentence, if it cannot be taken. `image` is the kernel's module. Memory is
  /// that of the launch's context; all of it is stored, or, above `limit` bytes, what can be found from the parameters
  /// and the variables. A parameter or a variable that leads to other memory of `live` is a reason not to; what else
  /// the launch may reach there, the tuner finds. Nothing is copied once `is_alone` says no.
  static std::unique_ptr<Snapshot> take(const DriverCalls& driver, const Launch& launch,
                                        std::span<const std::byte> image, std::vector<LiveMemory> live,
                                        std::uint64_t limit, std::function<bool()> is_alone, std::string& why_not);
  bool take_after(std::string& why_not);
  void set_held(std::uint64_t nanoseconds);
  /// To the tuner, as what was wanted at `index`; false if it could not be sent.
  bool send_to(const Parent& parent, std::size_t index) const;

 private:
  Snapshot(const DriverCalls& driver, std::function<bool()> is_alone)
      : driver_(driver), is_alone_(std::move(is_alone)) {}
  bool add_parameters(const Launch& launch, std::span<const std::byte> image, std::string& why_not);
  bool add_variables(CUmodule module, std::span<const std::byte> image, std::string& why_not);
  bool add_roots(const Launch& launch, std::vector<LiveMemory>& live, std::string& why_not);
  std::span<const std::uint64_t> words_of(const FactsOfMemory& piece) const;
  bool copy(const FactsOfMemory& piece, const MemoryFile& into, std::string& why_not) const;
  bool copy_all(const Launch& launch, const std::vector<LiveMemory>& live, std::uint64_t limit, std::string& why_not);
  bool copy_reachable(const std::vector<LiveMemory>& live, std::uint64_t limit, std::string& why_not);
  void add_facts(const Launch& launch, CUfunction function);
  void add_frames();
  void add_record(RecordKind kind, std::span<const std::byte> body, std::span<const std::byte> more = {});
  /// Memory, behind all before it.
  void add_piece(RecordKind kind, std::uint64_t address, std::uint64_t size, std::string_view name = {});

  const DriverCalls& driver_;
  const std::function<bool()> is_alone_;
  std::vector<std::byte> records_;
  std::vector<std::uint64_t> words_;   ///< of the parameters, that may be addresses
  std::vector<FactsOfMemory> pieces_;  ///< as they lie in the files, one after the other
  std::uint64_t size_ = 0;             ///< of all pieces, in a file
  std::unique_ptr<MemoryFile> before_, after_;
};

}  // namespace tuner::capture
