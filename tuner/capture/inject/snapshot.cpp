#include "tuner/capture/inject/snapshot.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

#include "tuner/core/binary/cubin.hpp"

namespace tuner::capture {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::size_t kMostFrames = 64;

std::uint64_t aligned(std::uint64_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

std::span<const std::byte> text_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <typename Facts>
std::span<const std::byte> fact_bytes(const Facts& facts) {
  return std::as_bytes(std::span(&facts, 1));
}

const char* words_for(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::device:
      return "memory of another context or GPU";
    case MemoryKind::pooled:
      return "memory of a pool (cudaMallocAsync)";
    case MemoryKind::managed:
      return "managed memory (cudaMallocManaged)";
    case MemoryKind::mapped:
      return "memory that the program maps itself (cuMemMap)";
  }
  return "memory of another kind";
}

/// What `extra` holds instead of an array of pointers.
std::span<const std::byte> packed_parameters(void** extra) {
  const void* begin = nullptr;
  std::size_t size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) begin = extra[1];
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(extra[1]);
  }
  return {static_cast<const std::byte*>(begin), begin != nullptr ? size : 0};
}

/// The bytes of a parameter; none if the launch lacks them.
std::span<const std::byte> given_bytes(const Launch& launch, std::size_t index, const KernelParameter& parameter) {
  if (launch.parameters != nullptr) return {static_cast<const std::byte*>(launch.parameters[index]), parameter.size};
  if (launch.extra == nullptr) return {};
  const std::span<const std::byte> all = packed_parameters(launch.extra);
  if (parameter.offset > all.size() || parameter.size > all.size() - parameter.offset) return {};
  return all.subspan(parameter.offset, parameter.size);
}

std::string too_much(std::uint64_t limit) {
  return "it can reach more than " + std::to_string(limit / 1000000) +
         " MB, which is --limit or a quarter of the machine's free memory";
}

/// The loader has no name for it.
std::string path_of_executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "/proc/self/exe";
}

bool is_between(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const std::string_view beginning : {"libtuner-inject", "libcupti", "libcuda.", "libcudart"}) {
    if (file.starts_with(beginning)) return true;
  }
  return false;
}

/// Whether none of the words leads to memory that cannot be stored.
bool all_lead_to_storable(std::span<const std::uint64_t> words, const Launch& launch,
                          const std::vector<LiveMemory>& live, std::string_view what, std::string& why_not) {
  for (const std::uint64_t word : words) {
    const LiveMemory* const memory = find_holding(live, word);
    if (memory == nullptr || memory->can_be_stored(launch.context)) continue;
    why_not = std::string(what) + " leads to " + words_for(memory->kind) + ", which cannot be stored yet";
    return false;
  }
  return true;
}

std::vector<std::uint64_t> words_in(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

}  // namespace

void Snapshot::add_record(RecordKind kind, std::span<const std::byte> body, std::span<const std::byte> more) {
  const RecordHead head{.kind = kind, .size = body.size() + more.size()};
  for (const std::span<const std::byte> part : {fact_bytes(head), body, more})
    records_.insert(records_.end(), part.begin(), part.end());
}

void Snapshot::add_piece(RecordKind kind, std::uint64_t address, std::uint64_t size, std::string_view name) {
  pieces_.push_back({.address = address, .size = size, .offset = size_});
  size_ += aligned(size);
  add_record(kind, fact_bytes(pieces_.back()), text_bytes(name));
}

