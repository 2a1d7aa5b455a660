#include "tuner/core/standard_headers/standard_headers.hpp"

#include <algorithm>
#include <iterator>

#include "tuner/core/standard_headers/device_headers.hpp"

namespace tuner {
namespace {

/// Between blanks, so that a name is found whole.
constexpr std::string_view kHostOnly =
    " any bitset ccomplex cctype cerrno charconv chrono clocale codecvt complex condition_variable csetjmp "
    "csignal cstdarg ctime cwchar cwctype deque exception execution filesystem format forward_list fstream functional "
    "future iomanip ios iosfwd iostream istream iterator list locale map memory memory_resource mutex new numeric "
    "optional ostream print queue random ranges ratio regex semaphore set shared_mutex source_location span sstream "
    "stack stdexcept stop_token streambuf string string_view syncstream system_error thread tuple typeindex typeinfo "
    "unordered_map unordered_set valarray variant vector "
    "ctype.h dirent.h errno.h fcntl.h getopt.h locale.h omp.h mpi.h pthread.h sched.h signal.h stdarg.h "
    "sys/mman.h sys/resource.h sys/stat.h sys/time.h sys/types.h time.h unistd.h "
    "cublas.h cublasLt.h cublas_v2.h cublasXt.h cuda_profiler_api.h cudaProfiler.h cudnn.h cufft.h cufftXt.h cufile.h "
    "cusolverDn.h cusolverSp.h cusparse.h cutensor.h nccl.h npp.h nvJitLink.h nvml.h nvrtc.h nvToolsExt.h "
    "nvtx3/nvToolsExt.h nvtx3/nvtx3.hpp "
    "thrust/copy.h thrust/device_malloc.h thrust/device_ptr.h thrust/device_vector.h thrust/execution_policy.h "
    "thrust/extrema.h thrust/fill.h thrust/for_each.h thrust/gather.h thrust/generate.h thrust/host_vector.h "
    "thrust/inner_product.h thrust/random.h thrust/reduce.h thrust/scan.h thrust/sequence.h thrust/sort.h "
    "thrust/transform.h thrust/transform_reduce.h thrust/unique.h ";
/// So that `using namespace std;` has something to name.
constexpr std::string_view kEmpty = "namespace std {}\n";

/// Ours include each other under names that no header of a user's has.
constexpr std::string_view kPrivate = "__tuner/";

bool is_listed(std::string_view name) {
  if (name.find(' ') != std::string_view::npos) return false;
  for (std::size_t at = kHostOnly.find(name); at != std::string_view::npos; at = kHostOnly.find(name, at + 1)) {
    if (at > 0 && kHostOnly[at - 1] == ' ' && kHostOnly[at + name.size()] == ' ') return true;
  }
  return false;
}

}  // namespace

std::optional<std::string_view> standard_header(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const bool is_private = name.starts_with(kPrivate);
  if (is_private) name.remove_prefix(kPrivate.size());
  for (const DeviceHeader& header : device_headers()) {
    if (header.name == name) return header.text;
  }
  if (!is_private && is_listed(name)) return kEmpty;
  return std::nullopt;
}

bool is_standard(const Header& header) {
  const auto text = standard_header(header.name);
  return text && (*text == header.text || header.text == kEmpty);
}

std::string_view empty_header() {
  return kEmpty;
}

bool is_of_runtime(std::string_view name) {
  return name == "cuda_runtime.h" || name == "cuda_runtime_api.h" || name == "device_launch_parameters.h";
}

bool is_for_host_only(const Header& header) {
  return is_standard(header) && header.text == kEmpty;
}

std::vector<Header> without_standard(const std::vector<Header>& headers) {
  std::vector<Header> others;
  std::remove_copy_if(headers.begin(), headers.end(), std::back_inserter(others), is_standard);
  return others;
}

}  // namespace tuner