std::unique_ptr<Snapshot> Snapshot::take(const DriverCalls& driver, const Launch& launch,
                                         std::span<const std::byte> image, std::vector<LiveMemory> live,
                                         std::uint64_t limit, std::function<bool()> is_alone, std::string& why_not) {
  std::unique_ptr<Snapshot> snapshot(new Snapshot(driver, std::move(is_alone)));
  CUfunction function = nullptr;
  CUmodule module = nullptr;
  if (driver.kernel_function(&function, reinterpret_cast<CUkernel>(launch.function)) != CUDA_SUCCESS)
    function = launch.function;
  if (driver.function_module(&module, function) != CUDA_SUCCESS) {
    why_not = "the driver does not say from which module the kernel is";
    return nullptr;
  }
  snapshot->add_facts(launch, function);
  const bool is_taken = snapshot->add_parameters(launch, image, why_not) &&
                        snapshot->add_variables(module, image, why_not) && snapshot->add_roots(launch, live, why_not) &&
                        snapshot->copy_all(launch, live, limit, why_not);
  return is_taken ? std::move(snapshot) : nullptr;
}

void Snapshot::add_facts(const Launch& launch, CUfunction function) {
  FactsOfLaunch facts{.ordinal = launch.ordinal,
                      .dynamic_shared = launch.shape.dynamic_shared,
                      .cooperative = launch.cooperative ? 1u : 0u,
                      .process = getpid()};
  std::copy_n(launch.shape.grid, 3, facts.grid);
  std::copy_n(launch.shape.block, 3, facts.block);
  std::copy_n(launch.shape.cluster, 3, facts.cluster);
  add_record(RecordKind::launch, fact_bytes(facts), text_bytes(launch.kernel));
  for (const auto& [attribute, value] : launch.attributes)
    add_record(RecordKind::launch_attribute, fact_bytes(NumberedFact{.number = attribute, .value = value}));
  for (int attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; attribute < CU_FUNC_ATTRIBUTE_MAX;
       ++attribute) {
    int value = 0;
    if (driver_.function_attribute(&value, static_cast<CUfunction_attribute>(attribute), function) == CUDA_SUCCESS)
      add_record(RecordKind::attribute, fact_bytes(NumberedFact{.number = attribute, .value = value}));
  }
  for (int limit = CU_LIMIT_STACK_SIZE; limit < CU_LIMIT_MAX; ++limit) {
    std::size_t value = 0;
    if (driver_.context_limit(&value, static_cast<CUlimit>(limit)) == CUDA_SUCCESS)
      add_record(RecordKind::limit,
                 fact_bytes(NumberedFact{.number = limit, .value = static_cast<std::int64_t>(value)}));
  }
  CUdevice device = 0;
  CUuuid uuid{};
  char name[256] = {};
  int major = 0, minor = 0;
  FactsOfDevice gpu;
  if (driver_.context_device(&device) == CUDA_SUCCESS) {
    driver_.device_name(name, sizeof name - 1, device);
    driver_.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    driver_.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    if (driver_.device_uuid(&uuid, device) == CUDA_SUCCESS) std::memcpy(gpu.uuid, uuid.bytes, sizeof gpu.uuid);
  }
  gpu.compute_capability = 10 * major + minor;
  driver_.driver_version(&gpu.driver);
  add_record(RecordKind::device, fact_bytes(gpu), text_bytes(name));
  add_frames();
}

void Snapshot::add_frames() {
  std::vector<void*> frames;
  frames.reserve(kMostFrames);
  const auto visit = [](_Unwind_Context* context, void* into) {
    auto& all = *static_cast<std::vector<void*>*>(into);
    if (const auto address = _Unwind_GetIP(context); address != 0) all.push_back(reinterpret_cast<void*>(address));
    return all.size() < kMostFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(visit, &frames);
  bool is_outside = false;  // of what stands between the program and this library
  for (void* const address : frames) {
    Dl_info info{};
    link_map* object = nullptr;
    if (dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || object == nullptr) continue;
    const std::string path = *object->l_name != '\0' ? object->l_name : path_of_executable();
    is_outside = is_outside || !is_between(path);
    if (!is_outside) continue;
    const FactsOfFrame frame{.offset = reinterpret_cast<std::uint64_t>(address) - object->l_addr};
    add_record(RecordKind::frame, fact_bytes(frame), text_bytes(path));
  }
}

bool Snapshot::add_parameters(const Launch& launch, std::span<const std::byte> image, std::string& why_not) {
  const std::optional<CubinFacts> facts = facts_from_cubin(image, launch.kernel);
  if (!facts) {
    why_not = "its module was not seen when it was loaded";
    return false;
  }
  add_record(RecordKind::image, image);
  for (std::size_t i = 0; i < facts->parameters.size(); ++i) {
    const std::span<const std::byte> value = given_bytes(launch, i, facts->parameters[i]);
    if (value.size() != facts->parameters[i].size) {
      why_not = "the launch has fewer parameters than the kernel";
      return false;
    }
    add_record(RecordKind::parameter, fact_bytes(FactsOfParameter{.offset = facts->parameters[i].offset}), value);
    const std::vector<std::uint64_t> words = words_in(value);
    words_.insert(words_.end(), words.begin(), words.end());
  }
  return true;
}

/// What the parameters lead to has to be memory that can be stored; what nobody saw allocated is added to `live`.
bool Snapshot::add_roots(const Launch& launch, std::vector<LiveMemory>& live, std::string& why_not) {
  if (!all_lead_to_storable(words_, launch, live, "a parameter", why_not)) return false;
  for (const std::uint64_t word : words_) {
    if (find_holding(live, word) != nullptr) continue;
    const auto holds = [&](const FactsOfMemory& piece) { return word - piece.address < piece.size; };
    if (std::ranges::any_of(pieces_, holds)) continue;  // a variable of the module
    unsigned type = 0;
    if (word == 0 || driver_.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, word) != CUDA_SUCCESS) continue;
    CUdeviceptr begin = 0;
    std::size_t size = 0;
    if (type != CU_MEMORYTYPE_DEVICE || driver_.address_range(&begin, &size, word) != CUDA_SUCCESS) {
      why_not = "a parameter leads to memory of the host, which cannot be stored yet";
      return false;
    }
    live.push_back({begin, size, MemoryKind::device, launch.context});
    std::ranges::sort(live, {}, &LiveMemory::address);
  }
  return true;
}

bool Snapshot::add_variables(CUmodule module, std::span<const std::byte> image, std::string& why_not) {
  for (const CubinArray& variable : variables_in_cubin(image)) {
    CUdeviceptr address = 0;
    std::size_t size = 0;
    if (driver_.module_variable(&address, &size, module, variable.symbol.c_str()) != CUDA_SUCCESS) {
      // The compiler's own texts are not to be had, and never change.
      if (variable.symbol.starts_with('$') || variable.symbol.starts_with("__unnamed_")) continue;
      why_not = "the driver does not say where the variable " + variable.symbol + " is";
      return false;
    }
    add_piece(RecordKind::variable, address, size, variable.symbol);
  }
  return true;
}

bool Snapshot::copy(const FactsOfMemory& piece, const MemoryFile& into, std::string& why_not) const {
  if (!is_alone_()) {
    why_not = "another thread of the program could not wait so long, or began to capture a stream";
    return false;
  }
  if (driver_.copy_to_host(into.bytes() + piece.offset, piece.address, piece.size) == CUDA_SUCCESS) return true;
  why_not = "its memory could not be read";
  return false;
}

std::span<const std::uint64_t> Snapshot::words_of(const FactsOfMemory& piece) const {
  return {reinterpret_cast<const std::uint64_t*>(before_->bytes() + piece.offset), piece.size / sizeof(std::uint64_t)};
}

bool Snapshot::copy_all(const Launch& launch, const std::vector<LiveMemory>& live, std::uint64_t limit,
                        std::string& why_not) {
  std::vector<LiveMemory> storable;
  for (const LiveMemory& memory : live) {
    if (memory.can_be_stored(launch.context)) {
      storable.push_back(memory);
    } else {
      add_record(RecordKind::unstored, fact_bytes(FactsOfMemory{.address = memory.address, .size = memory.size}),
                 text_bytes(words_for(memory.kind)));
    }
  }
  const std::vector<FactsOfMemory> variables = pieces_;
  std::uint64_t all = size_;
  for (const LiveMemory& memory : storable) all += aligned(memory.size);
  const bool all_fits = all <= limit;
  if (size_ > limit) {
    why_not = too_much(limit);
    return false;
  }
  if (all_fits) {
    for (const LiveMemory& memory : storable) add_piece(RecordKind::allocation, memory.address, memory.size);
  }
  before_ = std::make_unique<MemoryFile>(all_fits ? all : limit, all_fits);
  if (all_fits) after_ = std::make_unique<MemoryFile>(all, true);
  if (!before_->is_there()) {
    why_not = "there is no memory for it";
    return false;
  }
  before_->wait();
  const auto is_copied = [&](const FactsOfMemory& piece) { return copy(piece, *before_, why_not); };
  const auto leads_to_storable = [&](const FactsOfMemory& piece) {
    return all_lead_to_storable(words_of(piece), launch, live, "a variable of its module", why_not);
  };
  return std::ranges::all_of(pieces_, is_copied) && std::ranges::all_of(variables, leads_to_storable) &&
         (all_fits || copy_reachable(storable, limit, why_not));
}

/// Words that lie in live memory are taken for addresses. So more may be found than the kernel can reach, and less
/// where it computes an address, or keeps one in a word that is not aligned.
bool Snapshot::copy_reachable(const std::vector<LiveMemory>& live, std::uint64_t limit, std::string& why_not) {
  std::vector<bool> is_found(live.size(), false);
  const auto look_at = [&](std::span<const std::uint64_t> words) {
    std::vector<const LiveMemory*> found;
    for (const std::uint64_t word : words) {
      const LiveMemory* const memory = find_holding(live, word);
      if (memory == nullptr || is_found[memory - live.data()]) continue;
      is_found[memory - live.data()] = true;
      found.push_back(memory);
    }
    return found;
  };
  std::vector<const LiveMemory*> next = look_at(words_);
  const auto look_at_piece = [&](const FactsOfMemory piece) {
    const std::vector<const LiveMemory*> more = look_at(words_of(piece));
    next.insert(next.end(), more.begin(), more.end());
  };
  for (const FactsOfMemory& piece : pieces_) look_at_piece(piece);
  while (!next.empty()) {
    const LiveMemory& memory = *next.back();
    next.pop_back();
    if (size_ + aligned(memory.size) > limit) {
      why_not = too_much(limit);
      return false;
    }
    add_piece(RecordKind::allocation, memory.address, memory.size);
    if (!copy(pieces_.back(), *before_, why_not)) return false;
    look_at_piece(pieces_.back());
  }
  return true;
}

bool Snapshot::take_after(std::string& why_not) {
  if (!after_) after_ = std::make_unique<MemoryFile>(size_, true);
  after_->wait();
  if (!after_->is_there()) why_not = "there is no memory for it";
  return after_->is_there() &&
         std::ranges::all_of(pieces_, [&](const FactsOfMemory& piece) { return copy(piece, *after_, why_not); });
}

void Snapshot::set_held(std::uint64_t nanoseconds) {
  // The launch is the first record.
  std::memcpy(records_.data() + sizeof(RecordHead) + offsetof(FactsOfLaunch, held_ns), &nanoseconds,
              sizeof nanoseconds);
}

bool Snapshot::send_to(const Parent& parent, std::size_t index) const {
  const MemoryFile records(records_.size(), false);
  if (!records.is_there()) return false;
  std::ranges::copy(records_, records.bytes());
  const auto number = static_cast<std::uint32_t>(index);
  return parent.send(MessageKind::stored, std::string_view(reinterpret_cast<const char*>(&number), sizeof number),
                     {records.descriptor(), before_->descriptor(), after_->descriptor()});
}

}  // namespace tuner::capture
